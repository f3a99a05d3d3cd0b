/** What a reply to the scope question means (docs/spec/flow.md 8.2). */
export type Scope = "CRITICAL_ONLY" | "ALL_ISSUES";

export const SCOPE_OPTIONS = ["Fix critical only (Recommended)", "Fix all issues"] as const;

const ANSWERS: Readonly<Record<string, Scope>> = {
  "critical only": "CRITICAL_ONLY",
  "fix critical only": "CRITICAL_ONLY",
  "fix critical only (recommended)": "CRITICAL_ONLY",
  "all issues": "ALL_ISSUES",
  "fix all issues": "ALL_ISSUES",
};

/** What the options' numbers stand for, when a host shows them as a numbered list. */
const NUMBERED: Readonly<Record<string, Scope>> = { "1": "CRITICAL_ONLY", "2": "ALL_ISSUES" };
const NUMBER = /^([12])(?:[.)]|(?= |$))/;

/** Longer replies are none: they are not looked into. */
const LONGEST_REPLY = 10_000;

/**
 * The scope a reply names, by words, by number or by both, in any case and spacing, quoted or with a full stop; undefined
 * for anything else, a number before the other option's words included.
 */
export function scopeOf(reply: string): Scope | undefined {
  if (reply.length > LONGEST_REPLY) return undefined;
  const words = bare(reply.toLowerCase().split(/\s+/).filter(Boolean).join(" "));
  const number = NUMBER.exec(words);
  if (number === null) return named(words);
  const numbered = NUMBERED[number[1]!];
  const rest = bare(words.slice(number[0].length).trim());
  return rest === "" || named(rest) === numbered ? numbered : undefined;
}

function named(words: string): Scope | undefined {
  return Object.hasOwn(ANSWERS, words) ? ANSWERS[words] : undefined;
}

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "‘": "’",
  "«": "»",
};

/** Without the quotes around it and the punctuation at its end, in whichever order they stand. */
function bare(text: string): string {
  const last = text.at(-1);
  if (last === undefined) return text;
  if (".,;:!?".includes(last)) return bare(text.slice(0, -1).trimEnd());
  const first = text[0]!;
  return text.length > 1 && Object.hasOwn(QUOTES, first) && QUOTES[first] === last
    ? bare(text.slice(1, -1).trim())
    : text;
}
