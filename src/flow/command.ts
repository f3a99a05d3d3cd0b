import type { Group } from "../kernel/call/command.ts";
import { usageErrors } from "./common/usage.ts";

/** The verbs of workflow state (docs/spec/flow.md 1.1), each declared beside what it does. */
const group: Group = {
  name: "flow",
  summary: "Keep a workflow's state, stop it at its gates, and bring its work back from a worktree",
  usageError: usageErrors,
  verbs: {
    worktree: {
      summary: "Isolate a BUILD workflow in a worktree, and bring its work back under a lock",
      works: true,
      load: () => import("./worktree/command.ts"),
    },
    root: {
      summary: "Find the project a session works on; among several repositories only a person chooses",
      load: async () => ({ default: (await import("./identity/verbs.ts")).root }),
    },
    id: {
      summary: "Make a workflow's id, and the names of its worktree",
      load: async () => ({ default: (await import("./identity/verbs.ts")).id }),
    },
    new: {
      summary: "Begin a workflow: its id, artifact, event log and memory directory",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).newWorkflow }),
    },
    show: {
      summary: "Print a workflow's artifact, or one value of it",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).show }),
    },
    memory: {
      summary: "Read and write what a project, a workflow and a workspace remember",
      load: () => import("./memory/command.ts"),
    },
    workspace: {
      summary: "Set up and show the memory that several repositories share",
      load: () => import("./memory/workspace/command.ts"),
    },
    scope: {
      summary: "Ask and answer which issues of a review are mended",
      load: () => import("./memory/scope/command.ts"),
    },
    marker: {
      summary: "Mark in a workflow's memory where a build, a bug hunt or a plan begins",
      load: async () => ({ default: (await import("./memory/marker-verb.ts")).marker }),
    },
    resume: {
      summary: "Say which workflow goes on and what may run now, or that it cannot be told",
      load: async () => ({ default: (await import("./resume/verbs.ts")).resume }),
    },
    route: {
      summary: "Say which workflow a request asks for",
      load: async () => ({ default: (await import("./routing/verbs.ts")).route }),
    },
    "fast-path": {
      summary: "Say whether a BUILD may take the short chain, or that it did not do",
      load: async () => ({ default: (await import("./routing/verbs.ts")).fastPath }),
    },
    "fix-verify": {
      summary: "Say whether the work is a fix that is verified once more",
      load: async () => ({ default: (await import("./routing/verbs.ts")).fixVerify }),
    },
    hook: {
      summary: "Tell a session where its workflow is, and keep it from writing state by hand",
      load: () => import("./hooks/command.ts"),
    },
    intent: {
      summary: "Show, store or check what a workflow is meant to do",
      load: async () => ({ default: (await import("./routing/verbs.ts")).intent }),
    },
    "task-check": {
      summary: "Check the metadata lines of a task's description",
      load: async () => ({ default: (await import("./routing/verbs.ts")).taskCheck }),
    },
    "contract-check": {
      summary: "Check the contract at the end of an agent's answer",
      load: async () => ({ default: (await import("./routing/verbs.ts")).contractCheck }),
    },
    status: {
      summary: "Show where a workflow is, or all of them",
      load: async () => ({ default: (await import("./report/verbs.ts")).status }),
    },
    statusline: {
      summary: "Print a host's status line for the session it describes on stdin",
      load: async () => ({ default: (await import("./report/verbs.ts")).statusline }),
    },
    summary: {
      summary: "Show a workflow's artifact in short",
      load: async () => ({ default: (await import("./report/verbs.ts")).summary }),
    },
    list: {
      summary: "List a project's workflows, the one changed last first",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).list }),
    },
    check: {
      summary: "Judge a workflow's state, or all of a project's; nothing is repaired",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).check }),
    },
    close: {
      summary: "End a workflow that nobody goes on with",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).close }),
    },
    event: {
      summary: "Append an event to a workflow's log",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).event }),
    },
    history: {
      summary: "Append to a workflow's history and its log, or print the history",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).history }),
    },
    set: {
      summary: "Change values of a workflow's artifact, all of them or none",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).set }),
    },
    capability: {
      summary: "Record whether the agent has task tools, found by a probe",
      load: async () => ({ default: (await import("./artifact/verbs.ts")).capability }),
    },
    gate: {
      summary: "Set, clear and show the gate a workflow waits at, and check what must hold",
      load: async () => ({ default: (await import("./gates/verbs.ts")).gate }),
    },
    phase: {
      summary: "Keep a workflow's phases: the plan's, and the steps that run without task tools",
      load: async () => ({ default: (await import("./gates/verbs.ts")).phase }),
    },
    remfix: {
      summary: "Record a remediation; the third breaks the circuit",
      load: async () => ({ default: (await import("./gates/verbs.ts")).remfix }),
    },
    "just-go": {
      summary: "Say whether the user wants no questions, and whether a gate may be answered without one",
      load: async () => ({ default: (await import("./gates/verbs.ts")).justGo }),
    },
    query: {
      summary: "Show a large state file in short, or whole",
      load: async () => ({ default: (await import("./report/verbs.ts")).query }),
    },
  },
};

export default group;
