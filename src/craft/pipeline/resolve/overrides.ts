/** What the command line of a run changes (docs/spec/craft-engine.md 5.1), and folding it over a manifest. */
import { nearest } from "../../../kernel/text/nearest.ts";
import { printable } from "../../../kernel/text/printable.ts";
import type { YamlMap, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { failure } from "../../common/fail.ts";
import {
  ACTIONS,
  type Action,
  isOneOf,
  phaseId,
  RESERVED_KEYS,
  VERDICTS,
  type Verdict,
} from "../../common/vocabulary.ts";
import { child, emptyMap, givenList, givenScalar, isNull, withEntry } from "../../manifest/nodes.ts";

/** The flags as they were given. */
export interface Flags {
  profile?: string | undefined;
  skip: readonly string[];
  harness: readonly string[];
  policy: readonly string[];
}

export interface KnobOverride {
  phase: string;
  knob: string;
  value: YamlNode;
}

export interface Overrides {
  profile: string | undefined;
  skip: readonly string[];
  knobs: readonly KnobOverride[];
  policy: ReadonlyMap<Action, Verdict>;
}

/** Read the flags; throws for the first that is wrong, under `name`. */
export function readOverrides(name: string, flags: Flags): Overrides {
  const given = { profile: flags.profile === undefined ? [] : [flags.profile], ...flagLists(flags) };
  for (const [flag, values] of Object.entries(given)) {
    if (values.some((value) => value.startsWith("-")))
      throw failure(name, `option --${flag} requires a non-flag value`);
  }
  return {
    profile: flags.profile,
    skip: flags.skip.flatMap((list) => list.split(",").map((id) => id.trim())).filter((id) => id !== ""),
    knobs: flags.harness.map((text) => knobOverride(name, text)),
    policy: new Map(flags.policy.map((text) => policyOverride(name, text))),
  };
}

function flagLists({ skip, harness, policy }: Flags) {
  return { skip, harness, policy };
}

function knobOverride(name: string, text: string): KnobOverride {
  const equals = text.indexOf("=");
  const path = equals < 0 ? [] : text.slice(0, equals).split(".");
  const [phase, knob] = path;
  if (path.length !== 2 || !phase || !knob || equals === text.length - 1)
    throw failure(name, "--harness expects <phase>.<knob>=<value>");
  if (isOneOf(RESERVED_KEYS, phase) || isOneOf(RESERVED_KEYS, knob)) {
    const reserved = RESERVED_KEYS.join(", ");
    throw failure(name, `--harness phase/knob must not be a reserved name (${reserved})`);
  }
  return { phase: phaseId(phase), knob, value: coerce(knob, text.slice(equals + 1)) };
}

/** The raw text of a knob as the type the knob has (docs/spec/craft-engine.md 7.2). */
function coerce(knob: string, text: string): YamlNode {
  switch (knob) {
    case "dimensions": {
      const words = text.split(",").map((word) => word.trim());
      return givenList(words.filter((word) => word !== "").map(givenScalar));
    }
    case "passes":
    case "max_cycles":
      return givenScalar(String(Number.parseInt(text, 10)) === text ? Number.parseInt(text, 10) : text);
    case "convergence":
      if (text === "low-only" || text === "none" || text.trim() === "") return givenScalar(text);
      return givenScalar(Number(text));
    case "incremental":
      return givenScalar(text === "true" ? true : text === "false" ? false : text);
    default:
      return givenScalar(text);
  }
}

function policyOverride(name: string, text: string): [Action, Verdict] {
  const equals = text.indexOf("=");
  if (equals < 0) throw failure(name, "--policy expects <action>=<verdict>");
  const action = text.slice(0, equals);
  const verdict = text.slice(equals + 1);
  if (!isOneOf(ACTIONS, action))
    throw failure(name, `--policy unknown action: ${printable(action)}${hint(action, ACTIONS)}`);
  if (!isOneOf(VERDICTS, verdict))
    throw failure(name, `--policy unknown verdict: ${printable(verdict)}${hint(verdict, VERDICTS)}`);
  return [action, verdict];
}

function hint(word: string, known: readonly string[]): string {
  const meant = word.length > 60 ? undefined : nearest(word, known);
  return meant === undefined ? `; expected one of ${known.join(", ")}` : `; did you mean ${meant}?`;
}

/**
 * The manifest as if the flags had been written in it: skip lists united, the profile replaced, knobs merged one by one.
 * What has the wrong shape stays as it is, for the check to name.
 */
export function foldOverrides(manifest: YamlMap, overrides: Overrides): YamlMap {
  let folded = manifest;
  if (overrides.profile !== undefined) {
    const profile = givenScalar(overrides.profile);
    folded = within(folded, "pipeline", (pipeline) => withEntry(pipeline, "profile", profile));
  }
  if (overrides.skip.length > 0) {
    folded = within(folded, "pipeline", (pipeline) => {
      const own = child(pipeline, "skip") ?? givenList([]);
      if (own.kind !== "list" && !isNull(own)) return pipeline;
      const items = own.kind === "list" ? own.items : [];
      const skip = { ...own, kind: "list", items: [...items, ...overrides.skip.map(givenScalar)] } as const;
      return withEntry(pipeline, "skip", skip);
    });
  }
  for (const { phase, knob, value } of overrides.knobs) {
    folded = within(folded, "phases", (phases) => {
      const written = phases.entries.find(({ key }) => phaseId(key) === phase)?.key ?? phase;
      return within(phases, written, (block) =>
        within(block, "harness", (harness) => withEntry(harness, knob, value)),
      );
    });
  }
  return folded;
}

/** A mapping below a key changed, made when there is none. Anything else that stands there is left. */
function within(map: YamlMap, key: string, change: (inner: YamlMap) => YamlMap): YamlMap {
  const found = child(map, key);
  if (found !== undefined && found.kind !== "map" && !isNull(found)) return map;
  return withEntry(map, key, change(found?.kind === "map" ? found : emptyMap(0)));
}
