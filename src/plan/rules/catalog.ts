/** Every rule of `plan check`: what it is about, how grave, for which format (docs/spec/plan.md sections 3.4 to 3.7). */

export type Severity = "error" | "warning" | "info";

/** The part of the ready check or of the audit that a rule belongs to. */
export type Check = "metadata" | "complete" | "consistent" | "focused" | "post-write" | "post-compose";

export interface Rule {
  /** The gravest severity. */
  severity: Severity;
  /** What a lesser case of it is reported as; a rule without one has a single severity. */
  milder?: Severity;
  format: "both" | "md" | "html";
  check: Check;
  summary: string;
}

type Line = readonly [severity: Severity, check: Check, summary: string, milder?: Severity];

const BOTH = {
  "PLAN-M01": ["error", "metadata", "product_contract_source is there, and is the expected producer"],
  "PLAN-M02": ["error", "metadata", "title ends in ' - Plan'"],
  "PLAN-M03": ["error", "metadata", "title has no conventional-commit prefix"],
  "PLAN-M04": ["error", "metadata", "exactly one H1, with the title's text"],
  "PLAN-M05": ["error", "metadata", "type is a lower-case word, preferably a conventional one", "warning"],
  "PLAN-M06": ["error", "metadata", "date is a real date as YYYY-MM-DD"],
  "PLAN-M07": ["error", "metadata", "topic is a kebab-case slug"],
  "PLAN-M08": ["error", "metadata", "the file name agrees with date, type and topic", "warning"],
  "PLAN-M09": ["warning", "metadata", "the file name has the form YYYY-MM-DD-HHMM-...-plan"],
  "PLAN-M10": ["error", "metadata", "no status field", "info"],
  "PLAN-M11": ["info", "metadata", "artifact_readiness marks an earlier wording of the contract"],
  "PLAN-M12": ["error", "metadata", "execution is absent, code or knowledge-work"],
  "PLAN-M13": ["info", "metadata", "the document exists in one format only"],
  "PLAN-S01": ["error", "complete", "Goal Capsule, then Product Contract, as top-level sections"],
  "PLAN-S02": ["error", "complete", "Product Contract has a Summary and Requirements"],
  "PLAN-S03": ["error", "complete", "Goal Capsule states the Objective"],
  "PLAN-S03b": ["warning", "complete", "Goal Capsule names Product authority and Open blockers"],
  "PLAN-S04": ["error", "focused", "no empty plan-only section, and none at all in a requirements document"],
  "PLAN-S05": ["error", "complete", "a planned document has all four plan-only sections"],
  "PLAN-S06": ["error", "focused", "no heading that does not belong into the document"],
  "PLAN-S07": ["error", "complete", "no section without content", "warning"],
  "PLAN-S08": ["error", "consistent", "no registry section twice"],
  "PLAN-S09": ["warning", "consistent", "no heading that is almost a contract name"],
  "PLAN-S10": ["warning", "consistent", "parts of the Product Contract stand inside it"],
  "PLAN-S11": ["error", "complete", "the work-relationships role and its heading go together"],
  "PLAN-S12": ["error", "complete", "every outstanding question is classified", "warning"],
  "PLAN-I01": ["error", "post-write", "ID prefixes are not bold", "warning"],
  "PLAN-I02": ["error", "consistent", "no ID is defined twice"],
  "PLAN-I03": ["warning", "consistent", "more than three requirements have R IDs"],
  "PLAN-I04": ["error", "consistent", "IDs after Governs, Covers and Covered by are defined", "warning"],
  "PLAN-I05": ["warning", "consistent", "no other ID namespaces"],
  "PLAN-I06": ["warning", "post-write", "IDs have no hyphen"],
  "PLAN-I07": ["warning", "consistent", "every acceptance example names what it covers"],
  "PLAN-C01": ["error", "complete", "no placeholder left"],
  "PLAN-C02": ["warning", "complete", "no bare placeholder word in prose"],
  "PLAN-C03": ["error", "complete", "no template text left"],
  "PLAN-C04": ["error", "post-write", "no process notes", "warning"],
  "PLAN-C05": [
    "error",
    "post-write",
    "a settled decision names its class and what it was chosen over",
    "warning",
  ],
  "PLAN-C06": ["error", "post-write", "pack citations have the form (pack: <id>, <path>)"],
  "PLAN-C07": ["warning", "post-write", "no machine-bound paths"],
  "PLAN-C15": ["error", "post-write", "the file is UTF-8 without NUL or byte-order mark", "warning"],
} as const satisfies Record<string, Line>;

const MARKDOWN = {
  "PLAN-C14": ["error", "post-write", "every fence is closed"],
  "PLAN-D01": ["error", "metadata", "the frontmatter is a YAML mapping"],
  "PLAN-D02": ["warning", "metadata", "frontmatter keys are snake_case"],
  "PLAN-D03": ["warning", "metadata", "no frontmatter value is cut by a comment"],
  "PLAN-D04": ["error", "post-write", "no HTML elements", "warning"],
  "PLAN-D05": ["warning", "post-write", "no comments but section markers"],
  "PLAN-D06": ["warning", "post-write", "every fence names its language"],
  "PLAN-D07": ["warning", "post-write", "no hand-drawn boxes"],
  "PLAN-D08": ["warning", "post-write", "no wrapping at a fixed width"],
  "PLAN-D09": ["warning", "post-write", "no strikethrough"],
  "PLAN-D10": ["info", "post-write", "headings are ASCII"],
} as const satisfies Record<string, Line>;

const HTML = {
  "PLAN-H01": ["error", "post-compose", "one complete HTML document in UTF-8, with a viewport", "warning"],
  "PLAN-H02": ["error", "post-compose", "nothing is loaded from elsewhere"],
  "PLAN-H03": ["warning", "post-compose", "web fonts come from known hosts and have a generic fallback"],
  "PLAN-H04": ["error", "metadata", "no hidden copy of the metadata"],
  "PLAN-H05": ["error", "metadata", "the metadata is visible under its exact keys"],
  "PLAN-H06": ["warning", "metadata", "tool fields sit in a closed Document metadata block"],
  "PLAN-H07": ["error", "post-compose", "registry sections have their ids and names"],
  "PLAN-H08": [
    "error",
    "post-compose",
    "navigation reaches every registry section, and every in-page link its target",
  ],
  "PLAN-H09": ["error", "post-compose", "ID anchors and visible IDs go together", "warning"],
  "PLAN-H10": ["error", "post-compose", "ids are unique, names are ASCII"],
  "PLAN-H11": ["error", "post-compose", "a footer gives the time of composition and the source", "warning"],
  "PLAN-H12": ["error", "post-compose", "details inside cards are closed", "warning"],
  "PLAN-H13": ["error", "post-compose", "six or more cards have a sub-navigation"],
  "PLAN-H14": ["warning", "post-compose", "no one-edge accent stripes"],
  "PLAN-H15": ["warning", "post-compose", "text has a width limit, wide content scrolls"],
  "PLAN-H16": ["error", "post-compose", "no framework runtime, only small scripts", "warning"],
  "PLAN-H17": ["warning", "post-compose", "labels are text, not attributes or CSS"],
  "PLAN-H18": ["warning", "post-compose", "a planned document has no wireframe caption"],
} as const satisfies Record<string, Line>;

export type RuleId = keyof typeof BOTH | keyof typeof MARKDOWN | keyof typeof HTML;

type Lines = typeof BOTH & typeof MARKDOWN & typeof HTML;

/** The milder severity that a rule declares, so that `check` reports none that `--list-rules` does not say. */
export type Milder<Id extends RuleId> = Id extends RuleId
  ? Lines[Id] extends readonly [Severity, Check, string, infer Severe extends Severity]
    ? Severe
    : never
  : never;

/** The rules in the order of the spec. */
export const RULES: ReadonlyMap<RuleId, Rule> = new Map<RuleId, Rule>([
  ...entries(BOTH, "both"),
  ...entries(MARKDOWN, "md"),
  ...entries(HTML, "html"),
]);

function entries<Id extends RuleId>(lines: Record<Id, Line>, format: Rule["format"]): [Id, Rule][] {
  return Object.entries<Line>(lines).map(([id, [severity, check, summary, milder]]) => [
    id as Id,
    { severity, format, check, summary, ...(milder === undefined ? {} : { milder }) },
  ]);
}

export function isRule(id: string): id is RuleId {
  return RULES.has(id as RuleId);
}

/** Hosts that serve open web fonts as a stylesheet. */
export const WEBFONT_HOSTS: readonly string[] = [
  "fonts.googleapis.com",
  "fonts.bunny.net",
  "rsms.me",
  "api.fontshare.com",
  "use.typekit.net",
  "fonts.cdnfonts.com",
  "cdn.jsdelivr.net",
];

/** Clauses of the ready check that a program cannot decide (section 3.8). */
export const JUDGEMENT: readonly string[] = [
  "Sections do not contradict one another.",
  "The objective is an outcome that a stranger understands.",
  "The document holds one coherent work unit, and no surrounding work in Requirements, Flows or Examples.",
  "Planning does not have to invent behaviour.",
  "Each rule is stated once and cited elsewhere.",
  "A requirement has at most one qualifier and one outcome.",
  "Requirements are grouped by concern.",
  "The Summary only proposes, the Problem Frame only motivates.",
  "What a diagram shows is also said in prose.",
  "No stroke of a diagram crosses a label.",
  "Contrast is sufficient.",
  "No link is invented.",
  "Nothing is committed that nobody asked for.",
];
