/** The mechanical half of the intent readiness gate, before PLAN or BUILD (docs/spec/flow.md 11.4). */

export type Condition = "context_bounded" | "contradiction_free" | "specific";
export type Verdict = "READY" | "DECOMPOSE" | "HALT_CONTRADICTION" | "ASK_SPECIFICITY";

export interface Failing {
  condition: Condition;
  /** What is wrong: a criterion, a count, a contradiction. */
  item: string;
  reason: string;
}

export interface Readiness {
  verdict: Verdict;
  failing: Failing[];
}

/** An intent as it is judged: texts of its entries, whatever form they are stored in. */
export interface JudgedIntent {
  constraints: readonly string[];
  nonGoals: readonly string[];
  criteria: readonly Criterion[];
}

export interface Criterion {
  text: string;
  /** What a scenario may refer to it by, when it has one. */
  id: string | null;
}

export interface Judging {
  /** Length of the serialized intent, in characters, and what is allowed. */
  serialized: number;
  budget: number;
  /** Source files the work needs to look at, as the caller counted them. */
  sourceFiles: number | undefined;
  /** What the caller found itself. */
  contradiction: string | undefined;
  /** Texts of the recorded scenarios when each criterion needs one. */
  scenarios: readonly string[] | undefined;
}

const MOST_SOURCE_FILES = 5;
export const DEFAULT_BUDGET = 16_000;
const FEWEST_WORDS = 3;
const NEGATIONS = ["no", "not", "never", "without"];
const VAGUE = [
  "better",
  "nicer",
  "cleaner",
  "faster",
  "improve",
  "improved",
  "make it work",
  "properly",
  "robust",
];

const VERDICTS: readonly (readonly [Condition, Verdict])[] = [
  ["context_bounded", "DECOMPOSE"],
  ["contradiction_free", "HALT_CONTRADICTION"],
  ["specific", "ASK_SPECIFICITY"],
];

/** Judge an intent; the verdict is that of the first condition that fails. Linear. */
export function judgeReadiness(intent: JudgedIntent, judging: Judging): Readiness {
  const failing = [...unbounded(judging), ...contradictions(intent, judging), ...vague(intent, judging)];
  const failed = VERDICTS.find(([condition]) => failing.some((one) => one.condition === condition));
  return { verdict: failed?.[1] ?? "READY", failing };
}

function unbounded({ sourceFiles, serialized, budget }: Judging): Failing[] {
  const condition = "context_bounded";
  const failing: Failing[] = [];
  if (sourceFiles !== undefined && sourceFiles > MOST_SOURCE_FILES) {
    failing.push({
      condition,
      item: `${sourceFiles} source files`,
      reason: `more than ${MOST_SOURCE_FILES}`,
    });
  }
  if (serialized > budget) {
    failing.push({ condition, item: `an intent of ${serialized} characters`, reason: `more than ${budget}` });
  }
  return failing;
}

/** A criterion that is a constraint or non-goal behind a negation, or the other way round. */
function contradictions(intent: JudgedIntent, { contradiction }: Judging): Failing[] {
  const condition = "contradiction_free";
  const failing: Failing[] = [];
  if (contradiction !== undefined) {
    failing.push({ condition, item: contradiction, reason: "given by the caller" });
  }
  const limits = new Map<string, string>();
  for (const text of [...intent.constraints, ...intent.nonGoals]) limits.set(normalized(text), text);
  // What is said must not be there, by what must not be.
  const negated = new Map<string, string>();
  for (const [limit, text] of limits) {
    const [first, ...rest] = limit.split(" ");
    if (NEGATIONS.includes(first!) && rest.length > 0) negated.set(rest.join(" "), text);
  }
  for (const { text } of intent.criteria) {
    const criterion = normalized(text);
    const [first, ...rest] = criterion.split(" ");
    const against =
      negated.get(criterion) ?? (NEGATIONS.includes(first!) ? limits.get(rest.join(" ")) : undefined);
    if (against !== undefined && criterion !== "") {
      failing.push({ condition, item: text, reason: `contradicts '${against}'` });
    }
  }
  return failing;
}

function vague({ criteria }: JudgedIntent, { scenarios }: Judging): Failing[] {
  const condition = "specific";
  const failing: Failing[] = [];
  const covered = scenarios === undefined ? undefined : coveredBy(scenarios);
  criteria.forEach(({ text, id }, index) => {
    const criterion = normalized(text);
    const add = (reason: string) =>
      failing.push({ condition, item: text === "" ? `criterion ${index + 1}` : text, reason });
    const words = text.trim() === "" ? 0 : text.trim().split(/\s+/).length;
    if (words === 0) add("is empty");
    else if (words < FEWEST_WORDS) add(`has fewer than ${FEWEST_WORDS} words`);
    const word = VAGUE.find((one) => ` ${criterion} `.includes(` ${one} `));
    if (word !== undefined && !/\d/.test(criterion)) add(`says '${word}' without a number`);
    if (covered === undefined || words === 0) return;
    const names = [criterion, `ac${index + 1}`, ...(id === null ? [] : [normalized(id)])];
    if (!names.some((name) => covered.has(name))) add("has no scenario");
  });
  return failing;
}

/** What the scenarios speak of: their whole texts, and the ids they begin with (`AC1: …`, `AC-1 …`). */
function coveredBy(scenarios: readonly string[]): Set<string> {
  const covered = new Set<string>();
  for (const text of scenarios) {
    covered.add(normalized(text));
    const [id] = /^\s*[\p{L}\p{N}][\p{L}\p{N}_.-]*/u.exec(text) ?? [];
    if (id === undefined) continue;
    covered.add(normalized(id));
    covered.add(normalized(id).replaceAll(" ", ""));
  }
  return covered;
}

/** Lower case, letters and digits alone, one blank between words. */
export function normalized(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ");
}
