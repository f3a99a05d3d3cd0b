import type { Command, Group, NumberFlag, Positional, StringFlag } from "../../kernel/call/command.ts";
import { flagsOf } from "../parse/parse.ts";

/** How a positional is shown: `REF...` when it repeats. */
export function positionalName(positional: Positional): string {
  return positional.repeat ? `${positional.name}...` : positional.name;
}

/** What stands for a flag's value: its choices, or its name and the words that may stand for it (`PID|none`). */
export function valueName(flag: StringFlag | NumberFlag): string {
  if (flag.type === "number") return [flag.value, ...(flag.words ?? [])].join("|");
  return flag.choices?.join("|") ?? flag.value;
}

/** One line: `jig job start --skill=<S> … -- ARGV...`; for messages that quote the usage. */
export function synopsis(target: Command | Group): string {
  if ("verbs" in target) return `jig ${target.name} COMMAND`;
  const words = [`jig ${target.name}`];
  for (const [name, flag] of Object.entries(flagsOf(target))) {
    if (flag.hidden) continue;
    const shown = flag.type === "boolean" ? `--${name}` : `--${name} ${valueName(flag)}`;
    const required = flag.type !== "boolean" && flag.required;
    words.push(required ? shown : `[${shown}]`);
  }
  for (const positional of target.positionals ?? []) {
    const name = positionalName(positional);
    words.push(positional.required ? name : `[${name}]`);
  }
  if (target.rest !== undefined) {
    words.push(target.rest.required ? `-- ${target.rest.name}` : `[-- ${target.rest.name}]`);
  }
  return words.join(" ");
}
