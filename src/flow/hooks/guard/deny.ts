import { JigError, osReason } from "../../../kernel/call/errors.ts";
import type { JsonObject } from "../../../kernel/text/json.ts";
import type { HookAnswer } from "../hook.ts";
import { logDecision } from "../log.ts";
import type { Mode } from "../mode.ts";
import { countDenial, forgetDenials } from "./denials.ts";
import type { Guard } from "./guard.ts";
import { denialText, reasonList, type Tool, type Violation } from "./texts.ts";

/** What a call is and what it comes to. */
export interface Judged {
  tool: Tool;
  /** `path` or `command`, for the log. */
  about: JsonObject;
  /** Denied whatever the mode. */
  always: readonly Violation[];
  /** Denied in mode `block`. */
  byMode: readonly Violation[];
  mode: () => Mode;
  /** Memory that the permit lets be written. */
  permitted?: readonly Violation[];
  /** The files that are written when the call is allowed. */
  written: readonly string[];
}

/** Deny, or allow and say so in the log where that is worth a line (docs/spec/flow.md 15.3). */
export async function decide(guard: Guard, judged: Judged): Promise<HookAnswer | undefined> {
  const { about, always, byMode, permitted = [], tool, written } = judged;
  const mode = byMode.length > 0 ? judged.mode() : "block";
  const denied = mode === "block" ? [...byMode, ...always] : always;
  const log = (decision: string, reasons: readonly Violation[]) =>
    logDecision(guard.hook, "pretool_guard", {
      tool_name: guard.tool,
      ...about,
      decision,
      reason: reasonList(reasons),
    });
  if (denied.length > 0) {
    const paths = denied.slice(0, MOST_COUNTED).map(({ path }) => path);
    const repeated = (await counted(guard, countDenial, paths)) === true;
    log(repeated ? "deny-escalated" : "deny", denied);
    return denial(denialText(tool, denied, repeated));
  }
  if (byMode.length > 0) log(mode === "audit" ? "audit" : "audit-unrecognized-config-value", byMode);
  else if (permitted.length > 0) log("permit", permitted);
  await counted(guard, forgetDenials, written);
  return undefined;
}

export function denial(text: string): HookAnswer {
  return {
    say: {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: text,
      },
    },
  };
}

/** Targets of one command that are counted. */
const MOST_COUNTED = 100;

/** Counting is a check like any other: one that fails is skipped. */
function counted<T>(
  guard: Guard,
  count: (attempt: Parameters<typeof countDenial>[0]) => Promise<T>,
  paths: readonly string[],
): Promise<T | undefined> | undefined {
  const { host, layout } = guard.hook;
  if (layout === undefined || paths.length === 0) return undefined;
  return attempt(guard, () => count({ host, layout, session: guard.session, paths }));
}

/** A check whose failure is logged and counts as nothing found. */
export async function attempt<T>(guard: Guard, check: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch (error) {
    const reason = error instanceof JigError ? error.message : osReason(error);
    logDecision(guard.hook, "pretool_guard_parse_error", {
      tool_name: guard.tool,
      decision: "skipped",
      reason,
    });
    return undefined;
  }
}
