/** Which workflow a request asks for, by the words in it (docs/spec/flow.md 11.1). */

export type WorkflowType = "DEBUG" | "PLAN" | "REVIEW" | "BUILD";
export type Signal = "ERROR" | "PLAN" | "REVIEW" | "DEFAULT";

export interface Routing {
  workflow: WorkflowType;
  /** 1 wins over 2, and so on. */
  priority: number;
  signal: Signal;
  /** The base keywords that were found, in the order of the table; `default` when none was. */
  signals: string[];
  /** What was found for signals of lower priority. */
  otherSignals: Partial<Record<Signal, string[]>>;
}

interface Row {
  signal: Exclude<Signal, "DEFAULT">;
  workflow: WorkflowType;
  /** Base keyword, with the words that stand for it. */
  words: readonly (readonly [keyword: string, accepted: string])[];
}

/** The phrase that stands for a keyword as a whole. */
const PHRASE = ["is", "this", "good"];
const PHRASE_KEYWORD = PHRASE.join(" ");

/** The first row with a word in the request wins. */
const ROWS: readonly Row[] = [
  {
    signal: "ERROR",
    workflow: "DEBUG",
    words: [
      ["error", "error errors"],
      ["bug", "bug bugs buggy"],
      ["fix", "fix fixes fixed fixing"],
      ["broken", "broken"],
      ["crash", "crash crashes crashed crashing"],
      ["fail", "fail fails failed failing failure failures"],
      ["debug", "debug debugs debugged debugging"],
      ["troubleshoot", "troubleshoot troubleshoots troubleshooting"],
      ["issue", "issue issues"],
    ],
  },
  {
    signal: "PLAN",
    workflow: "PLAN",
    words: [
      ["plan", "plan plans planned planning"],
      ["design", "design designs designed designing"],
      ["architect", "architect architects architecture architectural"],
      ["roadmap", "roadmap roadmaps"],
      ["strategy", "strategy strategies"],
      ["spec", "spec specs specification specifications"],
      ["brainstorm", "brainstorm brainstorms brainstorming"],
    ],
  },
  {
    signal: "REVIEW",
    workflow: "REVIEW",
    words: [
      ["review", "review reviews reviewed reviewing"],
      ["audit", "audit audits audited auditing"],
      ["analyze", "analyze analyzes analyzed analyzing analyse analyses analysed analysing analysis"],
      ["assess", "assess assesses assessing assessment assessments"],
      [PHRASE_KEYWORD, ""],
    ],
  },
];

const KEYWORD_OF: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap(({ words }) => words).flatMap(([keyword, accepted]) =>
    accepted
      .split(" ")
      .filter(Boolean)
      .map((word) => [word, keyword] as const),
  ),
);
const LONGEST_WORD = Math.max(...[...KEYWORD_OF.keys()].map((word) => word.length));

/** The workflow a request asks for; BUILD when nothing in it says otherwise, as for an empty one. Linear. */
export function routeRequest(request: string): Routing {
  const found = keywordsIn(request);
  const matches = ROWS.map((row) => ({
    row,
    signals: row.words.map(([keyword]) => keyword).filter((keyword) => found.has(keyword)),
  })).filter(({ signals }) => signals.length > 0);
  const [first, ...others] = matches;
  if (first === undefined) {
    return {
      workflow: "BUILD",
      priority: ROWS.length + 1,
      signal: "DEFAULT",
      signals: ["default"],
      otherSignals: {},
    };
  }
  const { signal, workflow } = first.row;
  return {
    workflow,
    priority: ROWS.indexOf(first.row) + 1,
    signal,
    signals: first.signals,
    otherSignals: Object.fromEntries(others.map(({ row, signals }) => [row.signal, signals])),
  };
}

/** A word ends at any character that is no letter, digit or `_`. */
function keywordsIn(request: string): Set<string> {
  const found = new Set<string>();
  let phrase = 0;
  let end = 0;
  for (const match of request.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const word = match[0].length > LONGEST_WORD ? "" : match[0].toLowerCase();
    const keyword = KEYWORD_OF.get(word);
    if (keyword !== undefined) found.add(keyword);
    const follows = phrase > 0 && request.slice(end, match.index).trim() === "";
    if (follows && word === PHRASE[phrase]) phrase++;
    else phrase = word === PHRASE[0] ? 1 : 0;
    if (phrase === PHRASE.length) {
      found.add(PHRASE_KEYWORD);
      phrase = 0;
    }
    end = match.index + match[0].length;
  }
  return found;
}
