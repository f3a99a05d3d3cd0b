import { CallNames } from "./imports.ts";
import { openedPaths } from "./opened.ts";
import { readStatements } from "./statements.ts";

/** What separates a path from the rest of a text that some program is given. */
const AROUND_PATHS = new Set(" \t\r\n<>|&;()'\"`=,");

/**
 * Give out every path that a Python text may write to: of `open('P'` and `Path('P').write_text(`, and whatever stands in a
 * literal of a statement that calls one of `CallNames` (docs/spec/flow.md 15.3). Dynamic code is not seen.
 */
export function pythonTargets(text: string, visit: (path: string) => void): void {
  for (const path of openedPaths(text)) visit(path);
  const names = new CallNames();
  readStatements(text, (statement) => names.note(statement));
  readStatements(text, (statement) => {
    if (!names.calledIn(statement)) return;
    for (const literal of statement.strings) pathsIn(literal, visit);
  });
}

/** The literal itself, and its parts between blanks and marks of a shell. */
function pathsIn(literal: string, visit: (path: string) => void): void {
  visit(literal);
  let start = 0;
  for (let at = 0; at <= literal.length; at++) {
    if (at < literal.length && !AROUND_PATHS.has(literal[at]!)) continue;
    if (at > start && at - start < literal.length) visit(literal.slice(start, at));
    start = at + 1;
  }
}
