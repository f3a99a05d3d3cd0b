/** The raw input of a run taken apart: craft flags on one side, the brief on the other (docs/spec/craft-engine.md 5.6). */

/** A flag of the input; the positions are its first and last word's. */
export interface FoundFlag {
  name: FlagName;
  value: string;
  /** As it was written, words joined by one space. */
  written: string;
}

const FLAGS = ["--config", "--profile", "--skip", "--harness", "--policy"] as const;
export type FlagName = (typeof FLAGS)[number];

export type Split = { ok: true; flags: readonly FoundFlag[]; brief: string } | { ok: false; message: string };

interface Word {
  start: number;
  end: number;
  /** Quoted, so it can be no flag. */
  isProtected: boolean;
}

/** Take an input apart, in time linear in it. */
export function splitInput(input: string): Split {
  const flags: FoundFlag[] = [];
  let brief = "";
  // Where the brief's next piece begins: after the last flag that was taken out.
  let from = 0;
  const words = wordsOf(input);
  for (let next = words.next(); !next.done; next = words.next()) {
    const word = next.value;
    if (word.isProtected) continue;
    const text = input.slice(word.start, word.end);
    if (text === "--") {
      brief += keptBefore(input, from, word.start);
      return { ok: true, flags, brief: `${brief}${input.slice(word.end)}`.trim() };
    }
    const name = FLAGS.find((flag) => text === flag || text.startsWith(`${flag}=`));
    if (name === undefined) continue;
    let end = word.end;
    let value = text.slice(name.length + 1);
    if (text === name) {
      const after = words.next();
      if (!after.done) {
        value = input.slice(after.value.start, after.value.end);
        end = after.value.end;
      }
    }
    if (value === "" || value.startsWith("--")) return { ok: false, message: `${name} needs a value` };
    brief += keptBefore(input, from, word.start);
    from = end;
    flags.push({ name, value, written: text === name ? `${text} ${value}` : text });
  }
  return { ok: true, flags, brief: `${brief}${input.slice(from)}`.trim() };
}

/** The text up to a flag, without the blanks before it, which go with the flag. */
function keptBefore(input: string, from: number, to: number): string {
  let end = to;
  while (end > from && isBlank(input[end - 1]!)) end--;
  return input.slice(from, end);
}

/** Runs of non-blanks; a quoted span that opens at the start of one belongs to it with all its blanks. */
function* wordsOf(input: string): Generator<Word, void> {
  const unclosed = new Set<string>();
  let at = 0;
  while (at < input.length) {
    if (isBlank(input[at]!)) {
      at++;
      continue;
    }
    const start = at;
    const close = closingOf(input, at, unclosed);
    if (close !== undefined) at = close;
    while (at < input.length && !isBlank(input[at]!)) at++;
    yield { start, end: at, isProtected: close !== undefined };
  }
}

/** Longer runs of backticks open nothing; a search for each length of run would cost more than the input is long. */
const LONGEST_FENCE = 8;

/** Behind the end of the span that opens at a place, when one does. As many backticks close as have opened. */
function closingOf(input: string, at: number, unclosed: Set<string>): number | undefined {
  const quote = input[at]!;
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
  let end = at + 1;
  if (quote === "`") while (input[end] === "`" && end - at < LONGEST_FENCE) end++;
  const mark = input.slice(at, end);
  // What closed nothing once closes nothing later: without this, unclosed quotes would each search to the end.
  if (unclosed.has(mark)) return undefined;
  const close = input.indexOf(mark, end);
  if (close >= 0) return close + mark.length;
  unclosed.add(mark);
  return undefined;
}

function isBlank(character: string): boolean {
  return character.trim() === "";
}
