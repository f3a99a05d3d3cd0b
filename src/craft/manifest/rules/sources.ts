/** `backlog`, `memory` and `intention`: where the run reads them from (docs/spec/craft-engine.md 3.2). */
import type { YamlEntry, YamlNode } from "../../../kernel/yaml/yaml.ts";
import { isOneOf } from "../../common/vocabulary.ts";
import { adapterNames } from "../manifest.ts";
import { child, offending, stringOf, wordOf } from "../nodes.ts";
import type { Context } from "./context.ts";

interface Kind {
  shape: string;
  fields: readonly string[];
  /** Sources people expect to be built in. */
  hosted: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  backlog: {
    shape: "{ source, ref }",
    fields: ["source", "ref"],
    hosted: ["github-issues", "jira", "linear"],
  },
  memory: { shape: "{ source, ref }", fields: ["source", "ref"], hosted: [] },
  intention: {
    shape: "{ source, ref, gate, covers }",
    fields: ["source", "ref", "gate", "covers"],
    hosted: ["rag", "wiki", "notion", "confluence", "code-graph"],
  },
};

const SOURCES = ["file", "custom"];
const GATES = ["advisory", "blocking"];

export function checkSource({ key: name, value }: YamlEntry, context: Context): void {
  const { findings } = context;
  const kind = KINDS[name]!;
  if (value.kind !== "map") {
    findings.error(`${name} must be an object ${kind.shape}`, value);
    return;
  }
  for (const part of value.entries) {
    if (!kind.fields.includes(part.key))
      findings.error(`unknown ${name} field: ${part.key}`, part, findings.meant(part.key, kind.fields));
  }
  checkOrigin(name, kind, value, context);
  const gate = child(value, "gate");
  if (name === "intention" && gate !== undefined) checkGateWord("intention", gate, context);
  const covers = child(value, "covers");
  if (name === "intention" && covers !== undefined) checkCovers(covers, context);
}

function checkOrigin(name: string, kind: Kind, node: YamlNode, context: Context): void {
  const { findings, root } = context;
  const source = child(node, "source");
  if (source === undefined) {
    findings.error(`${name} must declare a source (one of file, custom)`, node);
    return;
  }
  const word = stringOf(source);
  const adapters = name === "backlog" ? adapterNames(root) : [];
  const ref = child(node, "ref");
  if (word === "custom") {
    if (wordOf(ref) === undefined) findings.error(`${name}.ref is required for source custom`, ref ?? source);
  } else if (word === "file") {
    if (ref !== undefined) context.ref(`${name}.ref`, ref);
  } else if (isOneOf(adapters, word)) {
    return;
  } else if (isOneOf(kind.hosted, word)) {
    const how = "use source: custom with a ref to a resolver script";
    findings.error(`${name} source '${word}' is not built-in — ${how}`, source);
  } else {
    findings.error(
      `unknown ${name} source: ${offending(source)} (expected one of file, custom)`,
      source,
      findings.meant(offending(source), [...SOURCES, ...adapters]),
    );
  }
}

/** A gate that only advises or blocks. */
export function checkGateWord(name: string, node: YamlNode, { findings }: Context): void {
  if (isOneOf(GATES, stringOf(node))) return;
  const shown = offending(node);
  findings.error(
    `unknown ${name} gate: ${shown} (expected one of ${GATES.join(", ")})`,
    node,
    findings.meant(shown, GATES),
  );
}

function checkCovers(node: YamlNode, { findings }: Context): void {
  const words = node.kind === "list" && node.items.every((item) => wordOf(item) !== undefined);
  if (!words) findings.error("intention.covers must be a list of non-empty strings", node);
}
