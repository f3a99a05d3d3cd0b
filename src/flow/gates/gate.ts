/** `jig flow gate WF set|clear|show` (docs/spec/flow.md 7.1). */
import { EXIT, JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { type Artifact, fieldAt, pendingGate } from "../artifact/read.ts";
import { type Change, readArtifact, updateArtifact } from "../artifact/store.ts";
import { textOrFile } from "../common/arguments.ts";
import { type Layout, layoutOf } from "../common/layout.ts";
import { toPlain } from "../common/lossless-json.ts";
import { noted } from "../common/notes.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import { type GateOutput, keepOutput } from "./gate-output.ts";
import { GATE_NAMES, isGateName, isKnownGate } from "./gate-table.ts";
import { clearGate, type Gate, setGate } from "./pending.ts";
import type { GateState } from "./schema.ts";

export interface GateArgs {
  wf: string;
  project?: string | undefined;
  reason?: string | undefined;
  "reason-file"?: string | undefined;
  holder?: string | undefined;
  "output-file"?: string | undefined;
  /** Another gate may be set: it is cleared first. */
  replace: boolean;
}

const reasonOf = (host: Host, args: GateArgs) =>
  textOrFile(host, {
    text: args.reason,
    file: args["reason-file"],
    names: ["--reason", "--reason-file"],
  });

export async function gateSet(host: Host, name: string | undefined, args: GateArgs): Promise<Outcome> {
  if (name === undefined || !isGateName(name)) {
    throw new UsageError(
      `${name === undefined ? "gate set needs a name" : `gate ${printable(name)}: not a name`}`,
      {
        hint: `a gate is one of ${GATE_NAMES.join(", ")}, or another lower-case name`,
      },
    );
  }
  const reason = await reasonOf(host, args);
  const { layout, wf } = place(host, args);
  const file = args["output-file"];
  const output = file === undefined ? undefined : await keepOutput(host, layout, wf, name, file);
  const gate: Gate = { name, reason, holder: args.holder, details: output?.details };
  const { result, notes } = await settle(output, () =>
    updateArtifact(host, layout, wf, (artifact, at) => changeTo(artifact, at, gate, args.replace)),
  );
  const unknown = isKnownGate(name)
    ? []
    : [`${host.prefix}${name} is no gate that jig knows; it is set all the same`];
  return {
    data: { ...result, workflow_uuid: wf, output_path: output?.path ?? null },
    text: name,
    notes: [...unknown, ...noted(host, notes)],
  };
}

/** A stored output does not outlive a gate that could not be set. */
async function settle<T>(output: GateOutput | undefined, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    output?.undo();
    throw error;
  }
}

function changeTo(artifact: Artifact, at: string, gate: Gate, replace: boolean): Change<GateState> {
  const current = pendingGate(artifact);
  const isOther = current !== null && current !== gate.name;
  if (isOther && !replace) {
    throw new JigError(`the gate ${printable(current)} is set; nothing was changed`, {
      exitCode: EXIT.notThisTime,
      hint: "end it first (jig flow gate WF clear), or --replace clears it",
    });
  }
  const cleared = isOther ? clearGate(artifact, at, `replaced by ${gate.name}`) : [];
  return { events: [...cleared, setGate(artifact, at, gate)], result: stateOf(artifact) };
}

export async function gateClear(host: Host, name: string | undefined, args: GateArgs): Promise<Outcome> {
  const reason = await reasonOf(host, args);
  const { layout, wf } = place(host, args);
  const { result, notes } = await updateArtifact(host, layout, wf, (artifact, at) => {
    const current = pendingGate(artifact);
    if (current !== null && name !== undefined && name !== current) {
      throw new JigError(`the gate that is set is ${printable(current)}, not ${printable(name)}`);
    }
    const events = clearGate(artifact, at, reason);
    return { events, write: events.length > 0, result: { ...stateOf(artifact), cleared: current } };
  });
  const text = result.cleared === null ? "none" : `cleared ${printable(result.cleared)}`;
  return { data: { ...result, workflow_uuid: wf }, text, notes: noted(host, notes) };
}

export function gateShow(host: Host, args: GateArgs): Outcome {
  const layout = layoutOf(projectRoot(host, args.project));
  const wf = findWorkflow(layout, args.wf, "read");
  const state = stateOf(readArtifact(layout, wf));
  return {
    data: { ...state, workflow_uuid: wf },
    text: printable(state.pending_gate ?? "none"),
    exitCode: state.pending_gate === null ? EXIT.done : EXIT.notThisTime,
  };
}

function stateOf(artifact: Artifact): GateState {
  const detail = fieldAt(artifact, "pending_gate_detail");
  return {
    pending_gate: pendingGate(artifact),
    pending_gate_detail: detail instanceof Map ? (toPlain(detail) as Record<string, unknown>) : null,
  };
}

function place(host: Host, args: GateArgs): { layout: Layout; wf: string } {
  const layout = layoutOf(projectRoot(host, args.project));
  return { layout, wf: findWorkflow(layout, args.wf, "write") };
}
