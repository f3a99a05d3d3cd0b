/** `jig flow phase WF …` (docs/spec/flow.md 6.5). */
import { JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { table } from "../../kernel/text/table.ts";
import { PHASE_STATUSES, type PhaseStatus } from "../artifact/fields.ts";
import { type Artifact, setAt, textAt } from "../artifact/read.ts";
import { record } from "../artifact/record.ts";
import { readArtifact, updateArtifact } from "../artifact/store.ts";
import { textOrFile } from "../common/arguments.ts";
import { type Layout, layoutOf } from "../common/layout.ts";
import { fromPlain, type JsonMap } from "../common/lossless-json.ts";
import { noted } from "../common/notes.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import { phaseExit } from "./checks.ts";
import { insertStep, keyForNew, LAST_STEP, stepName } from "./order.ts";
import { firstUnfinished, phaseRows, planPhases, runnable } from "./phase-rows.ts";
import type { AddedStep, Advanced, ChangedPhase, PhaseList } from "./schema.ts";
import { isFinished, isPhaseStatus, nextStatuses, type PhaseKind } from "./transitions.ts";

export interface PhaseArgs {
  wf: string;
  project?: string | undefined;
  reason?: string | undefined;
  "reason-file"?: string | undefined;
  after: readonly string[];
  before: readonly string[];
  reopen: boolean;
}

export function place(
  host: Host,
  args: Pick<PhaseArgs, "wf" | "project">,
  purpose: "read" | "write",
): { layout: Layout; wf: string } {
  const layout = layoutOf(projectRoot(host, args.project));
  return { layout, wf: findWorkflow(layout, args.wf, purpose) };
}

const STEP = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

export async function phaseAdd(host: Host, step: string, args: PhaseArgs): Promise<Outcome<AddedStep>> {
  if (!STEP.test(step)) {
    throw new UsageError(
      `step ${printable(JSON.stringify(step))}: expected a letter, then letters, digits and ._-, at most 64 in all`,
    );
  }
  if (args.after.some((key) => stepName(key) === LAST_STEP)) {
    throw new UsageError(`--after ${LAST_STEP}: it comes after every other step`);
  }
  const { layout, wf } = place(host, args, "write");
  const { result: key, notes } = await updateArtifact(host, layout, wf, (artifact) => ({
    result: addStep(artifact, step, args),
  }));
  const data = { workflow_uuid: wf, key, after: [...args.after], before: [...args.before] };
  return { data, text: key, notes: noted(host, notes) };
}

type Between = Pick<PhaseArgs, "after" | "before">;

function addStep(artifact: Artifact, step: string, { after, before }: Between): string {
  const plan = new Set(planPhases(artifact).map(({ id }) => id));
  for (const word of [step, ...after, ...before]) {
    if (plan.has(word)) throw new UsageError(`${printable(word)} is a phase of the plan, not a step`);
  }
  const statuses = ownMap(artifact, "phase_status");
  const missing = [...after, ...before].find((key) => !statuses.has(key));
  if (missing !== undefined) throw noPhase(missing, statuses);
  refuseCrossed(statuses, { after, before });
  const key = keyForNew(statuses, step);
  if (key === undefined) {
    throw new JigError(`${step} is there already and not finished; nothing was changed`, {
      hint: "finish it first (jig flow phase WF set)",
    });
  }
  insertStep(statuses, key, before);
  if (after.length > 0) ownMap(artifact, "phase_after").set(key, fromPlain([...after]));
  // A step without a list waits for all that stands before it, the new one too.
  for (const later of new Set(before)) {
    const list = ownMap(artifact, "phase_after").get(later);
    if (Array.isArray(list)) list.push(key);
  }
  return key;
}

/** Every step waits for earlier ones alone, so that none can wait for itself. */
function refuseCrossed(statuses: JsonMap, { after, before }: Between): void {
  const ended = before.find((key) => isFinished(statuses.get(key)));
  if (ended !== undefined) {
    throw new JigError(`--before ${printable(ended)}: it is finished; nothing was changed`, {
      hint: "name a step that has yet to run",
    });
  }
  const order = [...statuses.keys()];
  const first = order.findIndex((key) => before.includes(key));
  const late = first < 0 ? undefined : after.find((key) => order.indexOf(key) >= first);
  if (late === undefined) return;
  throw new JigError(
    `--after ${printable(late)}: it does not stand before ${printable(order[first]!)}; nothing was changed`,
  );
}

/** An object of the artifact, made when it is missing. */
export function ownMap(artifact: Artifact, name: string): JsonMap {
  const there = artifact.get(name);
  if (there instanceof Map) return there;
  if (there !== undefined && there !== null) throw new JigError(`${name} of the artifact is no object`);
  const made: JsonMap = new Map();
  artifact.set(name, made);
  return made;
}

function noPhase(key: string, statuses: JsonMap): JigError {
  const there = statuses.size === 0 ? "there are none" : [...statuses.keys()].slice(0, 20).join(", ");
  return new JigError(`no phase ${printable(key)}: ${printable(there)}`);
}

export async function phaseSet(
  host: Host,
  key: string,
  status: string,
  args: PhaseArgs,
): Promise<Outcome<ChangedPhase>> {
  if (!isPhaseStatus(status)) {
    throw new UsageError(`status ${printable(status)}: expected one of ${PHASE_STATUSES.join(", ")}`);
  }
  const names = ["--reason", "--reason-file"] as const;
  const reason = await textOrFile(host, { text: args.reason, file: args["reason-file"], names });
  const { layout, wf } = place(host, args, "write");
  const { result, notes } = await updateArtifact(host, layout, wf, (artifact, at) => {
    const { kind, from } = changeStatus(artifact, key, status, args.reopen);
    const result = { workflow_uuid: wf, key, kind, from, to: status };
    if (from === status) return { result, write: false };
    const event = { event: "phase_status_changed", phase: key, reason: reason ?? null, from, to: status };
    return { result, events: [record(artifact, at, event)] };
  });
  const text = result.from === status ? `${key}: ${status} already` : `${key}: ${result.from} -> ${status}`;
  return { data: result, text: printable(text), notes: noted(host, notes) };
}

/** What a status was; the same again is no transition and changes nothing. */
function changeStatus(
  artifact: Artifact,
  key: string,
  to: PhaseStatus,
  reopen: boolean,
): { kind: PhaseKind; from: string } {
  const kind = planPhases(artifact).some(({ id }) => id === key) ? "plan" : "step";
  const statuses = ownMap(artifact, "phase_status");
  const there = statuses.get(key) ?? (kind === "plan" ? "pending" : undefined);
  if (there === undefined) throw noPhase(key, statuses);
  const from = typeof there === "string" ? there : JSON.stringify(there);
  if (from === to) return { kind, from };
  const allowed = nextStatuses(kind, from, reopen);
  if (!allowed.includes(to)) {
    const next = allowed.length === 0 ? "nothing without --reopen" : allowed.join(", ");
    throw new JigError(
      `${printable(key)} is ${printable(from)} and cannot become ${to}; nothing was changed`,
      {
        hint: `${printable(from)} leads to ${next}`,
      },
    );
  }
  statuses.set(key, to);
  return { kind, from };
}

export function phaseNext(host: Host, args: PhaseArgs): Outcome {
  const { layout, wf } = place(host, args, "read");
  const keys = runnable(readArtifact(layout, wf));
  return { data: { workflow_uuid: wf, runnable: keys }, text: keys.map(printable).join("\n") };
}

export async function phaseAdvance(host: Host, args: PhaseArgs): Promise<Outcome<Advanced>> {
  const { layout, wf } = place(host, args, "write");
  const { result, notes } = await updateArtifact(host, layout, wf, (artifact, at) => {
    const from = textAt(artifact, "phase_cursor");
    const reasons = [...(from === null ? ["no cursor"] : []), ...phaseExit(artifact)];
    if (reasons.length > 0) return { result: { from, to: from, reasons }, write: false };
    const to = firstUnfinished(artifact);
    setAt(artifact, "phase_cursor", to);
    // The proof of one phase is none of the next.
    if (to !== null) setAt(artifact, "proof_status", "gaps_found");
    const event = { event: "phase_exit_gate_passed", phase: from, decision: "pass", next: to };
    return { result: { from, to, reasons }, events: [record(artifact, at, event)] };
  });
  const failed = result.reasons.length > 0;
  const said = failed ? [`the cursor stays at ${result.from ?? "none"}`, ...result.reasons] : [];
  return {
    data: { workflow_uuid: wf, advanced: !failed, ...result },
    text: failed || result.to === null ? "" : printable(result.to),
    notes: noted(host, [...notes, ...said]),
    exitCode: failed ? 1 : 0,
  };
}

export function phaseList(host: Host, args: PhaseArgs): Outcome<PhaseList> {
  const { layout, wf } = place(host, args, "read");
  const artifact = readArtifact(layout, wf);
  const cursor = textAt(artifact, "phase_cursor");
  const phases = phaseRows(artifact);
  const rows = phases.map(({ key, kind, status, runnable: mayRun, waits_for }) => [
    key,
    kind,
    status,
    key === cursor
      ? "cursor"
      : mayRun
        ? "runnable"
        : waits_for.length > 0
          ? `after ${waits_for.join(", ")}`
          : "",
  ]);
  return {
    data: { workflow_uuid: wf, phase_cursor: cursor, phases },
    text: (terminal) => table(["KEY", "KIND", "STATUS", "NOW"], rows, terminal),
  };
}
