import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { realOrPlain } from "../../kernel/files/contain.ts";
import { printable } from "../../kernel/text/printable.ts";
import { baseCommit, changedSince } from "../common/base-revision.ts";
import { MAX_PATH_LIST_BYTES, MOST_PATHS, pathsOf } from "../common/path-list.ts";
import { readRunPayload } from "../common/payload.ts";
import { isAbsoluteAnywhere, repoRelative } from "../common/repo-path.ts";
import { requirePhase } from "../common/run-words.ts";
import { workTree } from "../common/work-tree.ts";
import { type Lesson, MOST_LINES } from "./lesson.ts";
import { ratifiedLessons } from "./ratified.ts";
import type { LessonsHint } from "./schema.ts";
import { selectLessons } from "./select.ts";

export const PREFIX = "lessons-hint: ";

const DEFAULT_DIRECTORY = "docs/lessons";
const DEFAULT_MOST = 3;
const MOST_SHOWN = 50;

export interface HintFlags {
  phase: string;
  max?: number | undefined;
  dir?: string | undefined;
  base?: string | undefined;
  diff: boolean;
  from?: string | undefined;
}

/** `lessons-hint` (docs/spec/craft-run.md 7). Advice: exit 0 whatever is missing. */
export async function lessonsHint(host: Host, flags: HintFlags): Promise<Outcome<LessonsHint>> {
  const phase = requirePhase(PREFIX, flags.phase);
  const list =
    flags.diff && flags.from === undefined
      ? ""
      : await readRunPayload(host, PREFIX, flags.from, MAX_PATH_LIST_BYTES);
  const most = Math.min(flags.max ?? DEFAULT_MOST, MOST_SHOWN);
  if (most === 0) return outcome([], []);
  const notes: string[] = [];
  const note = (text: string) => notes.push(PREFIX + text);
  try {
    const root = await workTree(host);
    const directory = directoryIn(root, flags.dir ?? DEFAULT_DIRECTORY);
    if (directory === undefined) {
      note(`--dir ${printable(flags.dir!)} leads out of the repository`);
      return outcome([], notes);
    }
    const commit = await baseCommit(host, root, flags.base);
    const changed = flags.diff && commit !== undefined ? await changedSince(host, root, commit) : [];
    if (flags.diff && (commit === undefined || changed === undefined))
      note("the diff to the base cannot be computed");
    if (commit === undefined) return outcome([], notes);
    const paths = [...new Set([...(changed ?? []), ...pathsOf(root, list)])].slice(0, MOST_PATHS);
    const found = await ratifiedLessons(host, root, commit, directory);
    for (const { path, reason } of found?.skipped ?? [])
      note(`skipped ${printable(path)}: ${printable(reason)}`);
    const lessons = selectLessons(found?.lessons ?? [], phase, paths, most);
    for (const { path, applyLines } of lessons) {
      if (applyLines > MOST_LINES)
        note(`${printable(path)}: only ${MOST_LINES} of ${applyLines} lines are shown`);
    }
    return outcome(lessons, notes);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    note(error.message);
    return outcome([], notes);
  }
}

/** A lessons directory from the root; the empty text is the root itself. */
export function directoryIn(root: string, directory: string): string | undefined {
  const path = isAbsoluteAnywhere(directory) ? realOrPlain(directory) : directory;
  if (/^(?:\.\/*)?$/.test(path) || path === root) return "";
  return repoRelative(root, path);
}

type Shown = Pick<Lesson, "title" | "trigger" | "apply"> & { path: string };

function outcome(found: readonly Shown[], notes: readonly string[]): Outcome<LessonsHint> {
  const lessons = found.map(({ title, trigger, path, apply }) => ({
    title,
    trigger,
    path,
    apply: [...apply],
  }));
  const blocks = lessons.map(({ title, trigger, path, apply }) => {
    const lines = apply.map((line) => `  ${line}\n`).join("");
    return `- ${title} — when ${trigger} → ${printable(path)}\n${lines}`;
  });
  const text =
    blocks.length === 0
      ? ""
      : `Lessons (advisory — open the path for context and evidence):\n${blocks.join("")}`;
  return { data: { lessons }, text, notes };
}
