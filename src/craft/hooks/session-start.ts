import type { Host } from "../../kernel/call/host.ts";
import { stableJigPath } from "../../kernel/shared/jig-path.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { selfCommand } from "../../runtime/self.ts";
import type { TrustedRun } from "../ledger/pointer.ts";
import { boundRun } from "./binding.ts";
import { type LedgerView, viewLedger } from "./ledger-view.ts";

/** The block for a session whose context was just compacted; "" when it drives no run (docs/spec/craft-run.md 11.2). */
export async function reorientText(host: Host): Promise<string> {
  const run = await boundRun(host, ({ source }) => source === undefined || source === "compact");
  return run === undefined ? "" : reorientBlock(run, viewLedger(run), jigWord(host));
}

/** The words that call this jig, as one shell word each. */
export function jigWord(host: Host): string {
  const [program, ...words] = selfCommand();
  return [stableJigPath(program!, host.env), ...words].map((word) => shellWord(word)).join(" ");
}

/** The block itself. */
export function reorientBlock({ runId, files }: TrustedRun, view: LedgerView, jig: string): string {
  const ledger = files.ledger;
  const lines = [
    `craft reorient — if you are not the craft orchestrator driving run ${runId}, ignore the rest. A craft sub-agent's task is still its spawn prompt: read your progress from git status, git log and your files, and never repeat a commit that landed.`,
    "Orchestrator: your context was compacted. Where the summary and the ledger differ, the ledger is right.",
    `Ledger: ${ledger}`,
    `1. Resolve again, with the flags on the run's RESOLVE: line: ${jig} craft resolve --out FILE`,
    `2. Reload what the run knew: ${jig} craft memory load; ${jig} craft intention consult; ${jig} craft driver active`,
    `3. Rebuild the state: ${jig} craft run-state ${shellWord(ledger)} --run ${runId} --resolution FILE`,
    `4. Resume every phase in flight without a second PHASE-START, then walk from next; record with ${jig} craft ledger append ${runId} PHASE`,
    `Ledger tail (last ${view.tail.length} of ${view.lines} lines of run ${runId}):`,
    ...view.tail,
  ];
  return `${lines.join("\n")}\n`;
}
