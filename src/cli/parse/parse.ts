import type {
  Args,
  Command,
  Flag,
  Habits,
  NumberFlag,
  Positional,
  UsageProblem,
} from "../../kernel/call/command.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { expectedNumber, readNumber } from "./number-flag.ts";

/** A word sequence that does not fit the command it names. */
export class ParseFailure extends Error {
  readonly problem: UsageProblem;

  constructor(problem: UsageProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Whether a word asks for help. */
export const isHelp = (word: string) => word === "--help" || word === "-h";

const JSON_FLAG: Flag = { type: "boolean", summary: "Print the result as JSON" };

/** The flags a command takes: its own, and `--json` unless it has no JSON result. */
export function flagsOf(command: Command): Record<string, Flag> {
  const own = command.flags as Record<string, Flag>;
  return command.json === false || Object.hasOwn(own, "json") ? own : { ...own, json: JSON_FLAG };
}

/** The words up to the first bare `--`, and those after it (undefined without one). */
export function cutAtSeparator(words: readonly string[]): [before: string[], after: string[] | undefined] {
  const at = words.indexOf("--");
  return at < 0 ? [[...words], undefined] : [words.slice(0, at), words.slice(at + 1)];
}

/** How the words of a command are read where it is called from. */
export interface Reading {
  repeated?: Habits["repeated"] | undefined;
  afterSeparator?: Habits["afterSeparator"] | undefined;
  /** `--help` is a flag like any other. */
  noHelp?: boolean;
  /** Unknown flags and arguments too many are passed over. */
  ignoresUnknown?: boolean;
}

/** The arguments in the words of one command; `"help"` when they ask for help. Throws `ParseFailure`. */
export function parseCommand(
  command: Command,
  words: readonly string[],
  reading: Reading = {},
): Args | "help" {
  const [before, rest] = cutAtSeparator(words);
  if (!reading.noHelp && asksForHelp(command, before)) return "help";
  const flags = flagsOf(command);
  const values = new Map<string, string[]>();
  const positionals: string[] = [];

  for (let index = 0; index < before.length; index++) {
    const word = before[index]!;
    if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const written = equals < 0 ? word : word.slice(0, equals);
    const name = resolveFlag(flags, written);
    if (name === undefined) {
      if (reading.ignoresUnknown) continue;
      failUnknownFlag(command, flags, written);
    }
    const flag = flags[name]!;
    if (values.has(name) && reading.repeated !== "last-wins" && !repeats(flag)) {
      fail(command.name, "repeated-flag", `${written} given twice; it takes one value`, written);
    }
    if (flag.type === "boolean") {
      if (equals >= 0) fail(command.name, "unexpected-value", `${written} takes no value`, written);
      values.set(name, ["true"]);
      continue;
    }
    let value = equals < 0 ? undefined : word.slice(equals + 1);
    if (value === undefined) {
      value = before[index + 1];
      // A following flag is far more often a forgotten value than a value that begins with two dashes; `=` passes those.
      if (value === undefined || (value.startsWith("--") && value.length > 2)) {
        fail(command.name, "missing-value", `${written} needs a value (${flag.value})`, written);
      }
      index++;
    }
    if (flag.type === "string") checkChoice(command, written, value, flag.choices);
    const list = values.get(name);
    if (list !== undefined && repeats(flag)) list.push(value);
    else values.set(name, [value]);
  }

  if (command.rest === undefined && reading.afterSeparator !== "refused") positionals.push(...(rest ?? []));
  else checkRest(command, rest);
  if (reading.ignoresUnknown && !takesMany(command)) positionals.splice(command.positionals?.length ?? 0);
  checkPositionals(command, positionals);
  return { ...assemble(command, flags, values, positionals, rest), words: before };
}

function asksForHelp(command: Command, before: readonly string[]): boolean {
  const flags = flagsOf(command);
  return before.some((word, index) => {
    if (!isHelp(word)) return false;
    // `--label --help` asks for help; `--label=--help` does not, and is one word.
    const previous = before[index - 1];
    const name = previous === undefined ? undefined : resolveFlag(flags, previous);
    return !(word === "-h" && name !== undefined && flags[name]!.type !== "boolean");
  });
}

function resolveFlag(flags: Record<string, Flag>, written: string): string | undefined {
  if (written.startsWith("--")) {
    const name = written.slice(2);
    return Object.hasOwn(flags, name) ? name : undefined;
  }
  if (written.length !== 2) return undefined;
  return Object.keys(flags).find((name) => flags[name]!.short === written[1]);
}

function failUnknownFlag(command: Command, flags: Record<string, Flag>, written: string): never {
  const known = Object.keys(flags).filter((name) => !flags[name]!.hidden);
  const meant = nearest(flagName(written).replace(/^-+/, ""), known);
  const hint = meant === undefined ? "" : `; did you mean --${meant}?`;
  fail(command.name, "unknown-flag", `unknown flag ${flagName(written)}${hint}`, written);
}

function checkChoice(command: Command, where: string, value: string, choices: readonly string[] | undefined) {
  if (choices === undefined || choices.includes(value)) return;
  const end = suggestion(value, choices) ?? `expected one of ${choices.join(", ")}`;
  fail(command.name, "bad-choice", `${where}: unknown value ${quoted(value)}; ${end}`, value);
}

function checkPositionals(command: Command, given: readonly string[]) {
  const declared: readonly Positional[] = command.positionals ?? [];
  const required = declared.filter((positional) => positional.required);
  if (given.length < required.length) {
    fail(command.name, "missing-positional", `missing ${required[given.length]!.name}`);
  }
  if (given.length > declared.length && !takesMany(command)) {
    const extra = given[declared.length]!;
    fail(command.name, "extra-positional", `unexpected argument ${quoted(extra)}`, extra);
  }
  given.forEach((word, index) => {
    const positional = declared[Math.min(index, declared.length - 1)]!;
    checkChoice(command, positional.name, word, positional.choices);
  });
}

function takesMany(command: Command): boolean {
  return command.positionals?.at(-1)?.repeat === true;
}

function checkRest(command: Command, rest: readonly string[] | undefined) {
  if (command.rest === undefined) {
    if (rest === undefined || rest.length === 0) return;
    fail(command.name, "unexpected-rest", `unexpected argument ${quoted(rest[0]!)} after --`, rest[0]!);
  }
  if (command.rest.required && (rest === undefined || rest.length === 0)) {
    fail(command.name, "missing-positional", `missing ${command.rest.name}; put it after --`);
  }
}

function repeats(flag: Flag): boolean {
  return flag.type === "string" && flag.repeat === true;
}

function checkNumber(command: Command, name: string, flag: NumberFlag, text: string): number | string {
  const reading = readNumber(flag, text);
  if ("value" in reading) return reading.value;
  const message = `--${name} must be ${expectedNumber(flag)}, got ${quoted(text)}`;
  throw new ParseFailure({
    command: command.name,
    kind: reading.problem,
    message,
    word: text,
    flag: `--${name}`,
  });
}

function assemble(
  command: Command,
  flags: Record<string, Flag>,
  values: Map<string, string[]>,
  positionals: string[],
  rest: string[] | undefined,
): Omit<Args, "words"> {
  const out: Record<string, unknown> = { json: false };
  for (const [name, flag] of Object.entries(flags)) {
    let given = values.get(name);
    if (flag.type === "string" && flag.emptyIsNone && given?.[0] === "") given = undefined;
    if (flag.type === "boolean") out[name] = given !== undefined;
    else if (repeats(flag)) out[name] = given ?? [];
    else {
      if (flag.required && given === undefined) {
        fail(command.name, "missing-flag", `missing --${name} ${flag.value}`, `--${name}`);
      }
      const value = given?.[0];
      out[name] =
        flag.type === "number" && value !== undefined ? checkNumber(command, name, flag, value) : value;
    }
  }
  return { flags: out as Args["flags"], positionals, rest };
}

/** The candidate that was probably meant, as the end of a message. */
export function suggestion(word: string, candidates: readonly string[]): string | undefined {
  const meant = nearest(word, candidates);
  return meant === undefined ? undefined : `did you mean ${meant}?`;
}

/** The flag of `--flag=value`. */
export function flagName(word: string): string {
  return word.split("=", 1)[0]!;
}

export function quoted(word: string): string {
  return `'${word}'`;
}

export function fail(command: string, kind: UsageProblem["kind"], message: string, word?: string): never {
  throw new ParseFailure({ command, kind, message, ...(word === undefined ? {} : { word }) });
}
