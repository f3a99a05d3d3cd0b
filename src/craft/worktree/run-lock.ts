import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { isRunning } from "../../kernel/process/index.ts";
import { shown } from "../common/run-words.ts";

/** The lock of a validation run: `<pid> <iso>` (docs/spec/craft-run.md 1.4). */
const NAME = ".craft-validation.lock";

export type RunLock = { kind: "none" } | { kind: "stale" } | { kind: "alive"; pid: number; since: string };

/** Who holds a worktree's validation lock; anything but a living process's is stale. */
export async function runLockOf(worktree: string): Promise<RunLock> {
  const path = join(worktree, NAME);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { kind: "none" };
  const [, pid, since] = /^(\d{1,10})(?:\s+(\S+))?/.exec(readText(path)) ?? [];
  if (pid === undefined || !(await isRunning(Number(pid)))) return { kind: "stale" };
  return { kind: "alive", pid: Number(pid), since: shown(since ?? "unknown") };
}

export function removeRunLock(worktree: string): void {
  rmSync(join(worktree, NAME), { force: true });
}

function readText(path: string): string {
  try {
    return new TextDecoder().decode(readOwnedFile(path, { uid: undefined, maxBytes: 4096 }));
  } catch (error) {
    if (error instanceof Refused) return "";
    throw error;
  }
}
