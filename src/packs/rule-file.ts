/** The rule file test (spec/packs.md 7.1), which decides what a source publishes. */
import { constants, fstatSync, openSync, readSync } from "node:fs";
import { closeQuietly, uninterrupted } from "../kernel/file-io.ts";

/** Front matter has to close within this many characters. */
export const MAX_FRONT_MATTER = 65_536;

/** Bytes that hold so many characters of UTF-8. */
const MAX_BYTES = MAX_FRONT_MATTER * 4;

// Nearly every front matter is shorter, so most files take one read into a buffer that is there already.
const head = Buffer.allocUnsafe(4096);

const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Whether a name can be a rule file's: `.md` in lower case, and no README. */
export function isRuleName(name: string): boolean {
  return name.endsWith(".md") && !isReadme(name);
}

export function isReadme(name: string): boolean {
  return name.length === 9 && name.toLowerCase() === "readme.md";
}

/**
 * Whether a regular file has the front matter of a rule: closed, with a line beginning `title:` and one beginning
 * `applies_when:`. False for what cannot be read. A link is followed only when asked; the caller has looked where to.
 */
export function isRuleShaped(path: string, options: { followLink: boolean }): boolean {
  let descriptor: number;
  try {
    const noFollow = options.followLink ? 0 : (constants.O_NOFOLLOW ?? 0);
    descriptor = uninterrupted(() => openSync(path, OPEN_FLAGS | noFollow));
  } catch {
    return false;
  }
  try {
    const length = fill(descriptor, head, 0);
    // Every mark looked for is ASCII, so the cheap decoding does.
    const verdict = judge(
      head.toString("latin1", 0, length).replace(/^\u00ef\u00bb\u00bf/, ""),
      length < head.length,
    );
    return verdict ?? judgeLong(descriptor, length);
  } catch {
    // A directory, or a disk that refuses.
    return false;
  } finally {
    closeQuietly(descriptor);
  }
}

function judgeLong(descriptor: number, known: number): boolean {
  if (!fstatSync(descriptor).isFile()) return false;
  return judge(readStart(descriptor, known), true) ?? false;
}

/** The first characters of a file that front matter may take, without byte-order mark; invalid bytes are replaced. */
export function readRuleStart(path: string): string {
  const descriptor = uninterrupted(() => openSync(path, OPEN_FLAGS));
  try {
    return readStart(descriptor, fill(descriptor, head, 0));
  } finally {
    closeQuietly(descriptor);
  }
}

function readStart(descriptor: number, known: number): string {
  if (known < head.length) return withoutMark(head.toString("utf8", 0, known));
  const all = Buffer.alloc(MAX_BYTES);
  head.copy(all);
  const length = fill(descriptor, all, known);
  const text = withoutMark(all.toString("utf8", 0, length));
  return text.length <= MAX_FRONT_MATTER ? text : firstCharacters(text, MAX_FRONT_MATTER);
}

function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** Read from the file's position until the buffer is full or the file ends; gives the filled length. */
function fill(descriptor: number, buffer: Buffer, from: number): number {
  let filled = from;
  while (filled < buffer.length) {
    const count = uninterrupted(() => readSync(descriptor, buffer, filled, buffer.length - filled, null));
    if (count === 0) break;
    filled += count;
    // A short read of a file this small is its end: one call less per rule.
    if (filled < 4096) break;
  }
  return filled;
}

/** Undefined when the text ends before it can be told and there is more of it. */
function judge(text: string, complete: boolean): boolean | undefined {
  let line = 0;
  let title = false;
  let appliesWhen = false;
  for (let start = 0; start < text.length; line++) {
    const newline = text.indexOf("\n", start);
    if (newline < 0 && !complete) break;
    const end = newline < 0 ? text.length : newline;
    const content = text.slice(start, end).trim();
    start = end + 1;
    if (line === 0) {
      if (content !== "---") return false;
    } else if (content === "---") {
      return title && appliesWhen;
    } else if (content.startsWith("title:")) {
      title = true;
    } else if (content.startsWith("applies_when:")) {
      appliesWhen = true;
    }
  }
  if (complete) return false;
  return line === 0 && !text.trimStart().startsWith("---") ? false : undefined;
}
