import type { Command, Flag, Group, Positional } from "../../kernel/call/command.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { flagsOf } from "../parse/parse.ts";
import { TREE } from "../tree.ts";
import { renderFish, renderPowerShell } from "./other.ts";
import { renderBash, renderZsh } from "./posix.ts";

/** What stands for a word: fixed values, or a source a shell asks while completing. */
export type WordSource = { words: readonly string[] } | { source: "file" | "directory" | "job" | "skill" };

/** One command as a completion script needs it. */
export interface Completable {
  /** The words that reach it: `["job", "start"]`. */
  path: readonly string[];
  summary: string;
  flags: readonly { name: string; summary: string; takes: WordSource | undefined; isSwitch: boolean }[];
  positional: WordSource | undefined;
}

/** Shell commands that list real values; both print tab-separated lines when piped. */
export const LISTS = {
  job: "jig job list --no-header 2>/dev/null | cut -f4",
  skill: "jig skills list 2>/dev/null | cut -f1",
} as const;

/** Every visible command of the tree, in its order. */
export async function completables(): Promise<Completable[]> {
  const all: Completable[] = [];
  for (const [name, entry] of Object.entries(TREE)) {
    const target = await entry.load();
    if (!("verbs" in target)) all.push(describe([name], target));
    else all.push(...verbsOf(name, target));
  }
  return all;
}

function verbsOf(name: string, group: Group): Completable[] {
  return Object.entries(group.verbs)
    .filter(([, verb]) => !verb.hidden)
    .map(([verb, declaration]) => describe([name, verb], declaration));
}

function describe(path: readonly string[], command: Command): Completable {
  const flags = Object.entries(flagsOf(command))
    .filter(([, flag]) => !flag.hidden)
    .map(([name, flag]) => ({
      name: `--${name}`,
      summary: flag.summary,
      takes: wordsFor(flag),
      isSwitch: flag.type === "boolean",
    }));
  flags.push({ name: "--help", summary: "Show help", takes: undefined, isSwitch: true });
  return { path, summary: command.summary, flags, positional: wordsForPositional(command.positionals?.[0]) };
}

function wordsFor(flag: Flag): WordSource | undefined {
  if (flag.type === "boolean") return undefined;
  if (flag.choices !== undefined) return { words: flag.choices };
  return flag.completes === undefined ? undefined : { source: flag.completes };
}

function wordsForPositional(positional: Positional | undefined): WordSource | undefined {
  if (positional?.choices !== undefined) return { words: positional.choices };
  return positional?.completes === undefined ? undefined : { source: positional.completes };
}

const RENDERERS: Record<string, (commands: readonly Completable[]) => string> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
  powershell: renderPowerShell,
};

/** The completion script of a shell, generated from the command tree (docs/spec/cli.md section 6). */
export async function completions(shell: string): Promise<Outcome> {
  const script = RENDERERS[shell]!(await completables());
  return { data: script, text: script };
}
