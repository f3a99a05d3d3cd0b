import { mkdirSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { errorCode, JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { writeFileAtomic } from "../../../kernel/files/atomic.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { FileError, syncDirectory } from "../../../kernel/files/file-io.ts";
import { printable, valueLines } from "../../../kernel/text/printable.ts";
import { pythonJson } from "../../../kernel/text/python-json.ts";
import { compactSeconds } from "../../../kernel/text/time.ts";
import { type MemoryFile, STATE } from "../../common/layout.ts";
import { withMemoryLock } from "../../common/lock.ts";
import type { MemoryRepair } from "../schema.ts";
import { changeMemory, readMemory } from "../store/memory-file.ts";
import { unifiedDiff } from "./diff.ts";
import { repairLines } from "./lines.ts";
import { MissingHeading, type Repaired, repairText } from "./repair-text.ts";

const FILES: readonly MemoryFile[] = ["patterns.md", "progress.md", "activeContext.md"];

interface RepairedFile extends Repaired {
  file: MemoryFile;
  original: string;
  diff: string;
}

/** `jig flow memory repair` (docs/spec/flow.md 9.6): what once went wrong in three files, shown or mended. */
export async function repair(
  host: Host,
  options: { "target-dir": string; apply?: boolean },
): Promise<Outcome<MemoryRepair>> {
  const directory = absoluteFrom(host.cwd, options["target-dir"]);
  if (!options.apply) {
    const files = repairAll(directory);
    const end = "Dry run complete. No files written. Pass --apply to write changes.\n";
    return { data: dataOf(files, null), text: valueLines(reportText(files) + end) };
  }
  return lockedWhereState(host, directory, () => {
    const files = repairAll(directory);
    const backup = makeBackup(directory, compactSeconds(host.now()), files);
    for (const { file, original, text } of files) {
      changeMemory(directory, join(directory, file), (now) => (now === original ? text : again(file, now)));
    }
    const end =
      `Applied. Backup written to ${printable(backup)}\n` +
      "Warning: `git clean -fdx` would delete this backup; copy it outside the repository.\n";
    return { data: dataOf(files, backup), text: valueLines(reportText(files) + end) };
  });
}

/** Every file is read and repaired before any is written. */
function repairAll(directory: string): RepairedFile[] {
  const originals = FILES.map((file) => {
    const path = join(directory, file);
    const original = readMemory(directory, path);
    if (original === undefined) throw failure(`Error: target file not found: ${printable(path)}`);
    return { file, original };
  });
  return originals.map(({ file, original }) => {
    const repaired = repaired1(file, original);
    const lines = repairLines(original).map(({ text }) => text);
    return { ...repaired, file, original, diff: unifiedDiff(file, lines, repaired.lines) };
  });
}

function repaired1(file: MemoryFile, text: string): Repaired {
  try {
    return repairText(file, text);
  } catch (error) {
    if (error instanceof MissingHeading) throw failure(`Error repairing ${file}: ${error.message}`);
    throw error;
  }
}

/** Another tool wrote in between: its text is repaired, not replaced by ours. */
function again(file: MemoryFile, text: string | undefined): string {
  return repaired1(file, text ?? "").text;
}

function failure(message: string): JigError {
  return new JigError(message, { verbatim: true });
}

function reportText(files: readonly RepairedFile[]): string {
  return files
    .map(
      ({ diff, file, report }) =>
        `=== ${file} ===\nReport: ${pythonJson(report)}\n${diff}${diff === "" ? "" : "\n"}\n`,
    )
    .join("");
}

function dataOf(files: readonly RepairedFile[], backup: string | null): MemoryRepair {
  return {
    applied: backup !== null,
    backup,
    files: files.map(({ diff, file, report }) => ({ file, report, diff })),
  };
}

/** The files as they are, and what is evicted from them, in a new directory beside them. */
function makeBackup(directory: string, stamp: string, files: readonly RepairedFile[]): string {
  const backup = newDirectory(join(dirname(directory), `.memory-repair-backup-${stamp}`));
  for (const { file, original } of files) writeFileAtomic(join(backup, file), original);
  const evicted = files.filter((one) => one.evicted.length > 0);
  const text = evicted.map(({ evicted: lines, file }) => `## ${file}\n${lines.join("\n")}\n`).join("\n");
  if (text !== "") writeFileAtomic(join(backup, "evicted.md"), `# Evicted\n\n${text}`);
  try {
    syncDirectory(dirname(backup));
  } catch (error) {
    throw new FileError("cannot flush the directory of", backup, error);
  }
  return backup;
}

function newDirectory(path: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? path : `${path}-${count}`;
    try {
      mkdirSync(name);
      return name;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw new FileError("cannot make the backup", name, error);
    }
  }
}

/** Part of a project's state: its writers wait for each other. */
async function lockedWhereState<T>(host: Host, directory: string, action: () => T): Promise<T> {
  for (let state = directory; basename(state) !== ""; state = dirname(state)) {
    if (state.endsWith(sep + STATE)) return withMemoryLock(host, state, action);
  }
  return action();
}
