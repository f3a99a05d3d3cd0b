import type { Bundle } from "../common/vocabulary.ts";
import { CARVE_OUTS } from "./carve-outs.ts";

/** What callers look for in each bundle, to the letter and on one line (docs/spec/craft-engine.md 11.3). */
export const PHRASES: Readonly<Record<Bundle, readonly string[]>> = {
  core: [
    "Never commit on a red gate",
    "Blocker protocol",
    "{ unit, reason, ≤3 options }",
    "provenance",
    "suppression",
    "swallowed",
    "Bounded scope",
    "repo-wide git state",
    "IMPACT(<file>): <finding>",
  ],
  producer: ["Fill the named template", "Decision-candidates", "convergence", "mktemp"],
  construction: ["RED→GREEN→REFACTOR", "atomic commit", "sut", "result"],
  "harness-read": [
    "Read-only",
    "findings",
    "CRITICAL|HIGH|MEDIUM|LOW",
    "VERIFIED|SUSPECT|RULED-OUT|PROBE",
    "Zero findings",
    "RULED-OUT",
  ],
  "harness-exec": ["triages findings", "Never weaken a test or rule to clear a finding", "change-scoped"],
  delivery: ["traceable", "listed targets", "synthesis records"],
  refinement: ["Behavior-preserving", "mechanically", "refactor(<scope>):"],
};

/** Phrases that tell one bundle from the others, and the ways of running apart: nowhere but in their own place. */
const OWN_PLACE: readonly { phrase: string; bundle: Bundle | undefined }[] = [
  { phrase: "Decision-candidates", bundle: "producer" },
  { phrase: "triages findings", bundle: "harness-exec" },
  { phrase: "the agent commit is the handoff", bundle: undefined },
  { phrase: "the commit is the handoff (no agent context to lose)", bundle: undefined },
  { phrase: "the role model resolved", bundle: undefined },
  { phrase: "the session model", bundle: undefined },
];

/** What a bundle lacks or has in the wrong place, for `contracts-lint --markers`. */
export function phraseProblems(bundle: Bundle, text: string): string[] {
  const lines = text.split("\n");
  const problems = PHRASES[bundle]
    .filter((phrase) => !lines.some((line) => line.includes(phrase)))
    .map((phrase) => `must contain "${phrase}"`);
  for (const { phrase, bundle: home } of OWN_PLACE) {
    if (home !== bundle && text.includes(phrase)) {
      problems.push(
        `must not contain "${phrase}" (${home === undefined ? "a marker stands for it" : `it tells ${home} apart`})`,
      );
    }
  }
  if (bundle === "core") {
    for (const { marker } of CARVE_OUTS) {
      const count = lines.filter((line) => line.includes(marker)).length;
      if (count !== 1) problems.push(`must have exactly one line with ${marker}, has ${count}`);
    }
  }
  return problems;
}
