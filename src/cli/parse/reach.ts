import type { Args, Command, Group, Habits, Verb } from "../../kernel/call/command.ts";
import { cutAtSeparator, fail, flagName, isHelp, parseCommand, quoted, suggestion } from "./parse.ts";

/** How far the words of a call lead into the tree: a command, or the group whose verb is missing or unknown. */
export interface Reached {
  target: Command | Group;
  /** The groups on the way to it, outermost first. */
  groups: readonly Group[];
  /** The words left for it. */
  words: readonly string[];
  /** A verb on the way works long enough for compiled code to pay off. */
  works: boolean;
}

/** A call understood: run the command, or show help for it. */
export type Parsed =
  | { kind: "run"; command: Command; args: Args }
  | { kind: "help"; target: Command | Group };

/** The command or group behind a verb, loaded when it is a lazy one. */
export async function doorOf(verb: Verb): Promise<Command | Group> {
  return "load" in verb ? (await verb.load()).default : verb;
}

/** Follow the words through the groups below a verb or room, loading what lies on the way and nothing beside it. */
export async function reach(from: Verb, words: readonly string[]): Promise<Reached> {
  let target = "load" in from ? (await from.load()).default : from;
  let left = words;
  let works = false;
  const groups: Group[] = [];
  while ("verbs" in target) {
    const word = verbIn(left);
    const name = target.anyCase ? word?.toLowerCase() : word;
    const verb = name !== undefined && Object.hasOwn(target.verbs, name) ? target.verbs[name] : undefined;
    if (verb === undefined) break;
    // A flag may stand before its verb (`jig job --json list`); the verb's own declaration judges it.
    const at = left.indexOf(word!);
    left = [...left.slice(0, at), ...left.slice(at + 1)];
    groups.push(target);
    if ("load" in verb && verb.works) works = true;
    target = "load" in verb ? (await verb.load()).default : verb;
  }
  return { target, groups, words: left, works };
}

/** The first word that is no flag. */
function verbIn(words: readonly string[]): string | undefined {
  for (const word of words) {
    if (word === "--") return undefined;
    if (!word.startsWith("-")) return word;
  }
  return undefined;
}

/** What holds for the place reached: its own, else that of the nearest group around it. */
export function habit<Key extends keyof Habits>(
  { target, groups }: Reached,
  key: Key,
): Habits[Key] | undefined {
  const own = (target as Habits)[key];
  if (own !== undefined || groups.length === 0) return own;
  return groups.findLast((one) => one[key] !== undefined)?.[key];
}

/** In what a command differs for those who call it under a drop-in name. */
export interface Variant {
  /** `--help` is a flag like any other. */
  noHelp: boolean;
  ignoresUnknown: boolean;
  /** The command as they know it. */
  declaration(command: Command): Command;
  /** The flags of their call as the verb expects them. */
  flags(command: Command, given: Args["flags"]): Args["flags"];
}

/** Parse the words of the place reached. Throws `ParseFailure`. */
export function parse(reached: Reached, variant?: Variant): Parsed {
  const { target, words } = reached;
  const noHelp = variant?.noHelp === true;
  if ("verbs" in target) return judgeGroup(target, words, noHelp);
  const args = parseCommand(variant?.declaration(target) ?? target, words, {
    noHelp,
    ignoresUnknown: variant?.ignoresUnknown === true,
    repeated: habit(reached, "repeated"),
    afterSeparator: habit(reached, "afterSeparator"),
  });
  if (args === "help") return { kind: "help", target };
  if (variant !== undefined) args.flags = variant.flags(target, args.flags);
  return { kind: "run", command: target, args };
}

function judgeGroup(group: Group, words: readonly string[], noHelp: boolean): Parsed {
  const [before] = cutAtSeparator(words);
  if (!noHelp && before.some(isHelp)) return { kind: "help", target: group };
  const verbs = Object.keys(group.verbs);
  const expected = `expected one of ${verbs.join(", ")}`;
  const name = verbIn(words);
  if (name !== undefined) {
    const meant = suggestion(name, verbs) ?? expected;
    fail(group.name, "unknown-command", `unknown command ${quoted(name)}; ${meant}`, name);
  }
  const flag = before[0];
  if (flag === undefined) fail(group.name, "missing-command", `no command given; ${expected}`);
  const message = `unknown flag ${quoted(flagName(flag))} before a command; ${expected}`;
  fail(group.name, "unknown-flag", message, flag);
}
