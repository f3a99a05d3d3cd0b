const NAMED: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Digits of an escape that gives a code, and their base. */
const CODES: Readonly<Record<string, readonly [digits: number, base: 8 | 16]>> = {
  x: [2, 16],
  u: [4, 16],
  U: [8, 16],
};

/** The text of `$'…'` from behind its opening quote, and where it ends: behind the closing one, or with the text. */
export function ansiText(text: string, from: number): { value: string; end: number } {
  const pieces: string[] = [];
  let run = from;
  let at = from;
  while (at < text.length && text[at] !== "'") {
    if (text[at] !== "\\") {
      at++;
      continue;
    }
    pieces.push(text.slice(run, at));
    const { value, end } = escapeAt(text, at + 1);
    pieces.push(value);
    at = end;
    run = end;
  }
  pieces.push(text.slice(run, at));
  return { value: pieces.join(""), end: Math.min(at + 1, text.length) };
}

function escapeAt(text: string, at: number): { value: string; end: number } {
  const letter = text[at];
  if (letter === undefined) return { value: "\\", end: at };
  const named = NAMED[letter];
  if (named !== undefined) return { value: named, end: at + 1 };
  const octal = letter >= "0" && letter <= "7";
  const [digits, base] = octal ? ([3, 8] as const) : (CODES[letter] ?? [0, 16]);
  const start = octal ? at : at + 1;
  let end = start;
  while (end < start + digits && isDigit(text[end], base)) end++;
  if (end === start) return { value: letter, end: at + 1 };
  const code = Number.parseInt(text.slice(start, end), base);
  return { value: code > 0x10_ffff ? "" : String.fromCodePoint(code), end };
}

function isDigit(character: string | undefined, base: 8 | 16): boolean {
  if (character === undefined) return false;
  return base === 8 ? character >= "0" && character <= "7" : "0123456789abcdefABCDEF".includes(character);
}
