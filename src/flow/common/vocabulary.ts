/** Words that tasks and phases share (docs/spec/flow.md 12.1). */

const words = (text: string): readonly string[] => text.split(" ");

/** Who may ask for work. */
export const ORIGINS = words(
  "router component-builder bug-investigator code-reviewer silent-failure-hunter integration-verifier planner",
);
/** What an agent may be sent to do: the names of steps, and of the workflows themselves. */
export const STEP_NAMES = words(
  "build build-implement build-review build-hunt build-verify build-doc-sync learn-distill skill-distill debug " +
    "debug-investigate debug-review debug-verify doubt-verify fix-verify review review-audit plan plan-create " +
    "plan-review-gap-1 plan-review-gap-2 memory-finalize re-review re-hunt re-verify re-plan research-web " +
    "research-github plan-bakeoff-candidate-opus plan-bakeoff-candidate-sonnet plan-bakeoff-candidate-haiku " +
    "plan-bakeoff-candidate-fable plan-bakeoff-judge",
);
/** What a remediation covers. */
export const SCOPES = words("ALL_ISSUES CRITICAL_ONLY N/A");
