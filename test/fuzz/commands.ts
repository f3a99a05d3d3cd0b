/** Command lines made of the program's own declarations: mostly right, then bent. */

import { walk } from "../../src/cli/walk.ts";
import type { Command, Flag } from "../../src/kernel/call/command.ts";
import type { Random } from "./random.ts";

export interface Line {
  command: string;
  words: string[];
}

/**
 * Not run: they serve, supervise or show until they are stopped, or run the words they are given. Their words are
 * judged by the same parser, which all the others exercise.
 */
const ENDLESS = /^(?:web (?:start|serve)|demo|job (?:start|logs|wait)|elevate|web wait)\b/;

/** Commands that print a file's bytes, or names and commands that a program reads back, as they are. */
export const PRINTS_BYTES =
  /^(?:plan sections|job (?:result|logs)|skills show|craft (?:(?:living|governing)-corpus|gate))\b/;

/** Every command that ends by itself. */
export async function commands(): Promise<(readonly [name: string, command: Command])[]> {
  const found: (readonly [string, Command])[] = [];
  for await (const { path, target } of walk()) {
    if (!("verbs" in target) && !ENDLESS.test(path.join(" "))) found.push([path.join(" "), target]);
  }
  return found;
}

/**
 * Values for anything: names in the sandbox, of which none leads out of it, and what no value should be. `world.ts`
 * makes the files.
 */
const VALUES = [
  ..."plan.md|plan.html|deep.md|latin.md|empty.md|absent.md|docs/plans|skills|pack|.|sub|sub/..|-|a|R1|x|0|1|-1|1e9|99999999999999999999".split(
    "|",
  ),
  ..."md|html|json|feat|fix|a-b|2026-09-24|0952|none|planned|any|title|docs_root|packs|plan_output|jig-jobs|user|project|claude|true".split(
    "|",
  ),
  "",
  " ",
  "--",
  "--json",
  "a\x1b[31mb",
  "\x9b1m\u202e\u2028",
  "two\nlines",
  "café",
  "x".repeat(5_000),
  "*",
  "$(id)",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "file\x1b[31m.md",
];

const valueFor = (random: Random, flag?: Flag): string => {
  if (flag?.type === "string" && flag.choices !== undefined && !random.oneIn(4))
    return random.pick(flag.choices);
  if (flag?.type === "number" && !random.oneIn(4)) return String(random.pick([0, 1, 2, 10, 0.5]));
  return random.pick(VALUES);
};

export function lineOf(random: Random, [name, command]: readonly [string, Command]): Line {
  const words = name.split(" ");
  const flags = Object.entries(command.flags as Record<string, Flag>);
  for (const [flag, kind] of flags) {
    if (!(kind.type !== "boolean" && kind.required) && !random.oneIn(3)) continue;
    words.push(`--${flag}`);
    if (kind.type !== "boolean") words.push(valueFor(random, kind));
  }
  for (const positional of command.positionals ?? []) {
    if (positional.required || random.oneIn(2))
      words.push(...random.some(VALUES, 1, positional.repeat ? 3 : 1));
  }
  if (random.oneIn(3)) words.push("--json");
  if (command.rest !== undefined) words.push("--", ...random.some(VALUES, 0, 3));
  return { command: name, words: random.oneIn(3) ? bent(random, words) : words };
}

/** A line with a word left out, doubled, moved, cut, or put where none belongs. */
function bent(random: Random, words: readonly string[]): string[] {
  const at = random.below(words.length);
  const copy = [...words];
  const bend = random.pick<() => unknown>([
    () => copy.splice(at, 1),
    () => copy.splice(at, 0, words[at]!),
    () => copy.splice(at, 0, random.pick(VALUES)),
    () => copy.splice(at, 1, words[at]!.slice(0, -1)),
    () => copy.splice(at, 1, `${words[at]}=${random.pick(VALUES)}`),
    () =>
      copy.splice(at, 0, random.pick(["--help", "-h", "--nonsense", "--=", "-", "--no-json", "--json=1"])),
  ]);
  bend();
  return copy;
}
