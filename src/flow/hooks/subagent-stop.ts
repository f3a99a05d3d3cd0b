import { checkContract } from "../routing/contract.ts";
import type { Hook } from "./hook.ts";
import { logDecision } from "./log.ts";
import { textOf } from "./payload.ts";

/** Log whether an agent of a workflow ended with its contract, and whether that is valid (docs/spec/flow.md 15.3). */
export function subagentStop(hook: Hook): undefined {
  const { payload } = hook;
  const type = textOf(payload, "agent_type") ?? "";
  const message = textOf(payload, "last_assistant_message") ?? "";
  const ours = type.startsWith("craftflow:") || type.startsWith("jig:");
  if (!ours && !message.includes("CRAFTFLOW") && !message.includes("Router Contract")) return;
  const found = message.includes("CONTRACT {");
  const report = found ? checkContract(type.slice(type.indexOf(":") + 1), message) : undefined;
  const agent = { agent_type: type, agent_id: textOf(payload, "agent_id") ?? null };
  logDecision(hook, "subagent_stop", {
    ...agent,
    transcript_path: textOf(payload, "agent_transcript_path") ?? textOf(payload, "transcript_path") ?? null,
    contract_found: found,
    ...(report === undefined ? {} : { contract_valid: report.valid, contract_errors: shown(report.errors) }),
    message_len: message.length,
    decision: "audit",
    reason: found ? "contract_present" : "contract_missing",
  });
  if (report?.valid === false) {
    logDecision(hook, "contract_invalid", {
      ...agent,
      decision: "audit",
      reason: shown(report.errors).join("; "),
    });
  }
}

const MOST_ERRORS = 20;

/** A list of thousands of bad items says no more than its beginning. */
function shown(errors: readonly string[]): string[] {
  return errors.slice(0, MOST_ERRORS);
}
