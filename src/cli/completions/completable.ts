import type { Command, Flag, Positional, StringFlag } from "../../kernel/call/command.ts";
import type { CompletionList, Room } from "../../kernel/call/room.ts";
import { flagsOf } from "../parse/parse.ts";
import { allRooms } from "../tree.ts";
import { walk } from "../walk.ts";

/** What stands for a word: fixed values, names of files, or what a jig command lists while a shell completes. */
export type WordSource =
  | { words: readonly string[] }
  | { paths: "file" | "directory" }
  | { list: CompletionList };

/** One command as a completion script needs it. */
export interface Completable {
  /** The words that reach it: `["job", "start"]`. */
  path: readonly string[];
  summary: string;
  flags: readonly { name: string; summary: string; takes: WordSource | undefined; isSwitch: boolean }[];
  positional: WordSource | undefined;
}

/** The tree as a completion script needs it. */
export interface CompletionTree {
  commands: readonly Completable[];
  /** Every group with its verbs, jig itself first, with the empty path. */
  groups: readonly { path: readonly string[]; verbs: readonly { name: string; summary: string }[] }[];
}

/** Every command and group, in the order of the tree. */
export async function completionTree(rooms: readonly Room[] = allRooms()): Promise<CompletionTree> {
  const lists: Record<string, CompletionList> = Object.assign({}, ...rooms.map((room) => room.completes));
  const commands: Completable[] = [];
  const groups = [
    { path: [] as readonly string[], verbs: rooms.map(({ name, summary }) => ({ name, summary })) },
  ];
  for await (const { path, target } of walk(rooms)) {
    if ("verbs" in target) {
      const verbs = Object.entries(target.verbs).map(([name, { summary }]) => ({ name, summary }));
      groups.push({ path, verbs });
    } else commands.push(describe(path, target, lists));
  }
  return { commands, groups };
}

function describe(
  path: readonly string[],
  command: Command,
  lists: Readonly<Record<string, CompletionList>>,
): Completable {
  const flags = Object.entries(flagsOf(command))
    .filter(([, flag]) => !flag.hidden)
    .map(([name, flag]) => ({
      name: `--${name}`,
      summary: flag.summary,
      takes: takenBy(flag, lists),
      isSwitch: flag.type === "boolean",
    }));
  flags.push({ name: "--help", summary: "Show help", takes: undefined, isSwitch: true });
  const first = command.positionals?.[0];
  return { path, summary: command.summary, flags, positional: first && wordsFor(first, lists) };
}

function takenBy(flag: Flag, lists: Readonly<Record<string, CompletionList>>): WordSource | undefined {
  if (flag.type === "string") return wordsFor(flag, lists);
  return flag.type === "number" && flag.words !== undefined ? { words: flag.words } : undefined;
}

function wordsFor(
  { choices, completes }: StringFlag | Positional,
  lists: Readonly<Record<string, CompletionList>>,
): WordSource | undefined {
  if (choices !== undefined) return { words: choices };
  if (completes === undefined) return undefined;
  if (completes === "file" || completes === "directory") return { paths: completes };
  const list = lists[completes];
  if (list === undefined) throw new Error(`no room completes '${completes}'`);
  return { list };
}
