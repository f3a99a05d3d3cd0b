import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Args } from "../../kernel/call/command.ts";
import { errorCode, JigError, osReason, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { statIfThere } from "../../kernel/files/look.ts";
import { isAlive } from "../../kernel/process/index.ts";
import { stableJigPath } from "../../kernel/shared/jig-path.ts";
import { isOurScript } from "../../kernel/shared/launcher-marker.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { printable } from "../../kernel/text/printable.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { isCompiled } from "../../runtime/self.ts";
import { dropInName } from "../names/names.ts";
import { filesFor, type LinkFile } from "./launchers.ts";
import type { LinkReport } from "./schema.ts";

type Action = LinkReport[number]["action"];
type LinkArgs = Args<{
  launchers: { type: "boolean"; summary: string };
  force: { type: "boolean"; summary: string };
  remove: { type: "boolean"; summary: string };
}>;

/** The running jig: where others call it, and which file it really is. */
interface Jig {
  path: string;
  executable: string;
}

/** Write, renew or remove the drop-in names in a directory (docs/spec/cli.md section 3). */
export async function link(host: Host, { flags, positionals }: LinkArgs): Promise<Outcome<LinkReport>> {
  const [directoryWord, ...words] = positionals;
  const names = chooseNames(words, (await host.catalogue()).dropInNames());
  if (!isCompiled) {
    throw new UsageError("running from source: there is no executable to link to", {
      hint: "build it first (bun build.ts), then run dist/jig link",
    });
  }
  if (directoryWord === "") throw new UsageError("DIR is empty; name the directory to write into");
  const directory = resolve(host.cwd, directoryWord!);
  const jig = { path: stableJigPath(process.execPath, host.env), executable: process.execPath };
  // Every script is made before the first is written: a refused path leaves nothing behind.
  const files = names.flatMap((name) =>
    filesFor(name, jig.path, host.platform, flags.launchers, dropInName(name).anywhere).map((file) => ({
      name,
      ...file,
    })),
  );
  const report: LinkReport = [];
  const notes: string[] = [];
  clearTemporaries(directory);
  if (flags.remove) {
    for (const name of names) report.push(...removeName(directory, name, jig, host.platform));
  } else {
    makeDirectory(directory);
    for (const file of files) report.push(place(directory, file, jig, flags.force, notes));
  }
  const kept = !flags.remove && report.some((line) => line.action === "kept");
  if (kept && !flags.force) notes.push("hint: a kept file is not ours; --force moves it to NAME.jig-backup");
  return {
    data: report,
    text: report.map((line) => `${line.action}\t${printable(line.path)}\n`).join(""),
    exitCode: kept ? 1 : 0,
    notes,
  };
}

const TEMPORARY = ".jig-link-tmp-";

/** What a killed call of ours left: its temporary names carry its pid, so that no running one loses its own. */
function clearTemporaries(directory: string) {
  for (const name of namesIn(directory)) {
    const pid = new RegExp(`^${TEMPORARY}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(directory, name), { force: true });
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Absent or unreadable: what is to be done there says so itself.
    return [];
  }
}

function chooseNames(words: readonly string[], all: readonly string[]): string[] {
  for (const word of words) {
    if (all.includes(word)) continue;
    const meant = nearest(word, all);
    const hint = meant === undefined ? `the names are ${all.join(", ")}` : `did you mean ${meant}?`;
    throw new UsageError(`unknown name '${word}'`, { hint });
  }
  return words.length === 0 ? [...all] : [...new Set(words)];
}

function makeDirectory(directory: string) {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw new JigError(`${directory} is not a directory`);
    throw new JigError(`cannot make ${directory}: ${osReason(error)}`);
  }
}

function place(
  directory: string,
  wanted: LinkFile & { name: string },
  jig: Jig,
  force: boolean,
  notes: string[],
): LinkReport[number] {
  const path = join(directory, wanted.file);
  const standing = statIfThere(path);
  const report = (action: Action) => ({ action, path });
  if (standing === undefined) {
    write(path, wanted, jig);
    return report("created");
  }
  if (isOurs(path, standing, wanted.name, jig)) {
    if (isCurrent(path, standing, wanted, jig)) return report("unchanged");
    write(path, wanted, jig);
    return report("updated");
  }
  if (!force) return report("kept");
  const obstacle = standing.isDirectory() ? `${path} is a directory` : backUp(path, standing);
  if (obstacle !== undefined) {
    notes.push(`note: ${obstacle}; move it away and run jig link again`);
    return report("kept");
  }
  write(path, wanted, jig);
  return report("replaced");
}

/**
 * Give a foreign file its backup name as well; our rename over X then leaves no moment without X. Says what is in the
 * way when the name is taken.
 */
function backUp(path: string, standing: Stats): string | undefined {
  const backup = backupOf(path);
  try {
    linkSync(path, backup);
    return undefined;
  } catch {
    const taken = statIfThere(backup);
    if (taken === undefined) {
      // A file system without hard links.
      renameSync(path, backup);
      return undefined;
    }
    return isSameFile(taken, standing) ? undefined : `${backup} is there already`;
  }
}

/** Two names of one file: a call was killed after it gave X its backup name and before it replaced X. */
function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function backupOf(path: string): string {
  return `${path}.jig-backup`;
}

function write(path: string, { script }: LinkFile, jig: Jig): void {
  const prefix = `${TEMPORARY}${process.pid}-`;
  if (script !== undefined) {
    writeFileAtomic(path, script, { mode: 0o755, symlink: "replace", prefix });
    return;
  }
  const temporary = join(dirname(path), prefix + randomHex(8));
  try {
    symlinkSync(jig.path, temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new JigError(`cannot write ${path}: ${osReason(error)}`);
  }
}

function isOurs(path: string, standing: Stats, name: string, jig: Jig): boolean {
  if (standing.isSymbolicLink()) {
    const target = readlinkSync(path);
    return /^jig(-.*)?$/.test(basename(target)) || leadsTo(path, jig.executable);
  }
  return standing.isFile() && standing.size < 65_536 && isOurScript(readText(path), name);
}

/** A file's text; empty when it cannot be read, and then it is certainly not ours. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function leadsTo(path: string, executable: string): boolean {
  try {
    return realpathSync(path) === realpathSync(executable);
  } catch {
    return false;
  }
}

function isCurrent(path: string, standing: Stats, { script }: LinkFile, jig: Jig): boolean {
  if (script === undefined) return standing.isSymbolicLink() && readlinkSync(path) === jig.path;
  const executable = process.platform === "win32" || (standing.mode & 0o777) === 0o755;
  return standing.isFile() && executable && readFileSync(path, "utf8") === script;
}

function removeName(directory: string, name: string, jig: Jig, platform: NodeJS.Platform): LinkReport {
  const report: LinkReport = [];
  const candidates = platform === "win32" ? [name, `${name}.cmd`] : [name];
  for (const path of candidates.map((file) => join(directory, file))) {
    const standing = statIfThere(path);
    const ours = standing !== undefined && isOurs(path, standing, name, jig);
    const backup = statIfThere(backupOf(path));
    if (standing !== undefined && !ours) {
      if (backup === undefined || !isSameFile(backup, standing)) continue;
      rmSync(backupOf(path));
      report.push({ action: "restored", path });
    } else if (backup !== undefined) {
      // One rename: the person's file is back in the same step in which ours goes.
      renameSync(backupOf(path), path);
      if (ours) report.push({ action: "removed", path });
      report.push({ action: "restored", path });
    } else if (ours) {
      rmSync(path);
      report.push({ action: "removed", path });
    }
  }
  return report;
}
