import type { Host } from "../../kernel/call/host.ts";
import { isRuntimeSwitch } from "../../runtime/self.ts";
import { finding, ok } from "../check.ts";
import type { Check } from "../schema.ts";

/** Variables that change what the runtime does before jig begins (docs/spec/cli.md section 2, environment). */
export function examineEnvironment(host: Host): Check[] {
  const switches = Object.keys(host.env).filter(isRuntimeSwitch).sort();
  if (switches.length === 0) return [ok("environment", "no variable changes how jig starts")];
  const names = switches.join(", ");
  return [
    finding(
      "environment",
      `${names} set: the runtime obeys ${switches.length === 1 ? "it" : "them"} before jig begins and may run other code`,
      `unset ${switches.join(" ")}`,
    ),
  ];
}
