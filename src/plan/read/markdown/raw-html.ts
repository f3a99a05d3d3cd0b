/** Tags and comments in a piece of raw HTML that stands in Markdown. */
import type { RawHtml } from "../document.ts";

/**
 * Split raw HTML into comments and tags, each with its line. Text in backticks is code, also where Markdown's own
 * block rules would not see it that way (a paragraph that begins with a tag is one HTML block).
 */
export function scanHtml(value: string, line: number): { comments: RawHtml[]; tags: RawHtml[] } {
  const comments: RawHtml[] = [];
  const tags: RawHtml[] = [];
  let at = 0;
  let currentLine = line;
  const advance = (to: number) => {
    for (
      let index = value.indexOf("\n", at);
      index >= 0 && index < to;
      index = value.indexOf("\n", index + 1)
    ) {
      currentLine += 1;
    }
    at = to;
  };
  const next = /`+|<!--|<\/?[A-Za-z][A-Za-z0-9-]*/g;
  for (let match = next.exec(value); match !== null; match = next.exec(value)) {
    advance(match.index);
    const [token] = match;
    let end = match.index + token.length;
    if (token.startsWith("`")) {
      const close = closingTicks(value, end, token.length);
      if (close !== undefined) end = close;
    } else if (token === "<!--") {
      const close = value.indexOf("-->", match.index + 4);
      end = close < 0 ? value.length : close + 3;
      comments.push({ line: currentLine, value: value.slice(match.index, end) });
    } else {
      end = tagEnd(value, end);
      tags.push({ line: currentLine, value: value.slice(match.index, end) });
    }
    advance(end);
    next.lastIndex = end;
  }
  return { comments, tags };
}

function closingTicks(value: string, from: number, length: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let match = runs.exec(value); match !== null; match = runs.exec(value)) {
    if (match[0].length === length) return runs.lastIndex;
  }
  return undefined;
}

/** Behind the `>` of a tag, quoted attribute values skipped; the end of the text when there is none. */
function tagEnd(value: string, from: number): number {
  let quote = "";
  for (let index = from; index < value.length; index++) {
    const character = value[index]!;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return index + 1;
  }
  return value.length;
}

/** Whether nothing is left of raw HTML once its comments are taken out. */
export function isOnlyComments(value: string): boolean {
  let at = 0;
  for (;;) {
    const start = value.indexOf("<!--", at);
    if (value.slice(at, start < 0 ? undefined : start).trim() !== "") return false;
    const end = start < 0 ? -1 : value.indexOf("-->", start + 4);
    if (end < 0) return true;
    at = end + 3;
  }
}
