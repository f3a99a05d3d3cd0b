/** What happened, said in a history and in the event log alike (docs/spec/flow.md 6.3). */
import type { EventFields } from "./events.ts";
import { type Artifact, appendAt } from "./read.ts";

export type HistoryName = "status_history" | "remediation_history";

/**
 * Append an entry to a history: event and moment first, then what is known. Gives the event for the log, where keys
 * that are unknown are null.
 */
export function record(
  artifact: Artifact,
  at: string,
  fields: EventFields,
  history: HistoryName = "status_history",
): EventFields {
  const { event, ts: _, ...rest } = fields;
  const known = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
  appendAt(artifact, history, Object.fromEntries([["event", event], ["ts", at], ...known]));
  return { ...fields, ts: at };
}
