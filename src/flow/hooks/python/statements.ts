import { isNameCode } from "../shell/marks.ts";
import { behindBlanks, dottedEnd, isPrefix, isRaw, readLiteral } from "./literal.ts";

/** One statement of Python, as far as a guard looks at it. */
export interface Statement {
  /** Dotted names that are called: `os.system`. */
  calls: Set<string>;
  /** The texts of its string literals. */
  strings: string[];
  /** The words from `import` or `from` on, without commas and brackets: `from os import system as s`. */
  imports: string[];
}

/**
 * Read Python no further than a guard needs, statement by statement. One ends at `;` and at a newline outside brackets;
 * a backslash at the end of a line continues it; string literals and comments hide both (docs/spec/flow.md 15.3). One
 * pass, linear in the text; text that is no Python is read as far as it goes.
 */
export function readStatements(text: string, visit: (statement: Statement) => void): void {
  let statement = empty();
  let depth = 0;
  let at = 0;
  const end = () => {
    depth = 0;
    if (statement.strings.length > 0 || statement.imports.length > 0) visit(statement);
    statement = empty();
  };
  while (at < text.length) {
    const character = text[at]!;
    if (character === "'" || character === '"') {
      at = addLiteral(statement, text, at, false);
      continue;
    }
    if (isNameCode(text.charCodeAt(at), true)) {
      at = addName(statement, text, at);
      continue;
    }
    if (character === "\\") at++;
    else if (character === "#") at = lineEnd(text, at) - 1;
    else if (character === ";" || (character === "\n" && depth === 0)) end();
    // The bracket of a shell substitution around a whole program is none of Python's.
    else if (isOpening(character) && text[at - 1] !== "$") depth++;
    else if (isClosing(character)) depth = Math.max(0, depth - 1);
    else if (character === "*" && statement.imports.at(-1) === "import") statement.imports.push("*");
    at++;
  }
  end();
}

const empty = (): Statement => ({ calls: new Set(), strings: [], imports: [] });

const isOpening = (character: string) => character === "(" || character === "[" || character === "{";

const isClosing = (character: string) => character === ")" || character === "]" || character === "}";

function addLiteral(statement: Statement, text: string, at: number, raw: boolean): number {
  const { end, value } = readLiteral(text, at, raw);
  statement.strings.push(value);
  return end;
}

function addName(statement: Statement, text: string, at: number): number {
  const end = dottedEnd(text, at);
  const name = text.slice(at, end);
  if ((text[end] === "'" || text[end] === '"') && isPrefix(name)) {
    return addLiteral(statement, text, end, isRaw(name));
  }
  if (text[behindBlanks(text, end, false)] === "(") statement.calls.add(name);
  if (statement.imports.length > 0 || name === "import" || name === "from") statement.imports.push(name);
  return end;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}
