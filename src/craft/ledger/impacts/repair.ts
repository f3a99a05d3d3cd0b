import { readRecords } from "../../../kernel/files/append.ts";
import { writeRecords } from "../append.ts";
import { PREFIX } from "../fail.ts";
import type { TrustedRun } from "../pointer.ts";
import { splitLocus } from "./entry.ts";
import { isComplete, type StoredImpact } from "./store.ts";

/** Which impacts a run's ledger has a line for. */
export interface ImpactLines {
  deferred: ReadonlySet<string>;
  /** Id to the last verdict said of it. */
  triaged: ReadonlyMap<string, string>;
  filed: ReadonlySet<string>;
}

/** Look through a run's ledger for the lines that name impacts, in bounded memory. */
export function impactLines(ledger: string, runId: string): ImpactLines {
  const deferred = new Set<string>();
  const triaged = new Map<string, string>();
  const filed = new Set<string>();
  const decoder = new TextDecoder();
  readRecords(ledger, { uid: undefined }, ({ bytes }) => {
    const line = decoder.decode(bytes);
    if (!line.startsWith(`${runId} `)) return;
    const record = line.slice(line.indexOf(" ", runId.length + 1) + 1).trimStart();
    const stored = /^(DEFERRED|FILED)\(.*\): (I\d+) /.exec(record);
    if (stored !== null) (stored[1] === "DEFERRED" ? deferred : filed).add(stored[2]!);
    const judged = /^TRIAGED\((I\d+)\): (\S+) — /.exec(record);
    if (judged !== null) triaged.set(judged[1]!, judged[2]!);
  });
  return { deferred, triaged, filed };
}

export function deferredRecord(impact: { id: string; title: string; locus: string }): string {
  return `DEFERRED(${splitLocus(impact.locus).file}): ${impact.id} ${impact.title}`;
}

export function triagedRecord(id: string, verdict: string, rationale: string): string {
  return `TRIAGED(${id}): ${verdict} — ${rationale}`;
}

/**
 * Append the lines that a crash between the store's write and the ledger's left out. Gives what was said on stderr
 * (docs/spec/craft-run.md 2.9, Repair). The caller holds the run directory's lock.
 */
export function repairLines(run: TrustedRun, impacts: readonly StoredImpact[], lines: ImpactLines): string[] {
  const notes: string[] = [];
  for (const impact of impacts) {
    if (!isComplete(impact)) continue;
    if (!lines.deferred.has(impact.id)) {
      writeRecords(run, impact.phase, [deferredRecord(impact)], true);
      notes.push(`${PREFIX}restored DEFERRED line for ${impact.id}`);
    }
    const { verdict } = impact;
    if (verdict?.rationale !== undefined && lines.triaged.get(impact.id) !== verdict.verdict) {
      writeRecords(
        run,
        "impact-triage",
        [triagedRecord(impact.id, verdict.verdict, verdict.rationale)],
        true,
      );
      notes.push(`${PREFIX}restored TRIAGED line for ${impact.id}`);
    }
  }
  return notes;
}
