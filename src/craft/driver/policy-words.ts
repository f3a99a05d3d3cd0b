/**
 * Outward actions are approved by a driver, entry by entry; a run must not hand itself approval through the prompt it
 * elects. What reads as `--policy` is stripped where it is plain and refused where it is disguised
 * (docs/spec/craft-run.md 4.5).
 */
import { trimEndOf } from "../../kernel/text/trim-end.ts";

export interface StrippedPrompt {
  text: string;
  /** Flags taken out. */
  count: number;
}

/** A run of what is no blank; a byte-order mark, which cannot be seen, is none. */
const TOKEN = /(?:\S|\ufeff)+/g;

const VALUE = /^[a-z][a-z-]*=(?:always|ask|never)$/;
const JOINED = /^--policy=[a-z][a-z-]*=(?:always|ask|never)$/;

/** Take out plain flags, each with the blanks before it; neighbours never become adjacent, all other bytes stay. */
export function stripPolicy(text: string): StrippedPrompt {
  const tokens = [...text.matchAll(TOKEN)];
  let out = "";
  let at = 0;
  let count = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    const next = tokens[index + 1];
    const isPair = token[0] === "--policy" && next !== undefined && VALUE.test(next[0]);
    if (!isPair && !JOINED.test(token[0])) continue;
    const last = isPair ? next : token;
    const before = text.slice(at, token.index);
    const kept = trimEndOf(before, /[^\S\ufeff]/);
    const after = last.index + last[0].length;
    out += kept;
    // At the very start there is nothing to part from: the blanks behind the flag go with it.
    at = out === "" ? after + /^[^\S\ufeff]*/.exec(text.slice(after))![0].length : after;
    count++;
    if (isPair) index++;
  }
  return { text: out + text.slice(at), count };
}

/** A token that reads as `--policy`, where it stands and its code points. */
export interface PolicyReading {
  line: number;
  column: number;
  codePoints: string;
}

/** The first token that a reader, or a model, may take for `--policy`. */
export function policyReading(text: string): PolicyReading | undefined {
  let line = 1;
  let lineStart = 0;
  let lineEnd = text.indexOf("\n");
  for (const match of text.matchAll(TOKEN)) {
    while (lineEnd >= 0 && lineEnd < match.index) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf("\n", lineStart);
    }
    if (!readsAsPolicy(match[0])) continue;
    const codePoints = [...match[0].slice(0, 80)]
      .map((character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`)
      .join(" ");
    return { line, column: match.index - lineStart + 1, codePoints };
  }
  return undefined;
}

/** Whether a token, folded to what it looks like, is `--policy` or begins like it. */
export function readsAsPolicy(token: string): boolean {
  const folded = fold(token);
  return folded.includes("--policy".replaceAll("i", CLASS).replaceAll("l", CLASS)) || LEADING.test(folded);
}

/** `i`, `l`, `1`, `|`, `!` look alike: one letter stands for them all. */
const CLASS = "l";
const LEADING = /^-+pollcy/;

/** A token as it looks: invisible marks gone, dashes and look-alike letters made plain, everything else dropped. */
export function fold(token: string): string {
  // Before the compatibility forms too: some of them turn a look-alike into a letter that no longer looks like it.
  const plain = decompose(latin(token).normalize("NFKC")).replaceAll(INVISIBLE, "");
  const dashed = plain.replaceAll(LONG_DASHES, "--").replaceAll(DASHES, "-");
  const lower = latin(decompose(latin(dashed).toLowerCase().normalize("NFKC")));
  return lower.replaceAll(/[il1|!]/g, CLASS).replaceAll(/[^\p{L}\p{N}-]/gu, "");
}

/** Look-alike letters as the Latin ones they look like. */
function latin(text: string): string {
  let out = "";
  for (const character of text) out += LOOKS_LIKE.get(character) ?? character;
  return out;
}

function decompose(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** Default-ignorable and format characters, Hangul fillers, tags, C0 and C1. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\u0000-\u001f\u007f-\u009f\u115f\u1160\u3164\uffa0\u180e\u{e0000}-\u{e0fff}]/gu;

/** Em dash, horizontal bar and longer ones. */
const LONG_DASHES = /[\u2014\u2015\u2e3a\u2e3b\ufe31\ufe58\u2e40]/g;

/** Every other character that looks like a hyphen. */
const DASHES =
  /[\p{Pd}\u2212\u207b\u208b\u2796\u02d7\u2043\u30fc\u3161\u4e00\u2500\u2501\u00ad\u06d4\u2cba\u{1f4fe}\u{10a50}]/gu;

/** Letters of other scripts, and signs, by the Latin letter they look like. Compatibility forms fold by themselves. */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    p: "рρϱⲣᴘᑭꓑ𐊕ΡРƿþᏢⲢⳁ⍴𝈓",
    o: "оοσօסه٥۵௦౦೦൦๐໐၀ჿⲟ᠐ᴏᴑ〇ꓳΟОՕⲞ0ഠⵔዐଠᱛ߀૦०০੦୦ο๏°º●○◯⚪⭕ⲟ",
    l: "ӏıІіιϊΙЇїⅼ∣ǀןⵏꓲᛁו۱١｜ⲒⳊلاߊ𐊊𐌉𐌠Ɩʅɪӏ￨丨ⲓլⅠⅰ¡ǃⵑꜟ¦│┃❘❙❚⎮⏐∤︱Ⲓⲓ𝟙",
    c: "сϲⅽᴄⲥꮯꓚСϹⅭᏟⲤ𐊢𐌂ⲥ𝈠ɔ¢ⅽ",
    y: "уγүỿɣʏᶌყ૪ꭚУΥҮʎᎩᎽⲨꓬϒ¥ⲩч",
  }).flatMap(([letter, alike]) => [...alike].map((character) => [character, letter] as const)),
);
