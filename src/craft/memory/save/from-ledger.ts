import type { Host } from "../../../kernel/call/host.ts";
import { isObject } from "../../../kernel/text/json.ts";
import { failureLines } from "../../common/fail.ts";
import { isOneOf } from "../../common/vocabulary.ts";
import { CONCERNS, payloadOfKey } from "../store/concerns.ts";
import { NAME } from "../store/place.ts";
import type { DeltaItem } from "./delta.ts";

/** What a run's ledger says by itself (docs/spec/craft-run.md 5.7), and what of it could not be read. */
export interface Derived {
  items: DeltaItem[];
  notes: string[];
}

/** Parts and retractions of a run's record. Throws (exit 2) when the run is not open. */
export async function deltaFromLedger(host: Host, runId: string): Promise<Derived> {
  const { exitCode, stdout, stderr } = await host.run(["craft", "ledger", "show", "--json", "--", runId]);
  if (exitCode !== 0) {
    const said = stderr.trimEnd() || `${NAME}: the ledger of ${runId} cannot be read`;
    throw failureLines(said.split("\n"), 2);
  }
  const records: unknown = JSON.parse(new TextDecoder().decode(stdout));
  return deriveDelta(Array.isArray(records) ? records : []);
}

/** The same from the records of `ledger show --json`. */
export function deriveDelta(records: readonly unknown[]): Derived {
  const derived: Derived = { items: [], notes: [] };
  for (const record of records) {
    if (!isObject(record)) continue;
    const [text, line] = [String(record["text"] ?? ""), Number(record["line"] ?? 0)];
    const malformed = (what: string) =>
      derived.notes.push(`${NAME}: ledger line ${line}: malformed ${what} skipped`);
    if (text.startsWith("PART(")) {
      const part = /^PART\(\d+\): [0-9a-f]{7,40} size=(\S+) outcome=(pass|blocked)$/.exec(text);
      if (part === null) malformed("PART");
      else if (part[1] !== "?") {
        derived.items.push({
          concern: "part-sizing",
          payload: { size: part[1]!, outcome: part[2]! },
          retract: false,
        });
      }
    } else if (text.startsWith("MEMORY-RETRACT(")) {
      const [, concern, key = ""] = /^MEMORY-RETRACT\(([^()]*)\): (.*)$/.exec(text) ?? [];
      const payload = isOneOf(CONCERNS, concern) ? payloadOfKey(concern, key) : undefined;
      if (payload === undefined) malformed("MEMORY-RETRACT");
      else derived.items.push({ concern: concern!, payload, retract: true });
    }
  }
  return derived;
}
