import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import { createExclusive } from "../../../kernel/files/atomic.ts";
import { randomHex } from "../../../kernel/text/random.ts";
import { compactSeconds, isoSeconds } from "../../../kernel/text/time.ts";
import { textAt } from "../../artifact/read.ts";
import { record } from "../../artifact/record.ts";
import { updateArtifact } from "../../artifact/store.ts";
import { fromPlain } from "../../common/lossless-json.ts";
import type { Gate } from "../run/gate.ts";
import { FINAL_MODES } from "../run/identify.ts";
import { type Identity, note } from "../run/run.ts";
import type { FinalizeReport } from "../run/schema.ts";

const LONGEST_OUTPUT = 8000;
const MOST_PATHS = 200;

/**
 * Write a gate into the artifact and the log, in this order; false when the workflow was finalized meanwhile, and needs
 * none (docs/spec/flow-worktree.md 5.1). Throws when the artifact cannot be written.
 */
export async function setGate(
  run: Identity & { report: FinalizeReport },
  { gate, facts }: Gate,
): Promise<boolean> {
  const { host, layout, wf } = run;
  const output = facts.output === undefined ? null : shortened(run, facts.output);
  const detail = {
    reason: facts.reason,
    holder: facts.holder ?? null,
    failed_command: facts.failedCommand ?? null,
    output,
    paths: (facts.paths ?? []).slice(0, MOST_PATHS),
    set_at: isoSeconds(host.now()),
  };
  const { result } = await updateArtifact(host, layout, wf, (artifact, at) => {
    if (FINAL_MODES.includes(textAt(artifact, "worktree_mode") ?? "")) return { result: false, write: false };
    artifact.set("pending_gate", gate);
    artifact.set("pending_gate_detail", fromPlain(detail));
    // The log gets the event with all its facts, below.
    record(artifact, at, {
      event: "gate_set",
      phase: textAt(artifact, "phase_cursor"),
      reason: facts.reason,
      gate,
    });
    return { result: true };
  });
  if (!result) return false;
  note(run, {
    event: "gate_set",
    decision: gate,
    gate,
    reason: facts.reason.slice(0, LONGEST_OUTPUT),
    holder: detail.holder,
    failed_command: detail.failed_command,
    output,
    paths: detail.paths,
    ...(facts.operation === undefined ? {} : { operation: facts.operation }),
    ...(facts.wouldOverwrite === undefined
      ? {}
      : { would_overwrite: facts.wouldOverwrite.slice(0, MOST_PATHS) }),
    ...(facts.diverged === undefined ? {} : { diverged: facts.diverged.slice(0, MOST_PATHS) }),
  });
  return true;
}

/** Long output is cut, and kept in full in a file of its own. */
function shortened(
  { host, layout, wf, report }: Identity & { report: FinalizeReport },
  output: string,
): string {
  if (output.length <= LONGEST_OUTPUT) return output;
  const directory = layout.memory(wf);
  const stamp = compactSeconds(host.now());
  try {
    mkdirSync(directory, { recursive: true });
    for (const name of [`finalize-${stamp}.log`, `finalize-${stamp}-${randomHex(4)}.log`]) {
      if (createExclusive(join(directory, name), `${output}\n`, 0o600)) {
        return `${output.slice(0, LONGEST_OUTPUT)}\n[cut here; all of it is in ${join(directory, name)}]`;
      }
    }
  } catch (error) {
    if (!(error instanceof JigError) && !(error instanceof Error)) throw error;
    report.warnings.push(`the whole output could not be kept: ${(error as Error).message}`);
  }
  return `${output.slice(0, LONGEST_OUTPUT)}\n[cut here]`;
}
