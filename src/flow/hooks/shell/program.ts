import { isDigits, isNameCode } from "./marks.ts";
import type { Word } from "./words.ts";

/** A program and its arguments, behind what may stand before it. */
export interface Program {
  /** Without its directory: `cp` of `/bin/cp`. */
  name: string;
  args: Word[];
}

/** Words of the shell that a command may follow. */
const RESERVED = new Set([
  "{",
  "}",
  "!",
  "if",
  "then",
  "elif",
  "else",
  "while",
  "until",
  "do",
  "fi",
  "done",
  "time",
]);

/** Programs that run the command behind them, and their options that have a value of their own. */
const WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  builtin: [],
  chrt: [],
  command: [],
  doas: ["-u", "-C"],
  env: ["-u", "--unset", "-C", "--chdir", "-S", "--split-string"],
  exec: ["-a"],
  ionice: ["-c", "-n"],
  nice: ["-n", "--adjustment"],
  nohup: [],
  setsid: [],
  stdbuf: ["-i", "-o", "-e"],
  sudo: ["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-D", "-R", "-U"],
  timeout: ["-s", "-k", "--signal", "--kill-after"],
  xargs: ["-I", "-L", "-n", "-P", "-s", "-d", "-E", "-a"],
};

/** The program a command runs: behind assignments, words of the shell and programs that run another. */
export function programOf(words: readonly Word[]): Program | undefined {
  let at = 0;
  while (at < words.length) {
    const { value } = words[at]!;
    at++;
    if (RESERVED.has(value) || isAssignment(value)) continue;
    const name = value.slice(value.lastIndexOf("/") + 1);
    if (!Object.hasOwn(WRAPPERS, name)) return { name, args: words.slice(at) };
    at = behindOptions(words, at, WRAPPERS[name]!);
  }
  return undefined;
}

/** Past a wrapper's options with their values, and its durations and numbers (`timeout 5s`). */
function behindOptions(words: readonly Word[], from: number, withValue: readonly string[]): number {
  let at = from;
  for (; at < words.length; at++) {
    const { value } = words[at]!;
    if (withValue.includes(value)) at++;
    else if (!value.startsWith("-") && !isDuration(value)) break;
  }
  return at;
}

function isDuration(value: string): boolean {
  const number = "smhd".includes(value.at(-1) ?? "-") ? value.slice(0, -1) : value;
  return number.length < 20 && number.split(".").every(isDigits);
}

function isAssignment(value: string): boolean {
  let at = 0;
  while (at < value.length && isNameCode(value.charCodeAt(at), at === 0)) at++;
  return at > 0 && (value[at] === "=" || value.startsWith("+=", at));
}
