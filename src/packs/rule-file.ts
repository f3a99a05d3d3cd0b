/** The rule file test (docs/spec/packs.md 7.1), which decides what a source publishes. */
import { constants, fstatSync, openSync, readSync } from "node:fs";
import { errorCode } from "../kernel/call/errors.ts";
import { closeQuietly, uninterrupted } from "../kernel/files/file-io.ts";

/** Front matter has to close within this many characters. */
export const MAX_FRONT_MATTER = 65_536;

/** Bytes that hold so many characters of UTF-8. */
const MAX_BYTES = MAX_FRONT_MATTER * 4;

// Nearly every front matter is shorter, so most files take one read into a buffer that is there already.
const head = Buffer.allocUnsafe(4096);

// Windows has neither flag.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

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
  // A pack may have thousands of files, so nothing here is done twice or through a closure.
  let descriptor: number;
  try {
    descriptor = openSync(path, options.followLink ? OPEN_FLAGS : OPEN_FLAGS | NO_FOLLOW);
  } catch (error) {
    return errorCode(error) === "EINTR" && isRuleShaped(path, options);
  }
  try {
    const length = readSync(descriptor, head, 0, head.length, null);
    // Every mark looked for is ASCII, so the cheap decoding does.
    const text = head.toString("latin1", 0, length);
    if (isPlainRule(text)) return true;
    return (
      judge(text.replace(/^\u00ef\u00bb\u00bf/, ""), length < head.length) ?? judgeLong(descriptor, length)
    );
  } catch (error) {
    // A directory, or a disk that refuses.
    return errorCode(error) === "EINTR" && isRuleShaped(path, options);
  } finally {
    closeQuietly(descriptor);
  }
}

/** The usual shape of a rule, told by a few searches; anything else is for `judge`. */
function isPlainRule(text: string): boolean {
  if (!text.startsWith("---\n")) return false;
  const close = text.indexOf("---", 4);
  if (close < 0 || text.charAt(close - 1) !== "\n" || text.charAt(close + 3) !== "\n") return false;
  const block = text.slice(3, close);
  return block.includes("\ntitle:") && block.includes("\napplies_when:");
}

function judgeLong(descriptor: number, known: number): boolean {
  if (!fstatSync(descriptor).isFile()) return false;
  return judge(readStart(descriptor, known), true) ?? false;
}

/** The first characters of a file that front matter may take, without byte-order mark; invalid bytes are replaced. */
export function readRuleStart(path: string): string {
  const descriptor = uninterrupted(() => openSync(path, OPEN_FLAGS));
  try {
    return readStart(
      descriptor,
      uninterrupted(() => readSync(descriptor, head, 0, head.length, null)),
    );
  } finally {
    closeQuietly(descriptor);
  }
}

/** `known` bytes are in `head` already; a read that did not fill it was the whole file. */
function readStart(descriptor: number, known: number): string {
  if (known < head.length) return withoutMark(head.toString("utf8", 0, known));
  const all = Buffer.alloc(MAX_BYTES);
  head.copy(all);
  let length = known;
  while (length < all.length) {
    const from = length;
    const count = uninterrupted(() => readSync(descriptor, all, from, all.length - from, null));
    if (count === 0) break;
    length += count;
  }
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
