/** The documents that state intent (docs/spec/craft-run.md 6.1). */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { lookAt } from "../../kernel/files/look.ts";
import { Refused, readOwnedFile, readOwnedText } from "../../kernel/files/owned-file.ts";
import { byCodePoint } from "../../kernel/text/code-point-order.ts";
import { readFrontMatter, splitFrontMatter } from "../../kernel/yaml/frontmatter.ts";
import { yamlEntry } from "../../kernel/yaml/yaml.ts";
import { containedTarget } from "../common/repo-path.ts";
import { type Subjects, subjectsOf } from "../common/subjects.ts";

/** Where living pages are without a word of the manifest: a directory and what its files are called. */
const LIVING: readonly (readonly [directory: string, name: RegExp])[] = [
  ["docs/contributing/specs", /\.md$/],
  ["docs/contributing/prd", /^DESIGN-.*\.md$/],
  ["docs/contributing", /^DOD\.md$/],
  ["docs/guides", /^(?:concepts|customizing)\.md$/],
];

const MAX_PAGE_BYTES = 4 << 20;
const MAX_RECORD_BYTES = 64 << 20;

/** The living pages there are, relative to a directory, in byte order. */
export function livingPages(root: string): string[] {
  return LIVING.flatMap(([directory, name]) =>
    regularFiles(root, directory)
      .filter((file) => name.test(file) && !file.startsWith("."))
      .map((file) => `${directory}/${file}`),
  ).toSorted(byCodePoint);
}

/** Names of the regular files, no links, in a directory inside the root; none when it is not there. */
function regularFiles(root: string, directory: string): string[] {
  const path = containedTarget(root, directory);
  return path === undefined ? [] : filesIn(path);
}

/** Names of the regular files, no links, in a directory. */
export function filesIn(path: string): string[] {
  try {
    return readdirSync(path).filter((name) => lookAt(join(path, name))?.isFile() === true);
  } catch {
    return [];
  }
}

/** Decision records of a directory: Markdown files whose first line is exactly `---`, in byte order (6.4). */
export function decisionRecords(directory: string): string[] {
  return filesIn(directory)
    .filter((name) => name.endsWith(".md") && firstLineIsFence(join(directory, name)))
    .toSorted(byCodePoint);
}

function firstLineIsFence(path: string): boolean {
  try {
    const bytes = readOwnedFile(path, { uid: undefined, maxBytes: MAX_RECORD_BYTES });
    return /^---\r?(?:\n|$)/.test(new TextDecoder().decode(bytes.subarray(0, 8)));
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

/** The text of a page; undefined when it cannot be read. */
function readPage(path: string): string | undefined {
  try {
    return readOwnedText(path, { uid: undefined, maxBytes: MAX_PAGE_BYTES });
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** A document and what it speaks of. */
export interface Page {
  /** From the root. */
  path: string;
  /** Its first line of text, for a person to choose by. */
  purpose: string;
  subjects: Subjects;
}

/** A document that takes no part. */
export interface SkippedPage {
  page: string;
  reason: "no-subjects" | "malformed-subjects";
}

/** The documents with subjects, and those without, in the order given. What cannot be read is left out silently. */
export async function readPages(
  root: string,
  paths: readonly string[],
): Promise<{ pages: Page[]; skipped: SkippedPage[] }> {
  const pages: Page[] = [];
  const skipped: SkippedPage[] = [];
  for (const path of paths) {
    const full = containedTarget(root, path);
    const text = full === undefined ? undefined : readPage(full);
    if (text === undefined) continue;
    const subjects = await subjectsIn(text);
    if (typeof subjects === "string") skipped.push({ page: path, reason: subjects });
    else pages.push({ path, purpose: purposeOf(text), subjects });
  }
  return { pages, skipped };
}

async function subjectsIn(text: string): Promise<Subjects | SkippedPage["reason"]> {
  const matter = await readFrontMatter(text);
  if (matter.kind === "none") return "no-subjects";
  if (matter.kind === "problem") return "malformed-subjects";
  const entry = yamlEntry(matter.map, "subjects");
  if (entry === undefined) return "no-subjects";
  return subjectsOf(entry.value) ?? "malformed-subjects";
}

const LONGEST_PURPOSE = 200;

function purposeOf(text: string): string {
  const body = splitFrontMatter(text)?.body ?? text;
  const line = body.split("\n").find((one) => one.trim() !== "") ?? "";
  return [...line.trim().replace(/^#+[ \t]*/, "")].slice(0, LONGEST_PURPOSE).join("");
}
