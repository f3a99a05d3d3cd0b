import { JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { isRealDirectory } from "../../kernel/files/look.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import type { Where } from "../agents/destinations.ts";
import type { Result } from "../schema.ts";
import { backUp } from "./backup.ts";
import { makeManifest } from "./manifest.ts";
import type { Done } from "./report.ts";
import { type Inspection, inspect, type Wanted } from "./state.ts";
import { writeNew, writeReplacement } from "./write.ts";

/** One skill to be brought to what this program would write. */
export interface Task {
  name: string;
  /** The skill's own directory. */
  directory: string;
  wanted: Wanted;
  agents: readonly string[];
}

/** How far an action goes: over edited files, or not even to the disk. */
export interface Caution {
  force: boolean;
  dryRun: boolean;
}

/** Which installed skills a call is about, and how far it goes with them. */
export interface Selection extends Where, Caution {
  /** All of them without. */
  names: readonly string[];
}

export type ApplyHost = Pick<Host, "env" | "home" | "platform" | "now">;

/** The table of docs/spec/skills.md 6.3. A failure is a result, so that one skill never stops the others. */
export function applySkill(task: Task, caution: Caution, host: ApplyHost, version: string): Done {
  const seen = inspect(task.directory, task.name, task.wanted, version);
  const done = (action: Result["action"], notes: string[] = [], more: Partial<Result> = {}): Done => ({
    result: {
      action,
      name: task.name,
      dir: task.directory,
      hosts: [...task.agents],
      state: seen.state,
      backup: null,
      files: [],
      ...more,
    },
    notes,
  });
  switch (seen.state) {
    case "current":
      return done("unchanged");
    case "unreadable":
      return done("failed", [`${task.name}: ${seen.detail}`]);
    case "foreign":
      if (caution.force && isRealDirectory(task.directory)) break;
      return done("refused-foreign", [foreignNote(task)]);
    case "newer":
      if (caution.force) break;
      return done("refused-newer", [
        `${task.name}: written by a later jig (${seen.detail}); upgrade this one (${version}), or replace it with --force`,
      ]);
    case "modified":
      if (caution.force) break;
      return done("kept-edited", [editedNote(task, seen)], { files: editedFiles(seen) });
    default:
  }
  const action = seen.state === "absent" || seen.state === "foreign" ? "installed" : "updated";
  if (caution.dryRun) return done(action);
  let backup: string | null = null;
  try {
    if (seen.state !== "absent" && seen.state !== "stale") backup = backUp(task.directory, task.name, host);
    write(task, seen, backup !== null, host, version);
  } catch (error) {
    const notes = [
      `${task.name}: ${error instanceof JigError ? error.message : `${task.directory}: ${osReason(error)}`}`,
    ];
    return done("failed", backupNotes(task.name, backup, notes), { backup });
  }
  return done(action, backupNotes(task.name, backup), { backup, files: editedFiles(seen) });
}

function write(
  { directory, wanted, agents }: Task,
  seen: Inspection,
  force: boolean,
  host: ApplyHost,
  version: string,
) {
  const { skill, files, choice } = wanted;
  const manifest = makeManifest(skill, files, { ...choice, agents }, version, host.now());
  if (seen.state === "absent" || seen.state === "foreign") writeNew(directory, files, manifest);
  else writeReplacement(directory, files, manifest, seen, force);
}

export function editedFiles(seen: Inspection): string[] {
  return [...seen.files].filter(([, state]) => state === "edited").map(([path]) => path);
}

function editedNote({ name, directory }: Task, seen: Inspection): string {
  const files = editedFiles(seen);
  const see = `jig skills show ${name} --compare ${shellWord(directory)}`;
  return `${name}: edited: ${files.join(", ")}; ${see} prints the edits; --force replaces them after a backup of the directory`;
}

export function backupNotes(name: string, backup: string | null, others: string[] = []): string[] {
  return backup === null ? others : [...others, `${name}: backup of what was there: ${backup}`];
}

function foreignNote({ name, directory }: Task): string {
  return isRealDirectory(directory)
    ? `${name}: ${directory} was not written by jig; --force backs it up and installs over it`
    : `${name}: ${directory} is a symlink or a file, which jig never writes through; remove it yourself`;
}
