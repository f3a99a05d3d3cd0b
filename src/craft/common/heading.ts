/** A Markdown heading: its level, 1 to 6, and its words without the marks. */
export interface Heading {
  level: number;
  words: string;
}

/** The heading that a line is; undefined when it is none. The caller knows whether the line is one of code. */
export function headingOf(line: string): Heading | undefined {
  const match = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line);
  if (match === null) return undefined;
  const words = line.slice(match[0].length).trim();
  // A loop: a pattern for the closing marks would look at every run of blanks to its end.
  let end = words.length;
  while (words[end - 1] === "#") end--;
  const closed = end === 0 || words[end - 1] === " " || words[end - 1] === "\t";
  return { level: match[1]!.length, words: (closed ? words.slice(0, end) : words).trimEnd() };
}
