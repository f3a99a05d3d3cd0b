/** The closed word lists of the craft engine (docs/spec/craft-engine.md 3.2, 3.5, 4.1, 10.1). */

/** Phase ids in the order of the default pipeline. */
export const PHASES = [
  "workspace",
  "requirements",
  "design",
  "decisions",
  "planning",
  "implementation",
  "review",
  "refactoring",
  "validation",
  "architecture",
  "documentation",
  "lessons",
  "impact-triage",
  "propose",
  "integrate",
] as const;

/** Older names of phases, accepted wherever a phase id is read; never chained. */
export const PHASE_ALIASES: Readonly<Record<string, string>> = {
  branch: "workspace",
  prd: "requirements",
  adr: "decisions",
  plan: "planning",
  implement: "implementation",
  refactor: "refactoring",
  docs: "documentation",
  pr: "propose",
  merge: "integrate",
};

/** The phase id that a name stands for: itself unless it is an alias. */
export function phaseId(name: string): string {
  return Object.hasOwn(PHASE_ALIASES, name) ? PHASE_ALIASES[name]! : name;
}

/** Built-in roles, without their `craft:` namespace. */
export const ROLES = [
  "requirements-writer",
  "designer",
  "planner",
  "part-implementer",
  "reviewer",
  "refactor-executor",
  "harness-triager",
  "docs-writer",
  "backlog-ticker",
  "impact-triager",
] as const;

export const ARCHETYPES = [
  "setup",
  "specification",
  "construction",
  "harness",
  "refinement",
  "delivery",
] as const;
export type Archetype = (typeof ARCHETYPES)[number];

export const EXECUTIONS = ["agent", "inline"] as const;
export type Execution = (typeof EXECUTIONS)[number];

/** Contract bundles, in the order they are listed and checked. */
export const BUNDLES = [
  "core",
  "producer",
  "construction",
  "harness-read",
  "harness-exec",
  "delivery",
  "refinement",
] as const;
export type Bundle = (typeof BUNDLES)[number];

/** Outward actions a policy may decide, in the order they are listed. */
export const ACTIONS = [
  "isolate",
  "commit",
  "push",
  "propose",
  "integrate",
  "teardown",
  "external-send",
  "backlog-write",
] as const;
export type Action = (typeof ACTIONS)[number];

export const VERDICTS = ["always", "ask", "never"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Keys that never reach a prototype; errors where a section lists them as reserved. */
export const RESERVED_KEYS = ["__proto__", "constructor", "prototype"] as const;

/** Whether a word is one of a list; narrows its type. */
export function isOneOf<T extends string>(list: readonly T[], word: unknown): word is T {
  return typeof word === "string" && (list as readonly string[]).includes(word);
}

/** Harness knobs with a type of their own, in the order a resolved harness lists them (docs/spec/craft-engine.md 7.2). */
export const KNOBS = [
  "dimensions",
  "passes",
  "max_cycles",
  "convergence",
  "scope",
  "incremental",
  "techniques",
] as const;

/** The built-in execution profiles, in the order a message lists them (docs/spec/craft-engine.md 7.1). */
export const PROFILE_NAMES = ["solo", "full", "lean"] as const;

/** What is wrong with a profile name nobody defines. */
export function unknownProfile(name: string): string {
  return `Unknown profile "${name}". Supported profiles: ${PROFILE_NAMES.join(", ")}.`;
}
