/** `jig flow phase WF load` (docs/spec/flow.md 6.5): the plan's phases become the workflow's. */
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { EventFields } from "../artifact/events.ts";
import { type Artifact, setAt } from "../artifact/read.ts";
import { record } from "../artifact/record.ts";
import { updateArtifact } from "../artifact/store.ts";
import { readInput } from "../common/arguments.ts";
import { JsonSyntaxError, type JsonValue, parseLossless, sameJson } from "../common/lossless-json.ts";
import { noted } from "../common/notes.ts";
import { needsExitCriteria } from "./checks.ts";
import { ownMap, place } from "./phase.ts";
import { firstUnfinished, planPhases } from "./phase-rows.ts";
import { type PlanPhase, readPlanPhases } from "./plan-phases.ts";
import type { LoadedPhases } from "./schema.ts";

export interface LoadArgs {
  wf: string;
  project?: string | undefined;
  from: string;
  /** Phases that have started stay as they are; the others are replaced. */
  replace: boolean;
}

export async function phaseLoad(host: Host, args: LoadArgs): Promise<Outcome<LoadedPhases>> {
  const value = parse(await readInput(host, args.from), args.from);
  const { layout, wf } = place(host, args, "write");
  const { result, notes } = await updateArtifact(host, layout, wf, (artifact, at) => {
    const phases = readPlanPhases(value, args.from, needsExitCriteria(artifact));
    const { dropped, kept, differs } = replacePhases(artifact, phases, args.replace);
    const cursor = firstUnfinished(artifact);
    setAt(artifact, "phase_cursor", cursor);
    const ids = planPhases(artifact).map(({ id }) => id);
    const event: EventFields = { event: "phases_loaded", phase: cursor, phases: ids, dropped, kept };
    const result = { phases: ids, dropped, kept, differs, phase_cursor: cursor };
    return { result, events: [record(artifact, at, event)] };
  });
  const { differs, ...loaded } = result;
  const ignored = differs.map(
    (id) => `${id} has started and stays as it was; what ${args.from} says of it was left out`,
  );
  return {
    data: { workflow_uuid: wf, ...loaded },
    text: printable(loaded.phase_cursor ?? ""),
    notes: noted(host, [...notes, ...ignored]),
  };
}

function parse(text: string, file: string): JsonValue {
  try {
    return parseLossless(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const where = `line ${error.line}, column ${error.column}`;
    throw new JigError(`${printable(file)}: ${where}: not JSON: ${error.message}`);
  }
}

/** Started phases stay, where the new plan names them or else at its beginning; the rest of the old plan goes. */
function replacePhases(artifact: Artifact, phases: readonly PlanPhase[], replace: boolean) {
  const statuses = ownMap(artifact, "phase_status");
  const old = planPhases(artifact);
  const started = new Map(
    old.filter(({ id }) => (statuses.get(id) ?? "pending") !== "pending").map(({ id, phase }) => [id, phase]),
  );
  if (started.size > 0 && !replace) {
    throw new JigError(`phase ${printable([...started.keys()][0]!)} has started; nothing was changed`, {
      hint: "--replace keeps what has started and replaces the rest",
    });
  }
  const oldIds = new Set(old.map(({ id }) => id));
  const newIds = new Set(phases.map(({ id }) => id));
  const step = phases.find(({ id }) => statuses.has(id) && !oldIds.has(id));
  if (step !== undefined)
    throw new JigError(`${step.id} is a step of the workflow already; nothing was changed`);
  const before = [...started].filter(([id]) => !newIds.has(id)).map(([, phase]) => phase);
  const after = phases.map(({ id, phase }) => started.get(id) ?? phase);
  artifact.set("normalized_phases", [...before, ...after]);
  const dropped = [...oldIds].filter((id) => !newIds.has(id) && !started.has(id));
  for (const id of dropped) statuses.delete(id);
  for (const { id } of phases) if (!statuses.has(id)) statuses.set(id, "pending");
  const differs = phases.filter(({ id, phase }) => started.has(id) && !sameJson(started.get(id)!, phase));
  return { dropped, kept: [...started.keys()], differs: differs.map(({ id }) => id) };
}
