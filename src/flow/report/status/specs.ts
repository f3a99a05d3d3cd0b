/** The living specifications of a project (docs/spec/flow.md 14, `--specs`). */
import { readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { errorCode, JigError, osReason } from "../../../kernel/call/errors.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { isRegularFile } from "../../../kernel/files/look.ts";
import { Refused, readOwnedText } from "../../../kernel/files/owned-file.ts";
import { splitFrontMatter } from "../../../kernel/yaml/frontmatter.ts";
import { linesOf } from "../../common/sections.ts";
import { MAX_MEMORY_BYTES } from "../../common/state-file.ts";

export interface Specification {
  /** The number its file's name begins with. */
  id: string;
  title: string;
  status: string | null;
  owner: string | null;
  packages: string[];
  /** From the project's root. */
  path: string;
}

const FILE = /^(\d{4})-.*\.md$/;

/** The specifications in a directory, or in the one the project declares. Throws `JigError` when there is none. */
export function specifications(root: string, cwd: string, given: string | undefined): Specification[] {
  const declared = given === undefined ? declaredDirectory(root) : undefined;
  if (given === undefined && declared === undefined) {
    throw new JigError("No living-spec Doc Targets declared and no --spec-dir given.", { verbatim: true });
  }
  const directory = given === undefined ? absoluteFrom(root, declared!) : absoluteFrom(cwd, given);
  return namesIn(directory).map((name) => {
    const path = join(directory, name);
    return { ...specificationOf(name, readText(path)), path: relative(root, path) || path };
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => FILE.test(name))
      .sort();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new JigError(`cannot list ${directory}: ${osReason(error)}`, { cause: error });
  }
}

function readText(path: string): string {
  try {
    return readOwnedText(path, { uid: undefined, maxBytes: MAX_MEMORY_BYTES, allowSymlink: true });
  } catch (error) {
    if (error instanceof Refused) throw new JigError(error.message, { cause: error });
    throw error;
  }
}

/** `dir:` below `living-spec:` in the section Doc Targets of CLAUDE.md. */
function declaredDirectory(root: string): string | undefined {
  const path = join(root, "CLAUDE.md");
  if (!isRegularFile(path)) return undefined;
  let inSection = false;
  let inTarget = false;
  for (const { text } of linesOf(readText(path))) {
    const heading = /^#{1,6} (.*)$/.exec(text)?.[1];
    if (heading !== undefined) inSection = heading.trim().toLowerCase() === "doc targets";
    const [, key, value] = /^\s*(?:- )?\**([\w-]+)\**:(.*)$/.exec(text) ?? [];
    if (heading !== undefined || !inSection || key === undefined) continue;
    if (key === "living-spec") inTarget = true;
    else if (inTarget && key === "dir") return bare(value!) || undefined;
    else if (!/^\s/.test(text)) inTarget = false;
  }
  return undefined;
}

/** A value without the quotes or code marks around it. */
function bare(value: string): string {
  const text = value.trim();
  const mark = text[0];
  const isMarked = (mark === "`" || mark === '"' || mark === "'") && text.length > 1 && text.endsWith(mark);
  return isMarked ? text.slice(1, -1) : text;
}

/** What a specification says of itself, in its front matter or in lines `Status: …` before its first section. */
export function specificationOf(name: string, text: string): Omit<Specification, "path"> {
  const id = FILE.exec(name)?.[1] ?? basename(name, ".md");
  const matter = splitFrontMatter(text);
  const body = matter?.closed ? matter.body : text;
  const fields = new Map<string, string>();
  const note = (line: string) => {
    const [, key, value] = /^\s*(?:[-*] )?(?:\*\*)?([A-Za-z]+)(?:\*\*)?:(?:\*\*)?(.*)$/.exec(line) ?? [];
    if (key !== undefined && !fields.has(key.toLowerCase())) fields.set(key.toLowerCase(), bare(value!));
  };
  if (matter?.closed) for (const line of matter.yaml.split("\n")) note(line);
  let title: string | undefined;
  let section = "";
  let row = 0;
  const packages: string[] = [];
  for (const { fenced, text: line } of linesOf(body)) {
    const heading = fenced ? undefined : /^(#{1,6}) (.*)$/.exec(line);
    if (heading) {
      if (heading[1] === "#") title ??= heading[2]!.trim();
      else section = heading[2]!.trim().toLowerCase();
      row = 0;
    } else if (section === "") note(line);
    else if (section === "impacted packages" && line.trimStart().startsWith("|")) {
      // The first two rows are the table's head and its rule.
      if (++row > 2) packages.push(firstCell(line));
    }
  }
  return {
    id,
    title: fields.get("title") || withoutId(title, id) || basename(name, ".md").slice(id.length + 1),
    status: fields.get("status") || null,
    owner: fields.get("owner") || null,
    packages: packages.filter((one) => one !== ""),
  };
}

/** `0007: Login` and `0007 - Login` are called Login. */
function withoutId(title: string | undefined, id: string): string | undefined {
  return title?.startsWith(id) ? title.slice(id.length).replace(/^[\s:.—–-]+/, "") : title;
}

function firstCell(line: string): string {
  return bare(line.trim().slice(1).split("|", 1)[0]!);
}
