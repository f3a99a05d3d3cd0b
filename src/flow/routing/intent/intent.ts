import { UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printable, printableJson } from "../../../kernel/text/printable.ts";
import { type Artifact, fieldAt, mapAt, pendingGate, setAt, textAt } from "../../artifact/read.ts";
import { readArtifact, updateArtifact } from "../../artifact/store.ts";
import { readInput } from "../../common/arguments.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { type JsonMap, toPlain, writeLossless } from "../../common/lossless-json.ts";
import { projectRoot } from "../../common/project.ts";
import { parseStateObject } from "../../common/state-file.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { setGate } from "../../gates/pending.ts";
import { bakeoffRequested } from "./bakeoff.ts";
import { intentFields, intentLength, judgedIntent, scenarioTexts } from "./fields.ts";
import { planFileStem } from "./plan-stem.ts";
import { DEFAULT_BUDGET, judgeReadiness, type Readiness } from "./readiness.ts";

export interface IntentReport {
  workflow_uuid: string;
  intent: unknown;
  plan_file_stem: string | null;
  bakeoff_n_requested: number | null;
  /** Null without `--check`. */
  verdict: Readiness["verdict"] | null;
  failing: Readiness["failing"];
}

export interface IntentOptions {
  wf: string;
  from: string | undefined;
  check: boolean;
  sourceFiles: number | undefined;
  budget: number | undefined;
  contradiction: string | undefined;
  scenarios: boolean;
  project: string | undefined;
}

const GATE = "intent_contradiction";

/**
 * `jig flow intent` (docs/spec/flow.md 11.4): show a workflow's intent, store one, check whether it is ready. Not ready is
 * exit 3; a contradiction also sets a gate. Throws `UsageError` for an input that is no intent.
 */
export async function intent(host: Host, options: IntentOptions): Promise<Outcome<IntentReport>> {
  const { check, from } = options;
  checkWords(options);
  const layout = layoutOf(projectRoot(host, options.project));
  const id = findWorkflow(layout, options.wf, from === undefined && !check ? "read" : "write");
  const notes: string[] = [];
  if (from !== undefined) notes.push(...(await store(host, layout, id, await readIntent(host, from))));
  const artifact = readArtifact(layout, id);
  const readiness = check ? judge(artifact, options) : undefined;
  const contradiction = readiness?.failing.find(({ condition }) => condition === "contradiction_free");
  if (contradiction !== undefined) {
    const reason = `${contradiction.item}: ${contradiction.reason}`;
    notes.push(...(await halt(host, layout, id, reason)));
  }
  return { ...answer(id, artifact, readiness), notes };
}

function checkWords({ budget, check, contradiction, scenarios, sourceFiles }: IntentOptions): void {
  const judging = [budget, contradiction, sourceFiles, scenarios || undefined];
  if (!check && judging.some((given) => given !== undefined)) {
    throw new UsageError("--source-files, --budget-chars, --contradiction and --scenarios need --check");
  }
}

async function readIntent(host: Host, from: string): Promise<JsonMap> {
  const input = parseStateObject(from === "-" ? "standard input" : from, await readInput(host, from));
  intentFields(input);
  return input;
}

async function store(host: Host, layout: Layout, id: string, input: JsonMap): Promise<readonly string[]> {
  const { notes } = await updateArtifact(host, layout, id, (artifact) => {
    for (const [field, value] of intentFields(input)) setAt(artifact, `intent.${field}`, value);
    if (textAt(artifact, "workflow_type") === "PLAN") {
      // Kept once it is there: a plan may carry it already.
      if (textAt(artifact, "plan_file_stem") === null) {
        setAt(artifact, "plan_file_stem", planFileStem(layout.root, id, artifact, host.now()));
      }
      setAt(artifact, "bakeoff_n_requested", bakeoffRequested(textAt(artifact, "user_request") ?? ""));
    }
    return { result: undefined };
  });
  return notes;
}

function judge(artifact: Artifact, options: IntentOptions): Readiness {
  return judgeReadiness(judgedIntent(artifact), {
    serialized: intentLength(artifact),
    budget: options.budget ?? DEFAULT_BUDGET,
    sourceFiles: options.sourceFiles,
    contradiction: options.contradiction,
    scenarios: options.scenarios ? scenarioTexts(artifact) : undefined,
  });
}

/** Set the gate, unless the workflow waits at another one already. */
async function halt(host: Host, layout: Layout, id: string, reason: string): Promise<readonly string[]> {
  const { notes, result } = await updateArtifact<string | null>(host, layout, id, (artifact, at) => {
    const other = pendingGate(artifact);
    if (other !== null && other !== GATE) return { result: other, write: false };
    return { result: null, events: [setGate(artifact, at, { name: GATE, reason })] };
  });
  return result === null
    ? notes
    : [...notes, `gate ${printable(result)} is set already and stays; ${GATE} was not set`];
}

function answer(id: string, artifact: Artifact, readiness: Readiness | undefined): Outcome<IntentReport> {
  const stored = mapAt(artifact, "intent");
  const data: IntentReport = {
    workflow_uuid: id,
    intent: toPlain(stored),
    plan_file_stem: textAt(artifact, "plan_file_stem"),
    bakeoff_n_requested: toPlain(fieldAt(artifact, "bakeoff_n_requested")) as number | null,
    verdict: readiness?.verdict ?? null,
    failing: readiness?.failing ?? [],
  };
  if (readiness === undefined) return { data, text: printableJson(writeLossless(stored, 2)) };
  const lines = readiness.failing.map(({ condition, item, reason }) => `${condition}: ${item}: ${reason}`);
  return {
    data,
    text: [readiness.verdict, ...lines.map(printable)].join("\n"),
    exitCode: readiness.verdict === "READY" ? 0 : 3,
  };
}
