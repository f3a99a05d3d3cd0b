/** The action of `jig flow gate WF ACTION`, with the words that belong to it (docs/spec/flow.md 7.1 and 7.2). */
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { refuseOthers } from "../common/usage.ts";
import type { GateArgs } from "./gate.ts";

interface Words {
  flags: Omit<GateArgs, "wf">;
  positionals: readonly string[];
}

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  set: ["reason", "reason-file", "holder", "output-file", "replace"],
  clear: ["reason", "reason-file"],
  show: [],
  check: [],
};

export async function gateAction(host: Host, { flags, positionals }: Words): Promise<Outcome> {
  const [wf, action, name] = positionals as [string, string, string | undefined];
  refuseOthers(`gate ${action}`, flags, FLAGS[action]!, action === "show" ? [name] : []);
  const args = { wf, ...flags };
  if (action === "check") return (await import("./check.ts")).gateCheck(host, name, args);
  const verbs = await import("./gate.ts");
  if (action === "set") return verbs.gateSet(host, name, args);
  return action === "clear" ? verbs.gateClear(host, name, args) : verbs.gateShow(host, args);
}
