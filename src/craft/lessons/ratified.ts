/** Lessons that were merged: read from the base's objects, never from the working tree (docs/spec/craft-run.md 7.3). */
import type { Host } from "../../kernel/call/host.ts";
import { decodeUtf8 } from "../../kernel/files/owned-file.ts";
import { git, gitRecords } from "../../kernel/repository/git.ts";
import { type Lesson, MAX_LESSON_BYTES, readLesson } from "./lesson.ts";

const MOST_LESSONS = 1_000;

/** The lessons of a base. */
export interface Ratified {
  lessons: (Lesson & { path: string })[];
  /** Files that are no lessons, and why. */
  skipped: { path: string; reason: string }[];
}

/** The lessons in a directory of a commit; undefined when the commit has no such directory. */
export async function ratifiedLessons(
  host: Host,
  root: string,
  commit: string,
  directory: string,
): Promise<Ratified | undefined> {
  const words = ["-z", "-l", "--full-tree", `${commit}:${directory}`];
  const listed = await git(host, ["ls-tree", ...words], { cwd: root });
  if (listed.exitCode !== 0) return undefined;
  const files = gitRecords(listed.stdout).flatMap(fileOf).slice(0, MOST_LESSONS);
  const found: Ratified = { lessons: [], skipped: [] };
  const small = files.filter(({ size }) => size <= MAX_LESSON_BYTES);
  const texts = await textsOf(host, root, small);
  for (const { name, object, size } of files) {
    const path = directory === "" ? name : `${directory}/${name}`;
    const skip = (reason: string) => found.skipped.push({ path, reason });
    if (size > MAX_LESSON_BYTES) {
      skip(`is larger than ${MAX_LESSON_BYTES} bytes`);
      continue;
    }
    const text = texts.get(object);
    if (text === undefined) {
      skip("cannot be read, or is not valid UTF-8");
      continue;
    }
    const read = await readLesson(text);
    if (read.ok) found.lessons.push({ ...read.lesson, path });
    else skip(read.faults[0]);
  }
  return found;
}

interface TreeFile {
  name: string;
  object: string;
  size: number;
}

/** A regular Markdown file of a tree; links, submodules and directories are none. */
function fileOf(record: string): TreeFile[] {
  const [, mode, object, size, name] = /^(\d+) \w+ ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(record) ?? [];
  const regular = mode === "100644" || mode === "100755";
  if (!regular || !name!.endsWith(".md") || name === "README.md") return [];
  return [{ name: name!, object: object!, size: Number(size) }];
}

/** Texts by object, all in one call. */
async function textsOf(host: Host, root: string, files: readonly TreeFile[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (files.length === 0) return texts;
  const input = files.map(({ object }) => `${object}\n`).join("");
  const maxBytes = files.reduce((sum, { size }) => sum + size + 200, 0);
  const { exitCode, stdout } = await git(host, ["cat-file", "--batch"], { cwd: root, input, maxBytes });
  if (exitCode !== 0) return texts;
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0x0a, at);
    if (end < 0) break;
    const [object, type, size] = new TextDecoder().decode(stdout.subarray(at, end)).split(" ");
    at = end + 1;
    // `<object> missing` has no content.
    if (type !== "blob") continue;
    const text = decodeUtf8(stdout.subarray(at, at + Number(size)));
    if (text !== undefined) texts.set(object!, text);
    at += Number(size) + 1;
  }
  return texts;
}

/** What ratified lessons say of paths: those whose subjects match, with the paths. */
export function lessonsAbout(
  lessons: Ratified["lessons"],
  paths: readonly string[],
): { path: string; matched: string[] }[] {
  return lessons.flatMap(({ path, subjects }) => {
    const matched = subjects === undefined ? [] : paths.filter(subjects.matches);
    return matched.length === 0 ? [] : [{ path, matched }];
  });
}
