import type { FastPath } from "./risk.ts";
import type { Routing, WorkflowType } from "./words.ts";

const CHAINS: Readonly<Record<Exclude<WorkflowType, "BUILD">, string>> = {
  DEBUG: "bug-investigator -> code-reviewer -> integration-verifier",
  PLAN: "brainstorming -> planner -> bounded fresh review loop",
  REVIEW: "code-reviewer",
};

const BUILD_CHAINS: Readonly<Record<FastPath["build_mode"], string>> = {
  fast_path: "component-builder -> integration-verifier -> memory",
  standard: "component-builder -> [code-reviewer || silent-failure-hunter] -> integration-verifier -> memory",
};

/** The agents that run, in their order (docs/spec/flow.md 11.1). */
export function chainOf({ workflow }: Routing, build: FastPath | null): string {
  return workflow === "BUILD" ? BUILD_CHAINS[build?.build_mode ?? "standard"] : CHAINS[workflow];
}

/** What the router says of the workflow it chose. */
export function announceRouting({ workflow, signals }: Routing): string {
  return `-> ${workflow} workflow (signals: ${signals.join(", ")})`;
}

/** What the router says of a BUILD's length. */
export function announceBuild({ build_mode, fast_path_risk_signals: signals }: FastPath): string {
  return build_mode === "fast_path"
    ? "-> FAST-PATH BUILD (no risk signals)"
    : `-> FULL BUILD (risk signals: ${signals.join(", ")})`;
}

/** What the router says when the short way did not do. */
export const ESCALATED = "-> FAST-PATH BUILD [ESCALATED] (verifier FAIL — reviewer + hunter spawned)";
