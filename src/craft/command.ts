import type { Group } from "../kernel/call/command.ts";

/** The verbs of the craft engine (docs/spec/craft-engine.md 1), each declared beside what it does. */
const group: Group = {
  name: "craft",
  summary: "Turn a repository's manifest into exactly what a delivery run does",
  // Upstream's callers append flags; the last one counts where a flag takes one value.
  repeated: "last-wins",
  verbs: {
    explain: {
      summary: "Show what a run does and why: each phase, or one with where its values come from",
      load: async () => ({ default: (await import("./explain/verbs.ts")).explain }),
    },
    resolve: {
      summary: "Find the manifest, lint it and resolve the run, in one call",
      load: async () => ({ default: (await import("./run/verbs.ts")).resolve }),
    },
    "parse-args": {
      summary: "Take the craft flags out of a run's raw input and leave the brief",
      load: async () => ({ default: (await import("./run/verbs.ts")).parseArgs }),
    },
    gate: {
      summary: "Print the commands that a phase's gate means, one per line; none is run",
      load: async () => ({ default: (await import("./gates/verbs.ts")).gate }),
    },
    policy: {
      summary: "Ask what the policy says of an outward action",
      load: async () => ({ default: (await import("./policy/verbs.ts")).policy }),
    },
    model: {
      summary: "Choose a role's model tier, and tell what a model error means",
      load: async () => ({ default: (await import("./models/verbs.ts")).model }),
    },
    "pipeline-resolve": {
      summary: "Print the phases of a run, their gates and its policy as JSON",
      load: async () => ({ default: (await import("./pipeline/verbs.ts")).pipelineResolve }),
    },
    "pipeline-lint": {
      summary: "Check a pipeline file",
      load: async () => ({ default: (await import("./pipeline/verbs.ts")).pipelineLint }),
    },
    "manifest-lint": {
      summary: "Check a manifest, its references and its definition of done",
      load: async () => ({ default: (await import("./manifest/verbs.ts")).manifestLint }),
    },
    "manifest-schema": {
      summary: "Print the JSON Schema of a manifest's front matter, for editors",
      load: async () => ({ default: (await import("./manifest/verbs.ts")).manifestSchema }),
    },
    "config-resolve": {
      summary: "Find the manifest that a config's name stands for",
      load: async () => ({ default: (await import("./manifest/verbs.ts")).configResolve }),
    },
    "contract-assemble": {
      summary: "Print the contract block that goes before a phase's task",
      load: async () => ({ default: (await import("./contracts/verbs.ts")).contractAssemble }),
    },
    "contracts-lint": {
      summary: "Check the seven contract bundles",
      load: async () => ({ default: (await import("./contracts/verbs.ts")).contractsLint }),
    },
    detect: {
      summary: "Tell a repository's ecosystem and what it can check",
      load: async () => ({ default: (await import("./detect/verbs.ts")).detect }),
    },
    "normalize-findings": {
      summary: "Turn findings, in lines or as JSON, into the canonical JSON list",
      load: async () => ({ default: (await import("./findings/verbs.ts")).normalizeFindings }),
    },
    "filter-findings": {
      summary: "Keep the findings inside a scope of files and lines",
      load: async () => ({ default: (await import("./findings/verbs.ts")).filterFindings }),
    },
    "plan-lint": {
      summary: "Check the parts of a craft plan: their sections, how many files each declares",
      load: async () => ({ default: (await import("./lints/verbs.ts")).planLint }),
    },
    "dod-assert": {
      summary: "Judge the criteria of a definition of done that can be judged",
      load: async () => ({ default: (await import("./lints/verbs.ts")).dodAssert }),
    },
    "hygiene-gate": {
      summary: "Say whether the hygiene lints advise or block",
      load: async () => ({ default: (await import("./lints/verbs.ts")).hygieneGate }),
    },
    "stub-lint": {
      summary: "Find unfinished work in files",
      load: async () => ({ default: (await import("./lints/verbs.ts")).stubLint }),
    },
    "prose-lint": {
      summary: "Find filler in prose",
      load: async () => ({ default: (await import("./lints/verbs.ts")).proseLint }),
    },
    memory: {
      summary: "Remember checkable facts of a repository from run to run, in a committed file",
      load: () => import("./memory/command.ts"),
    },
    intention: {
      summary: "Find the documents that state intent for the paths a change touches",
      load: async () => ({ default: (await import("./corpus/verbs.ts")).intention }),
    },
    "living-corpus": {
      summary: "Print the living pages of the working directory and the backlog",
      load: async () => ({ default: (await import("./corpus/verbs.ts")).livingCorpus }),
    },
    "governing-corpus": {
      summary: "Print the decision records that have front matter",
      load: async () => ({ default: (await import("./corpus/verbs.ts")).governingCorpus }),
    },
    "lessons-hint": {
      summary: "Print the merged lessons that fit a phase and the paths it touches",
      load: async () => ({ default: (await import("./lessons/verbs.ts")).lessonsHint }),
    },
    "lessons-lint": {
      summary: "Check drafts of lessons",
      load: async () => ({ default: (await import("./lessons/verbs.ts")).lessonsLint }),
    },
    backlog: {
      summary: "Look up an entry of the backlog, or choose the next one",
      load: () => import("./backlog/command.ts"),
    },
    init: {
      summary: "Write a named config, checked, from answers or from what the repository shows",
      load: async () => ({ default: (await import("./init/verbs.ts")).init }),
    },
    "init-config": {
      summary: "Print where a config of a name goes",
      load: async () => ({ default: (await import("./init/verbs.ts")).initConfig }),
    },
    "init-emit": {
      summary: "Write the manifest that answers describe, without judging it",
      load: async () => ({ default: (await import("./init/verbs.ts")).initEmit }),
    },
    "init-land": {
      summary: "Check a written manifest and move it into place as a named config",
      load: async () => ({ default: (await import("./init/verbs.ts")).initLand }),
    },
    "promote-plan": {
      summary: "Say what promoting a config to the home directory would move",
      load: async () => ({ default: (await import("./init/verbs.ts")).promotePlan }),
    },
    ledger: {
      summary: "Keep a run's record where no compaction, crash or removed worktree can lose it",
      load: () => import("./ledger/command.ts"),
    },
    "run-state": {
      summary: "Rebuild where a run stands from its ledger and a fresh Resolution",
      load: async () => ({ default: (await import("./run-state/verbs.ts")).runState }),
    },
    driver: {
      summary: "Hand a run's result to the program that started it",
      load: () => import("./driver/command.ts"),
    },
    worktree: {
      summary: "Make a run's worktree ready to work in, and take it away again",
      load: () => import("./worktree/command.ts"),
    },
    hook: {
      summary: "Help a session find its run again after a compaction",
      load: () => import("./hooks/command.ts"),
    },
    metrics: {
      summary: "Record and report what a run's agents took",
      works: true,
      load: () => import("./metrics/command.ts"),
    },
  },
};

export default group;
