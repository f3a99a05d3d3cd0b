/** How long a workflow and its agents took, from its event log (docs/spec/flow.md 5). */
import type { JsonMap } from "../../common/lossless-json.ts";

/** Agents as the artifact names them, by the names they have in events. */
const AGENTS: Readonly<Record<string, string>> = {
  "component-builder": "builder",
  "bug-investigator": "investigator",
  "code-reviewer": "reviewer",
  "silent-failure-hunter": "hunter",
  "integration-verifier": "verifier",
};
const TIMED = ["builder", "investigator", "reviewer", "hunter", "verifier", "planner"];

export interface Durations {
  /** From its start to now; undefined when the log does not say when that was. */
  workflowSeconds: number | undefined;
  /** Of each agent's last finished run. */
  agentSeconds: Map<string, number>;
}

/** `end`: milliseconds since the epoch. What has no beginning or no end, or ends before it begins, is left out. */
export function durationsOf(events: readonly JsonMap[], end: number): Durations {
  const started = new Map<string, number>();
  const agentSeconds = new Map<string, number>();
  let begun: number | undefined;
  for (const event of events) {
    const at = momentOf(event.get("ts"));
    const name = event.get("event");
    if (at === undefined) continue;
    if (name === "workflow_started") begun ??= at;
    const agent = agentOf(event.get("agent"));
    if (agent === undefined) continue;
    if (name === "agent_started") started.set(agent, at);
    if (name === "agent_completed") {
      const seconds = secondsBetween(started.get(agent), at);
      if (seconds !== undefined) agentSeconds.set(agent, seconds);
      started.delete(agent);
    }
  }
  return { workflowSeconds: secondsBetween(begun, end), agentSeconds };
}

function agentOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const name = value.replace(/^[a-z]+:/, "");
  const agent = Object.hasOwn(AGENTS, name) ? AGENTS[name]! : name;
  return TIMED.includes(agent) ? agent : undefined;
}

/** Any ISO-8601 form. */
function momentOf(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function secondsBetween(from: number | undefined, to: number): number | undefined {
  if (from === undefined || to < from) return undefined;
  return Math.round((to - from) / 1000);
}
