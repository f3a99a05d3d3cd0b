import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { isoMicroseconds } from "../../kernel/text/time.ts";
import { contextUsage } from "../common/context-usage.ts";
import { fromPlain, writeLossless } from "../common/lossless-json.ts";
import type { Hook } from "./hook.ts";
import { logDecision } from "./log.ts";
import { newestWorkflow } from "./newest.ts";
import { textOf } from "./payload.ts";

/** How long a hook waits for the program that knows the context. */
export const USAGE_WAIT_MS = 1_500;

/** Save where the newest workflow is before the context is compacted (docs/spec/flow.md 15.3). */
export async function preCompact(hook: Hook): Promise<undefined> {
  const trigger = textOf(hook.payload, "trigger") ?? "auto";
  const more = async () => ({ trigger, context_usage: await contextUsage(hook.host, USAGE_WAIT_MS) });
  await saveSnapshot(hook, "precompact", more);
}

/** The same at the end of a turn; a turn that a stop hook keeps going has not ended. */
export async function stop(hook: Hook): Promise<undefined> {
  if (hook.payload["stop_hook_active"] === true) return;
  await saveSnapshot(hook, "stop", async () => ({}));
}

async function saveSnapshot(
  hook: Hook,
  source: "precompact" | "stop",
  more: () => Promise<object>,
): Promise<void> {
  const { host } = hook;
  const layout = hook.layout!;
  const newest = newestWorkflow(layout);
  if (newest === undefined) return;
  const { artifact, id } = newest;
  const snapshot = {
    ts: isoMicroseconds(host.now()),
    workflow_uuid: id,
    workflow_type: artifact.get("workflow_type") ?? null,
    phase_cursor: artifact.get("phase_cursor") ?? null,
    phase_status: artifact.get("phase_status") ?? {},
    plan_file: artifact.get("plan_file") ?? null,
    source,
    ...(await more()),
  };
  writeFileAtomic(layout.snapshot, `${writeLossless(fromPlain(snapshot))}\n`, { keepMode: true });
  const event = source === "stop" ? "stop_state_saved" : "precompact_state_saved";
  logDecision(hook, event, { wf: id, decision: "saved" });
}
