/** A manifest whose shape was judged, as the values that resolving works with; nodes keep the lines. */
import { type YamlMap, type YamlNode, yamlValue } from "../../kernel/yaml/yaml.ts";
import { type Archetype, type Execution, phaseId } from "../common/vocabulary.ts";
import { child, entriesOf, itemsOf, stringOf, wordOf } from "./nodes.ts";

/** A phase that the manifest brings. */
export interface Entry {
  id: string;
  node: YamlMap;
  /** `pipeline.insert[L]`, `extends.phases[i]`: what messages call it. */
  label: string;
  /** Anchor ids, aliases resolved. `after` wins over `before`. */
  after: string | undefined;
  before: string | undefined;
}

/** A name of a phase with the place where it was written. */
export interface Named {
  id: string;
  /** As written, before aliases. */
  written: string;
  node: YamlNode;
}

export interface Manifest {
  root: YamlMap;
  execution: YamlNode | undefined;
  profile: string | undefined;
  skip: readonly Named[];
  reorder: readonly Named[];
  inserts: readonly Entry[];
  registered: readonly Entry[];
  /** Blocks by phase id, aliases resolved. */
  phases: ReadonlyMap<string, YamlMap>;
  agents: ReadonlySet<string>;
  profiles: ReadonlyMap<string, Readonly<Record<Archetype, Execution>>>;
}

/** Read a judged manifest; aliases are resolved here (docs/spec/craft-engine.md 5.2 stage 6). */
export function manifestOf(root: YamlMap): Manifest {
  const pipeline = child(root, "pipeline");
  const extended = child(root, "extends");
  return {
    root,
    execution: child(root, "execution"),
    profile: stringOf(child(pipeline, "profile")),
    skip: namesOf(child(pipeline, "skip")),
    reorder: namesOf(child(pipeline, "reorder")),
    inserts: entriesIn(
      child(pipeline, "insert"),
      (node, index) => `pipeline.insert[${insertLabel(node, index)}]`,
    ),
    registered: entriesIn(child(extended, "phases"), (_, index) => `extends.phases[${index}]`),
    phases: new Map(
      entriesOf(child(root, "phases")).flatMap(({ key, value }) =>
        value.kind === "map" ? [[phaseId(key), value] as const] : [],
      ),
    ),
    agents: new Set(itemsOf(child(extended, "agents")).flatMap((item) => wordOf(item) ?? [])),
    profiles: new Map(
      entriesOf(child(extended, "profiles")).map(({ key, value }) => [
        key,
        yamlValue(value) as Record<Archetype, Execution>,
      ]),
    ),
  };
}

function namesOf(node: YamlNode | undefined): Named[] {
  return itemsOf(node).flatMap((item) => {
    const written = stringOf(item);
    return written === undefined ? [] : { id: phaseId(written), written, node: item };
  });
}

function entriesIn(node: YamlNode | undefined, label: (node: YamlNode, index: number) => string): Entry[] {
  return itemsOf(node).flatMap((item, index) => {
    const id = stringOf(child(item, "id"));
    if (item.kind !== "map" || id === undefined) return [];
    const anchor = (key: string) => {
      const name = stringOf(child(item, key));
      return name === undefined ? undefined : phaseId(name);
    };
    return { id, node: item, label: label(item, index), after: anchor("after"), before: anchor("before") };
  });
}

/** What `backlog` declares, when it has a source. */
export function backlogOf(root: YamlMap): { source: string; ref: string | undefined } | undefined {
  const backlog = child(root, "backlog");
  const source = stringOf(child(backlog, "source"));
  return source === undefined ? undefined : { source, ref: wordOf(child(backlog, "ref")) };
}

/** `models.KEY`, when it is something. */
export function modelOf(root: YamlMap | undefined, key: string): string | undefined {
  return root === undefined ? undefined : wordOf(child(child(root, "models"), key));
}

/** A command of the manifest, or several in order: `gates.phase`, `pr.pre-pr-gate`. */
export function commandsOf(node: YamlNode | undefined): string[] {
  const words = node?.kind === "list" ? node.items : node === undefined ? [] : [node];
  return words.flatMap((item) => wordOf(item) ?? []);
}

/** How messages name an insert: its id, else its anchor, else its place in the list. */
export function insertLabel(node: YamlNode, index: number): string {
  const id = stringOf(child(node, "id"));
  if (id !== undefined) return id;
  const after = stringOf(child(node, "after"));
  if (after !== undefined) return `after:${after}`;
  const before = stringOf(child(node, "before"));
  return before === undefined ? String(index) : `before:${before}`;
}

/** Names that `extends.backlog-adapters` makes valid sources. */
export function adapterNames(root: YamlNode): string[] {
  const adapters = itemsOf(child(child(root, "extends"), "backlog-adapters"));
  return adapters.flatMap((item) => wordOf(child(item, "name")) ?? []);
}
