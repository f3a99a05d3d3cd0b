import type { Args, Command, Flag } from "../../kernel/call/command.ts";
import type { DropInName } from "../../kernel/call/room.ts";
import { flagsOf } from "../parse/parse.ts";
import type { Variant } from "../parse/reach.ts";

/** In what commands differ under a drop-in name, by what the name's room says of it. */
export function variantOf(name: DropInName): Variant {
  return {
    noHelp: name.help === "unknown-flag",
    ignoresUnknown: name.unknown === "ignored",
    declaration: (command) => asCalled(command, name),
    flags: (command, given) => ({ ...noFlags(command), ...given, ...name.fixed }) as Args["flags"],
  };
}

/** A command as its callers under a drop-in name know it: with the flags the name has, and what it requires. */
function asCalled(command: Command, name: DropInName): Command {
  const { only, without = [], fixed = {}, requires = [] } = name;
  const has = (flag: string) => !without.includes(flag) && (only === undefined || only.includes(flag));
  const flags: Record<string, Flag> = {};
  for (const [flag, declaration] of Object.entries(flagsOf(command))) {
    if (has(flag)) flags[flag] = withNeed(declaration, requires.includes(flag) || undefined, flag in fixed);
  }
  const positionals = command.positionals?.map((positional) =>
    requires.includes(positional.name) ? { ...positional, required: true } : positional,
  );
  // `json` stands among the flags already, where the name has it.
  return { ...command, flags, json: false, ...(positionals === undefined ? {} : { positionals }) };
}

/** The flags of a call that gives none: what a verb sees of those a name does not have. */
function noFlags(command: Command): Args["flags"] {
  return Object.fromEntries(
    Object.entries(flagsOf(command)).map(([name, flag]) => {
      if (flag.type === "boolean") return [name, false];
      return [name, flag.type === "string" && flag.repeat ? [] : undefined];
    }),
  ) as Args["flags"];
}

function withNeed(flag: Flag, required: true | undefined, fixed: boolean): Flag {
  if (flag.type === "boolean") return flag;
  return { ...flag, required: !fixed && (required ?? flag.required ?? false) };
}
