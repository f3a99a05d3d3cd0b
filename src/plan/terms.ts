/** The words of the unified-plan contract, each named once (docs/spec/plan.md section 1). */

export const CONTRACT_ID = "ce-unified-plan/v1";

export const FORMATS = ["md", "html"] as const;
export type Format = (typeof FORMATS)[number];

/** `requirements-only` until a plan-only section exists; derived from content, never from a flag in the document. */
export type Stage = "requirements-only" | "planned";

/** `earlier`: a unified plan written under a previous wording of the contract. */
export type Generation = "current" | "earlier";

/** Registry sections in document order, with the id each has in HTML. */
export const REGISTRY: ReadonlyMap<string, string> = new Map([
  ["Goal Capsule", "goal-capsule"],
  ["Product Contract", "product-contract"],
  ["Planning Contract", "planning-contract"],
  ["Implementation Units", "implementation-units"],
  ["Verification Contract", "verification-contract"],
  ["Definition of Done", "definition-of-done"],
  ["Appendix", "appendix"],
]);

/** Requirements has an anchor of its own although it is a part of the Product Contract. */
export const REQUIREMENTS = "Requirements";
export const REQUIREMENTS_ANCHOR = "product-requirements";

export const CAPSULE = "Goal Capsule";
export const PRODUCT = "Product Contract";

export const PLAN_ONLY = [
  "Planning Contract",
  "Implementation Units",
  "Verification Contract",
  "Definition of Done",
] as const;

export const RELATIONSHIPS = "How This Work Fits Together";
export const RELATIONSHIPS_ROLE = "work-relationships";
export const QUESTIONS = "Outstanding Questions";

export const PRODUCT_SUBSECTIONS: ReadonlySet<string> = new Set([
  "Summary",
  "Problem Frame",
  "Key Decisions",
  RELATIONSHIPS,
  "Actors",
  "Key Flows",
  REQUIREMENTS,
  "Acceptance Examples",
  "Success Criteria",
  "Scope Boundaries",
  "Dependencies / Assumptions",
  QUESTIONS,
  "Sources / Research",
  "Sources",
]);

/** Change types that pass without a warning. */
export const CONVENTIONAL_TYPES: readonly string[] = [
  "feat",
  "fix",
  "refactor",
  "docs",
  "chore",
  "perf",
  "test",
  "build",
  "ci",
  "style",
  "revert",
];

/** Every key that a plan's metadata may hold, in Markdown's frontmatter or as visible text in HTML. */
export const METADATA_KEYS: readonly string[] = [
  "title",
  "type",
  "date",
  "topic",
  "artifact_contract",
  "product_contract_source",
  "execution",
  "origin",
  "mode",
  "status",
  "artifact_readiness",
];

/** Largest document read, in bytes. */
export const MAX_PLAN_BYTES = 16 << 20;

export const TYPE_FORM = /^[a-z][a-z0-9]*$/;
export const SLUG_FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** `2026-09-24` in ASCII digits and a day of the calendar. */
export function isRealDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(0);
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month >= 1;
}
