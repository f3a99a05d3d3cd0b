/** Style sheets read well enough to judge single declarations: comments, strings, nesting and at-rules. */

export interface Declaration {
  /** The selector list of its rule; a style attribute's element name; `@font-face` and the like for an at-rule. */
  selector: string;
  /** Lower case. */
  property: string;
  value: string;
  line: number;
}

export interface StyleSheet {
  declarations: Declaration[];
  /** Lines of `@import` rules. */
  imports: number[];
}

/** Read a style sheet whose first character stands on `line` of its file. */
export function readCss(css: string, line: number, selector = ""): StyleSheet {
  const sheet: StyleSheet = { declarations: [], imports: [] };
  const selectors: string[] = [selector];
  let start = 0;
  let startLine = line;
  let at = 0;
  let current = line;
  let text = "";
  const take = (length: number) => {
    for (const character of css.slice(at, at + length)) if (character === "\n") current += 1;
    at += length;
  };
  const begin = () => {
    text = "";
    start = at;
    startLine = current;
  };
  const end = () => {
    addStatement(sheet, text, selectors.at(-1) ?? "", startLine + leadingLines(css.slice(start)));
    begin();
  };
  while (at < css.length) {
    const skip = opaqueLength(css, at);
    if (skip > 0) {
      if (!css.startsWith("/*", at)) text += css.slice(at, at + skip);
      take(skip);
      continue;
    }
    const character = css[at]!;
    take(1);
    if (character === "{") {
      selectors.push(nested(selectors.at(-1) ?? "", text.trim()));
      begin();
    } else if (character === "}") {
      end();
      if (selectors.length > 1) selectors.pop();
    } else if (character === ";") end();
    else text += character;
  }
  end();
  return sheet;
}

/** A media query or layer keeps the selector around it. */
function nested(outer: string, prelude: string): string {
  if (!prelude.startsWith("@")) return prelude;
  return /^@(?:media|supports|layer|container|scope|starting-style)\b/i.test(prelude) ? outer : prelude;
}

function leadingLines(text: string): number {
  return /^(?:\s|\/\*.*?\*\/)*/s.exec(text)![0].split("\n").length - 1;
}

/** Length of a comment, a string or a `url(…)` that begins here; 0 for anything else. */
function opaqueLength(css: string, at: number): number {
  const character = css[at];
  if (character === "/" && css[at + 1] === "*") {
    const end = css.indexOf("*/", at + 2);
    return (end < 0 ? css.length : end + 2) - at;
  }
  if (character === '"' || character === "'") {
    let end = at + 1;
    while (end < css.length && css[end] !== character && css[end] !== "\n") end += css[end] === "\\" ? 2 : 1;
    return Math.min(end + 1, css.length) - at;
  }
  if ((character === "u" || character === "U") && /^url\(\s*[^"'\s)]/i.test(css.slice(at, at + 40))) {
    const end = css.indexOf(")", at);
    return (end < 0 ? css.length : end + 1) - at;
  }
  return 0;
}

function addStatement(sheet: StyleSheet, text: string, selector: string, line: number): void {
  const statement = text.trim();
  if (/^@import\b/i.test(statement)) sheet.imports.push(line);
  const parts = /^([\w-]+)\s*:\s*(.*)$/s.exec(statement);
  if (parts === null) return;
  sheet.declarations.push({ selector, property: parts[1]!.toLowerCase(), value: parts[2]!.trim(), line });
}

/** The targets of every `url(…)` in a value. */
export function urlsIn(value: string): string[] {
  const found: string[] = [];
  for (const match of value.matchAll(/url\(/gi)) {
    const start = match.index + match[0].length;
    const quote = /["']/.exec(value.slice(start).trimStart()[0] ?? "")?.[0];
    const from = quote === undefined ? start : value.indexOf(quote, start) + 1;
    const next = value.indexOf(quote ?? ")", from);
    // Without an end here there is none further on either.
    if (next < 0) break;
    found.push(value.slice(from, next).trim());
  }
  return found;
}

/** The contents of the strings in a value, escapes left as they are written. */
export function stringsIn(value: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < value.length; at++) {
    const quote = value[at];
    if (quote !== '"' && quote !== "'") continue;
    let end = at + 1;
    while (end < value.length && value[end] !== quote) end += value[end] === "\\" ? 2 : 1;
    if (end >= value.length) break;
    found.push(value.slice(at + 1, end));
    at = end;
  }
  return found;
}
