/** What makes a BUILD too risky for the short chain (docs/spec/flow.md 11.2). */

export type Agent = "claude-code" | "cursor";
export type RiskGroup = "security" | "database" | "payment" | "explicit" | "host" | "added";

/** A keyword as it stands in the request. */
export interface RiskMatch {
  keyword: string;
  group: RiskGroup;
  /** As the request spells it. */
  text: string;
  /** Of its first character, counted in characters. */
  index: number;
  /** No letter, digit or `_` on either side: a match inside another word counts as well. */
  whole_word: boolean;
}

export interface FastPath {
  build_mode: "fast_path" | "standard";
  fast_path_risk_signals: string[];
  matches: RiskMatch[];
}

const listed = (text: string): readonly string[] => text.split(", ");

const KEYWORDS: readonly (readonly [RiskGroup, readonly string[]])[] = [
  [
    "security",
    listed(
      "auth, authz, oauth, jwt, password, credential, secret, cert, ssl, tls, encrypt, decrypt, permission, role, session, access control",
    ),
  ],
  [
    "database",
    listed(
      "migration, schema change, alter table, drop table, seed, remove column, drop column, export data, data export",
    ),
  ],
  ["payment", listed("payment, billing, stripe, checkout, subscription, invoice")],
  ["explicit", listed("critical path, production data, irreversible, truncate, delete all, purge")],
];

/** Only where the agent cannot run the reviewers of the long chain beside each other. */
const HOST_KEYWORDS = listed("concurrent, race, rollback");

export interface RiskOptions {
  host: Agent;
  /** More keywords for this call. */
  added: readonly string[];
}

/** Whether a BUILD may take the short way, and what in the request says no. Linear in the request. */
export function judgeRisk(request: string, { host, added }: RiskOptions): FastPath {
  const lower = lowerCase(request);
  const matches: RiskMatch[] = [];
  for (const [group, keywords] of tableFor(host, added)) {
    for (const keyword of keywords) {
      if (matches.some((match) => match.keyword === keyword)) continue;
      const place = placeOf(lower, keyword);
      if (place === undefined) continue;
      matches.push({
        keyword,
        group,
        text: request.slice(place.start, place.end),
        index: [...request.slice(0, place.start)].length,
        whole_word: place.whole,
      });
    }
  }
  const signals = matches.map(({ keyword }) => keyword);
  return {
    build_mode: signals.length === 0 ? "fast_path" : "standard",
    fast_path_risk_signals: signals,
    matches,
  };
}

function tableFor(host: Agent, added: readonly string[]): (readonly [RiskGroup, readonly string[]])[] {
  const own = added.map((word) => wordsOf(lowerCase(word)).join(" "));
  return [
    ...KEYWORDS,
    ...(host === "cursor" ? [["host", HOST_KEYWORDS] as const] : []),
    ["added", own] as const,
  ];
}

/** The words of a keyword; none when it has nothing to look for. */
export function wordsOf(keyword: string): string[] {
  return keyword.split(/[\s_-]+/).filter((word) => word !== "");
}

interface Place {
  start: number;
  end: number;
  whole: boolean;
}

/** Where a keyword stands: the first place where it is a word of its own, else the first of all. */
function placeOf(lower: string, keyword: string): Place | undefined {
  const [head, ...tail] = wordsOf(keyword) as [string, ...string[]];
  let first: Place | undefined;
  for (let start = lower.indexOf(head); start !== -1; start = lower.indexOf(head, start + 1)) {
    const end = endOf(lower, start + head.length, tail);
    if (end === undefined) continue;
    const whole = !isWordAt(lower, start, -1) && !isWordAt(lower, end, 1);
    if (whole) return { start, end, whole };
    first ??= { start, end, whole };
  }
  return first;
}

/** The end of the words that have to follow, each behind a run of blanks, `-` or `_`. */
function endOf(lower: string, from: number, words: readonly string[]): number | undefined {
  let at = from;
  for (const word of words) {
    const before = at;
    while (at < lower.length && isSeparator(lower[at]!)) at++;
    if (at === before || !lower.startsWith(word, at)) return undefined;
    at += word.length;
  }
  return at;
}

function isSeparator(character: string): boolean {
  return character === " " || character === "-" || character === "_" || /\s/.test(character);
}

/** Whether the character before (-1) or after (1) a position belongs to a word. */
function isWordAt(text: string, at: number, side: -1 | 1): boolean {
  const around = side === 1 ? text.slice(at, at + 2) : text.slice(Math.max(0, at - 2), at);
  const characters = [...around];
  const character = side === 1 ? characters[0] : characters.at(-1);
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** Lower case of the same length, so that places in it are places in the text; what would change length stays. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const one = character.toLowerCase();
    return one.length === character.length ? one : character;
  }).join("");
}
