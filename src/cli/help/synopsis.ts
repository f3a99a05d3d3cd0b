import type { Command, Group, Positional } from "../../kernel/call/command.ts";
import { flagsOf } from "../parse/parse.ts";

/** How a positional is shown: `REF...` when it repeats. */
export function positionalName(positional: Positional): string {
  return positional.repeat ? `${positional.name}...` : positional.name;
}

/** One line: `jig job start --skill=<S> … -- ARGV...`; for messages that quote the usage. */
export function synopsis(target: Command | Group): string {
  if ("verbs" in target) return `jig ${target.name} COMMAND`;
  const words = [`jig ${target.name}`];
  for (const [name, flag] of Object.entries(flagsOf(target))) {
    if (flag.hidden) continue;
    const shown =
      flag.type === "boolean" ? `--${name}` : `--${name} ${flag.choices?.join("|") ?? flag.value}`;
    const required = flag.type === "string" && flag.required;
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
