import { isReadable } from "../../kernel/call/environment.ts";
import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isRuntimeSwitch } from "../../runtime/self.ts";
import { finding, ok } from "../check.ts";
import type { Check } from "../schema.ts";

/** Variables that change what the runtime does before jig begins (docs/spec/cli.md section 2, environment). */
export function examineEnvironment(host: Host): Check[] {
  const unreadable = Object.keys(host.env).filter((name) => !isReadable(host.env, name));
  return [
    ...examineSwitches(host),
    ...unreadable.map((name) =>
      finding(
        "environment",
        `${printable(name)} is not valid UTF-8: no job starts, since its worker would get it changed`,
        `unset ${printable(name)}`,
      ),
    ),
  ];
}

function examineSwitches(host: Host): Check[] {
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
