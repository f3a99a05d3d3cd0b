import { isNameCode } from "../shell/marks.ts";
import type { ShellCommand, Word } from "../shell/words.ts";

/**
 * The Python texts of a command: the quoted argument of each `-c`; the whole command as well when the word `python` or
 * `python3` stands anywhere else in it, behind another program or with a here-document (docs/spec/flow.md 15.3).
 */
export class PythonTexts {
  private readonly found: string[] = [];
  /** Where the invocations with a text of their own stand. */
  private readonly covered: { start: number; end: number }[] = [];

  /** Take in one simple command of the text. */
  note({ words }: ShellCommand): void {
    words.forEach((word, index) => {
      if (word.value.startsWith("-") || !isPython(word.value)) return;
      const code = codeOf(words, index + 1);
      if (code === undefined) return;
      this.found.push(code.text);
      this.covered.push({ start: word.start, end: code.word.end });
    });
  }

  /** What there is to look at, when all commands of `text` are taken in. */
  of(text: string): string[] {
    const covered = this.covered.sort((a, b) => a.start - b.start);
    let next = 0;
    let end = 0;
    for (let at = text.indexOf("python"); at >= 0; at = text.indexOf("python", at + 1)) {
      for (; next < covered.length && covered[next]!.start <= at; next++)
        end = Math.max(end, covered[next]!.end);
      if (at >= end && isWordAt(text, at)) return [...this.found, text];
    }
    return this.found;
  }
}

function isPython(value: string): boolean {
  return isWordAt(value, value.lastIndexOf("/") + 1);
}

/** `python` or `python3` as a word; a version may follow (`python3.12`). */
function isWordAt(text: string, at: number): boolean {
  if (!text.startsWith("python", at) || (at > 0 && isNameCode(text.charCodeAt(at - 1), false))) return false;
  const end = at + "python".length + (text[at + "python".length] === "3" ? 1 : 0);
  return !(end < text.length && isNameCode(text.charCodeAt(end), false));
}

/** The argument of `-c` among the options of an interpreter, when any of it is quoted. */
function codeOf(words: readonly Word[], from: number): { word: Word; text: string } | undefined {
  for (let at = from; at < words.length; at++) {
    const { quoted, value } = words[at]!;
    if (!value.startsWith("-")) return undefined;
    if (value.startsWith("-c") && quoted) return { word: words[at]!, text: value.slice("-c".length) };
    if (isCommandOption(value)) {
      const word = words[at + 1];
      return word?.quoted ? { word, text: word.value } : undefined;
    }
    if (value === "-W" || value === "-X") at++;
  }
  return undefined;
}

/** `-c`, also behind other letters: `-Bc`. */
function isCommandOption(value: string): boolean {
  return !value.startsWith("--") && value.endsWith("c") && !value.includes("=");
}
