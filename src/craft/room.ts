import type { DropInName, Room } from "../kernel/call/room.ts";

/** An upstream name of a verb: no help, and none of the flags that jig adds. */
function upstream(verb: string, without: readonly string[] = [], more: Partial<DropInName> = {}): DropInName {
  return { words: ["craft", verb], without: ["json", ...without], help: "unknown-flag", ...more };
}

const room = (): Room => ({
  name: "craft",
  summary: "Turn a repository's manifest into exactly what a delivery run does",
  theme: "Decide where files go and what applies",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  dropInNames: {
    "pipeline-lint.js": upstream("pipeline-lint", [], { requires: ["PIPELINE"] }),
    "pipeline-resolve.js": upstream("pipeline-resolve", ["manifest", "out"], { requires: ["PIPELINE"] }),
    "manifest-lint.js": upstream("manifest-lint", ["strict"]),
    "manifest-lint.sh": upstream("manifest-lint", ["strict"]),
    "config-resolve.js": upstream("config-resolve"),
    "contract-assemble.js": upstream("contract-assemble", ["pipeline"]),
    "contracts-lint.js": upstream("contracts-lint", ["markers"]),
    "detect-ecosystem.sh": upstream("detect", ["test-command"]),
    "normalize-findings.js": upstream("normalize-findings", ["from", "out"]),
    "filter-findings.js": upstream("filter-findings", ["scope-file", "from", "out"]),
    "plan-lint.js": upstream("plan-lint"),
    "plan-lint.sh": upstream("plan-lint"),
    "dod-assert.js": upstream("dod-assert"),
    "hygiene-gate.js": upstream("hygiene-gate"),
    "stub-lint.js": upstream("stub-lint"),
    "prose-lint.js": upstream("prose-lint"),
    "init-config.js": upstream("init-config"),
    "init-emit.js": upstream("init-emit", ["from"]),
    "init-land.js": upstream("init-land"),
    "promote-plan.js": upstream("promote-plan"),
    "living-corpus.sh": { words: ["craft", "living-corpus"], help: "unknown-flag" },
    "governing-corpus.sh": {
      words: ["craft", "governing-corpus"],
      help: "unknown-flag",
      translate: () => import("./corpus/words.ts"),
    },
    "lessons-hint.js": { words: ["craft", "lessons-hint"], help: "unknown-flag" },
    "run-ledger.sh": { words: ["craft", "ledger"], help: "unknown-flag" },
    "run-state.js": { words: ["craft", "run-state"], help: "unknown-flag" },
    "driver-state.sh": { words: ["craft", "driver"], help: "unknown-flag" },
    "worktree-setup.sh": { words: ["craft", "worktree", "setup"], help: "unknown-flag" },
    "worktree-teardown.sh": { words: ["craft", "worktree", "teardown"], help: "unknown-flag" },
    "reorient-after-compact.sh": { words: ["craft", "hook", "sessionstart"], help: "unknown-flag" },
    "emit-metrics.sh": {
      words: ["craft", "metrics", "emit"],
      help: "unknown-flag",
      translate: () => import("./metrics/upstream.ts"),
    },
    "metrics-emit.js": {
      words: ["craft", "metrics", "emit"],
      help: "unknown-flag",
      translate: () => import("./metrics/upstream.ts"),
    },
    "steer-compact-summary.sh": { words: ["craft", "hook", "precompact"], help: "unknown-flag" },
  },
});

export default room;
