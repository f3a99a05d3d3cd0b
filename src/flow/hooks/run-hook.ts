import { JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { type Hook, type HookAnswer, hookOf } from "./hook.ts";
import { readPayload } from "./payload.ts";

/** What an event does; undefined says nothing. */
export type HookAction = (hook: Hook) => HookAnswer | undefined | Promise<HookAnswer | undefined>;

/**
 * A hook's outcome: its answer, or nothing. Exit 2 only when it stops what is under way; an error is logged and allows
 * (docs/spec/flow.md 15.1). `action` is loaded only for a project with state, unless the event looks at others as well.
 */
export async function runHook(
  host: Host,
  event: string,
  load: () => Promise<HookAction>,
  options: { everywhere?: boolean } = {},
): Promise<Outcome> {
  let hook: Hook | undefined;
  try {
    hook = hookOf(host, await readPayload(host));
    if (hook.layout === undefined && !options.everywhere) return nothing();
    const action = await load();
    const answer = await action(hook);
    if (answer?.stop !== undefined) return { ...nothing(), exitCode: 2, notes: [answer.stop] };
    if (answer?.say === undefined) return nothing();
    const { pythonJson } = await import("../../kernel/text/python-json.ts");
    return { data: answer.say, text: pythonJson(answer.say) };
  } catch (error) {
    await reportError(hook, event, error);
    return nothing();
  }
}

const nothing = (): Outcome => ({ data: null, text: "" });

async function reportError(hook: Hook | undefined, event: string, error: unknown): Promise<void> {
  if (hook === undefined) return;
  const { logDecision } = await import("./log.ts");
  const reason = error instanceof JigError ? error.message : osReason(error);
  logDecision(hook, "hook_error", { hook: event, decision: "allow", reason });
}
