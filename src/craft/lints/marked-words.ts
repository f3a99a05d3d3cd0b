/** What one lint looks for in a text, and the tokens of the run record it reports and honours with. */
export interface MarkedWords {
  /** `STUB`, `SLOP`: the tokens are `<kind>-FOUND(file)` and `<kind>-WAIVE(file)`. */
  kind: "STUB" | "SLOP";
  /** Report each word once a line with its line number, or once a file. */
  report: "lines" | "file";
  /** Matched as whole words, without regard to case. */
  words: readonly string[];
  /** Matched anywhere, without regard to case. */
  phrases: readonly string[];
}

/** Unfinished work in code and documents (docs/spec/craft-engine.md 15, `stub-lint`). */
export const STUBS: MarkedWords = {
  kind: "STUB",
  report: "lines",
  words: ["TODO", "FIXME", "HACK", "XXX", "PLACEHOLDER", "STUB"],
  phrases: [],
};

/** Filler in prose (docs/spec/craft-engine.md 15, `prose-lint`). */
export const FILLER: MarkedWords = {
  kind: "SLOP",
  report: "file",
  words: ["delve", "leverage", "seamless", "robust"],
  phrases: ["it's important to note", "in conclusion"],
};

/** What stands behind `FOUND(file): ` for each find of a text, in the order of the text. */
export function findMarked(text: string, marked: MarkedWords): string[] {
  const canonical = new Map(
    [...marked.words, ...marked.phrases].map((entry) => [entry.toLowerCase(), entry]),
  );
  const pattern = patternOf(marked);
  const found = new Set<string>();
  let line = 1;
  let counted = 0;
  for (const match of text.matchAll(pattern)) {
    const entry = canonical.get(match[0].toLowerCase().replaceAll("’", "'"))!;
    if (marked.report === "file") {
      found.add(entry);
      continue;
    }
    for (; counted < match.index; counted++) if (text.charCodeAt(counted) === 10) line++;
    found.add(`${entry}@L${line}`);
  }
  return [...found];
}

function patternOf({ words, phrases }: MarkedWords): RegExp {
  // A word character on either side makes it another word; letters beyond ASCII count as such.
  const whole = words.length === 0 ? [] : [`(?<![\\p{L}\\p{N}_])(?:${words.join("|")})(?![\\p{L}\\p{N}_])`];
  const anywhere = phrases.map((phrase) => phrase.replaceAll("'", "['’]"));
  return new RegExp([...whole, ...anywhere].join("|"), "giu");
}

/** The files a waiver source exempts: every `<kind>-WAIVE(file)` that names one of `files`. */
export function waivedIn(source: string, kind: MarkedWords["kind"], files: readonly string[]): string[] {
  const opening = `${kind}-WAIVE(`;
  if (!source.includes(opening)) return [];
  const named = new Set<string>();
  for (let at = source.indexOf(opening); at >= 0; at = source.indexOf(opening, at + 1)) {
    const start = at + opening.length;
    const end = source.indexOf("\n", start);
    const rest = source.slice(start, end < 0 ? undefined : end);
    const close = rest.indexOf(")");
    if (close >= 0) named.add(rest.slice(0, close));
  }
  // A name with a bracket of its own is looked for as a whole.
  return files.filter((file) =>
    file.includes(")") ? source.includes(`${opening}${file})`) : named.has(file),
  );
}
