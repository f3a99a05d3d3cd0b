import type { YamlEntry } from "../../../kernel/yaml/yaml.ts";
import { EXECUTIONS, isOneOf, phaseId } from "../../common/vocabulary.ts";
import { COMMAND_LINE, child, entriesOf, isNull, offending, stringOf, wordOf } from "../nodes.ts";
import type { Context } from "./context.ts";
import { checkHarness, warnOfEmptyReview } from "./harness.ts";

type FieldRule = (label: string, entry: YamlEntry, context: Context) => void;

const text: FieldRule = (label, { value }, { findings }) => {
  if (stringOf(value) === undefined) findings.error(`${label} must be a string`, value);
};
const boolean: FieldRule = (label, { value }, { findings }) => {
  if (value.kind !== "scalar" || typeof value.value !== "boolean")
    findings.error(`${label} must be a boolean`, value);
};
const ref: FieldRule = (label, { value }, context) => context.ref(label, value);
const anything: FieldRule = () => {};

/** Fields of a phase block (docs/spec/craft-engine.md 3.2). */
const FIELDS: Readonly<Record<string, FieldRule>> = {
  context: ref,
  override: ref,
  role: text,
  model: text,
  procedure: (label, { value }, { findings }) => {
    if (wordOf(value) === undefined) findings.error(`${label} must be a non-empty string`, value);
  },
  enabled: boolean,
  required: boolean,
  harness: (label, { value }, context) => {
    checkHarness(label, value, context);
    if (label === "phases.review.harness") warnOfEmptyReview(value, context);
  },
  execution: (label, { value }, { findings, reader }) => {
    if (reader === "lint" && !isOneOf(EXECUTIONS, stringOf(value)))
      findings.error(`${label} must be one of: agent, inline`, value);
  },
  strategy: (label, { value }, { findings }) => {
    if (label === "phases.workspace.strategy" && !isOneOf(["worktree", "in-place"], stringOf(value)))
      findings.warn(`phases.workspace.strategy: "${offending(value)}" is not worktree or in-place`, value);
  },
  "merge-flags": anything,
  "non-blocking-jobs": anything,
};

export function checkPhases(entry: YamlEntry, context: Context): void {
  const { findings } = context;
  const { value } = entry;
  if (isNull(value)) return;
  if (value.kind !== "map") {
    findings.error("phases must be a mapping", value);
    return;
  }
  const written = new Map<string, string>();
  for (const block of value.entries) {
    const id = phaseId(block.key);
    const other = written.get(id);
    if (other !== undefined) {
      const [alias, canonical] = other === id ? [block.key, other] : [other, block.key];
      findings.error(`phases.${alias} and phases.${canonical} name the same phase`, block);
    } else {
      written.set(id, block.key);
    }
    checkPhase(block, context);
  }
}

function checkPhase(block: YamlEntry, context: Context): void {
  const { findings, reader } = context;
  const name = block.key;
  // The resolver asks for phases that `--harness` names; the others are lint's.
  if (!context.knowsPhase(name) && (reader === "lint" || isTouched(block))) {
    findings.error(`unknown phase: ${name}`, block, findings.meant(name, context.phaseNames()));
  }
  if (isNull(block.value)) return;
  if (block.value.kind !== "map") {
    findings.error(`phases.${name} must be a mapping`, block.value);
    return;
  }
  for (const entry of block.value.entries) {
    if (entry.key === "skip") {
      findings.error(`per-phase skip: is inert — use top-level pipeline.skip: [${name}]`, entry);
    } else if (Object.hasOwn(FIELDS, entry.key)) {
      FIELDS[entry.key]!(`phases.${name}.${entry.key}`, entry, context);
    } else if (reader === "lint") {
      const hint = findings.meant(entry.key, Object.keys(FIELDS));
      findings.error(`unknown field on phase ${name}: ${entry.key}`, entry, hint);
    }
  }
  checkConflict(block, context);
}

function isTouched(block: YamlEntry): boolean {
  return entriesOf(child(block.value, "harness")).some(({ value }) => value.line === COMMAND_LINE);
}

/** A skip of the command line may overrule `required`; one in the same manifest contradicts it. */
function checkConflict(block: YamlEntry, { findings, skipped }: Context): void {
  const required = child(block.value, "required");
  if (required?.kind !== "scalar" || required.value !== true || !skipped.has(phaseId(block.key))) return;
  const name = block.key;
  findings.error(
    `phases.${name}.required: true conflicts with pipeline.skip: [${name}] — a phase cannot be both skipped and required`,
    required,
  );
}
