/** A line of two texts laid side by side: in both, only in the first, only in the second. */
export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
  /** Its number, from 1, in the second text; of a line that is gone, the number that stands there now. */
  line: number;
}

/** Cells of the table that finds what both have; beyond it everything between the common ends counts as changed. */
const MOST_CELLS = 4_000_000;

/** What became of a text's lines: the fewest that are gone or new, the common ends cut off first. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (text: string, index: number): DiffLine => ({ kind: "same", text, line: index + 1 });
  return [
    ...after.slice(0, start).map(same),
    ...changes(before.slice(start, before.length - end), after.slice(start, after.length - end), start),
    ...after.slice(after.length - end).map((text, index) => same(text, after.length - end + index)),
  ];
}

function changes(before: readonly string[], after: readonly string[], offset: number): DiffLine[] {
  const width = after.length + 1;
  const found: DiffLine[] = [];
  const gone = (row: number, column: number) =>
    found.push({ kind: "gone", text: before[row]!, line: offset + column + 1 });
  const fresh = (column: number, kind: "new" | "same") =>
    found.push({ kind, text: after[column]!, line: offset + column + 1 });
  const common = (before.length + 1) * width <= MOST_CELLS ? longestCommon(before, after) : undefined;
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (
      common !== undefined &&
      row < before.length &&
      column < after.length &&
      before[row] === after[column]
    ) {
      fresh(column++, "same");
      row++;
    } else if (
      row < before.length &&
      (column === after.length ||
        common === undefined ||
        common[(row + 1) * width + column]! >= common[row * width + column + 1]!)
    ) {
      gone(row++, column);
    } else fresh(column++, "new");
  }
  return found;
}

/** Length of the longest common subsequence of the ends that begin at a row and a column. */
function longestCommon(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const at = row * width + column;
      common[at] =
        before[row] === after[column]
          ? common[at + width + 1]! + 1
          : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  return common;
}
