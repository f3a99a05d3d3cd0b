import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { isoSeconds } from "../../../kernel/text/time.ts";
import { reasonOf } from "../../common/fail.ts";
import { readRunPayload } from "../../common/payload.ts";
import { requireRunId, shown } from "../../common/run-words.ts";
import { writeRecords } from "../append.ts";
import { requireRunDirectory } from "../directory.ts";
import { ledgerFailure, PREFIX } from "../fail.ts";
import { withRunLock } from "../lock.ts";
import { requireOpenRun } from "../pointer.ts";
import { appendToStore, storedImpacts } from "./defer.ts";
import { IMPACT_ID, MAX_VERDICT_BYTES, readVerdicts } from "./entry.ts";
import { impactLines, repairLines, triagedRecord } from "./repair.ts";
import { isComplete, verdictLines } from "./store.ts";

export interface VerdictOptions {
  runId: string;
  id: string | undefined;
  from: string | undefined;
}

/** Store judgements of deferred findings, all or none, then say so in the ledger (docs/spec/craft-run.md 2.10). */
export async function verdict(host: Host, options: VerdictOptions): Promise<Outcome<{ ids: string[] }>> {
  const runId = requireRunId(PREFIX, options.runId);
  const { id } = options;
  if (id !== undefined && !IMPACT_ID.test(id)) throw ledgerFailure(`invalid impact id: ${shown(id)}`, 2);
  const directory = await requireRunDirectory(host);
  requireOpenRun(directory, runId, host.now());
  const read = readVerdicts(await readRunPayload(host, PREFIX, options.from, MAX_VERDICT_BYTES), id);
  if (!read.ok) throw ledgerFailure(shown(read.problem), 2);
  return withRunLock(directory, () => {
    const run = requireOpenRun(directory, runId, host.now());
    const impacts = storedImpacts(run.files.impacts);
    const known = new Map(impacts.map((impact) => [impact.id, impact]));
    for (const entry of read.value) {
      const impact = known.get(entry.id);
      if (impact === undefined) throw ledgerFailure(`unknown impact id: ${entry.id}; nothing was written`, 2);
      if (!isComplete(impact))
        throw ledgerFailure(`impact ${entry.id} is incomplete; defer the finding again`, 2);
    }
    const notes = repairLines(run, impacts, impactLines(run.files.ledger, runId));
    const at = isoSeconds(host.now());
    appendToStore(
      run.files.impacts,
      read.value.flatMap((entry) => verdictLines(entry, at)),
    );
    const ids = read.value.map((entry) => entry.id);
    try {
      const records = read.value.map((entry) => triagedRecord(entry.id, entry.verdict, entry.rationale));
      writeRecords(run, "impact-triage", records, true);
    } catch (error) {
      const said = reasonOf(error).replace(PREFIX, "");
      throw ledgerFailure(`${said}; the verdicts of ${ids.join(", ")} are stored, run it again`);
    }
    return { data: { ids }, text: ids.join("\n"), notes };
  });
}
