import type { Host } from "../../kernel/call/host.ts";
import type { TrustedRun } from "../ledger/pointer.ts";
import { boundRun } from "./binding.ts";
import { type LedgerView, phaseList, viewLedger } from "./ledger-view.ts";

/** What the summariser is told before a compaction; "" when the session drives no run (docs/spec/craft-run.md 11.3). */
export async function compactionText(host: Host): Promise<string> {
  const run = await boundRun(host);
  return run === undefined ? "" : compactionNote(run, viewLedger(run));
}

/** The note itself: the summariser chooses its line by what the conversation holds. */
export function compactionNote({ runId, files }: TrustedRun, view: LedgerView): string {
  const lines = [
    `craft compaction note: craft run ${runId}. Follow the one line below that fits this conversation.`,
    `If it is the craft orchestrator's (it calls the run ledger), keep verbatim: run-id ${runId}; ledger ${files.ledger}; phase(s) in flight: ${phaseList(view)}; every commit hash that landed; every question to the user that is unanswered; and the sentence: The run ledger outranks this summary.`,
    "If it is a craft sub-agent (it opens with a spawn prompt and never calls the ledger), keep the task statement, the files written, the commits landed and the last step done; name neither the run nor its ledger.",
    "If neither, ignore this note.",
  ];
  return `${lines.join("\n")}\n`;
}
