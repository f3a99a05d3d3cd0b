const WHOLE_LINES = 40;
const END_LINES = 20;

/** A text of up to 40 lines as it is; of a longer one the first and the last 20 (docs/spec/flow.md 10). */
export function cutLines(text: string): string {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length <= WHOLE_LINES) return text;
  return [
    ...lines.slice(0, END_LINES),
    "",
    `... (${lines.length - 2 * END_LINES} lines omitted) ...`,
    "",
    ...lines.slice(-END_LINES),
    "",
    "Run --mode full for the complete content.",
    "",
  ].join("\n");
}
