/** Lines longer than this are tiring to read, however wide the terminal. */
export const WIDEST_PAGE = 100;

/** A description narrower than this stands below its name instead of beside it. */
const NARROWEST_COLUMN = 24;

/** A name longer than this does not push the descriptions of the others to the right. */
const WIDEST_NAME = 34;

/** Text broken between words into lines of at most `width` columns; a word that is wider stays whole. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || indent.length + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => indent + line).join("\n");
}

/** Names at the left, descriptions in a column beside them, or below the name where there is no room. */
export function columns(
  rows: readonly (readonly [name: string, description: string])[],
  width: number,
): string {
  const names = rows.map(([name]) => name.length).filter((length) => length <= WIDEST_NAME);
  const beside = 2 + Math.max(0, ...names) + 2;
  const column = width - beside < NARROWEST_COLUMN ? 6 : beside;
  return rows
    .map(([name, description]) => {
      const text = wrap(description, width, " ".repeat(column));
      const head = `  ${name}  `;
      return head.length > column ? `${head.trimEnd()}\n${text}` : head.padEnd(column) + text.slice(column);
    })
    .join("\n");
}
