import type { Group } from "../kernel/call/command.ts";

/** The verbs of workflow state (docs/spec/flow.md 1.1), each declared beside what it does. */
const group: Group = {
  name: "flow",
  summary: "Keep a workflow's state, stop it at its gates, and bring its work back from a worktree",
  verbs: {
    worktree: {
      summary: "Isolate a BUILD workflow in a worktree, and bring its work back under a lock",
      load: () => import("./worktree/command.ts"),
    },
    show: {
      summary: "Print a workflow's artifact, or one value of it",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).show }),
    },
    memory: {
      summary: "Read and write what a project, a workflow and a workspace remember",
      load: () => import("./memory/command.ts"),
    },
    query: {
      summary: "Show a large state file in short, or whole",
      load: async () => ({ default: (await import("./report/verbs.ts")).query }),
    },
  },
};

export default group;
