import { isoMicroseconds } from "../../kernel/text/time.ts";
import { appendEvents } from "../artifact/events.ts";
import { contextUsage } from "../common/context-usage.ts";
import { workflowsByAge } from "../common/workflow.ts";
import type { Hook } from "./hook.ts";
import { textOf } from "./payload.ts";
import { USAGE_WAIT_MS } from "./snapshot.ts";

const SUMMARY_CHARACTERS = 200;

/** Note in the newest workflow's event log that the context was compacted (docs/spec/flow.md 15.3). */
export async function postCompact({ host, layout, payload }: Hook): Promise<undefined> {
  const newest = workflowsByAge(layout!)[0];
  if (newest === undefined) return;
  const summary = textOf(payload, "compact_summary");
  appendEvents(host, layout!, newest.id, [
    {
      event: "compact_occurred",
      ts: isoMicroseconds(host.now()),
      phase: "unknown",
      agent: "hook",
      decision: "logged",
      reason: textOf(payload, "trigger") ?? "auto",
      details: summary === undefined ? null : firstCharacters(summary, SUMMARY_CHARACTERS),
      context_usage: await contextUsage(host, USAGE_WAIT_MS),
    },
  ]);
}

function firstCharacters(text: string, count: number): string {
  return [...text.slice(0, count * 2)].slice(0, count).join("");
}
