import { appendRecords } from "../../kernel/files/append.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { pythonJson } from "../../kernel/text/python-json.ts";
import { isoMicroseconds } from "../../kernel/text/time.ts";
import type { Hook } from "./hook.ts";

/** Longest text of a line: a command may have megabytes. */
const LONGEST_TEXT = 2_000;

/** Write a decision into the hook log, if the project has state. What cannot be written stops nobody (docs/spec/flow.md 15.1). */
export function logDecision({ host, layout }: Hook, event: string, fields: JsonObject): void {
  if (layout === undefined) return;
  const line = pythonJson({
    ts: isoMicroseconds(host.now()),
    event,
    state_version: "v10",
    ...shortened(fields),
  });
  try {
    appendRecords(layout.hookLog, [line], { create: 0o644, unflushed: true });
  } catch {
    // A full disk, or something that is no log: the decision itself stands.
  }
}

function shortened(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === "string" && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value,
    ]),
  );
}
