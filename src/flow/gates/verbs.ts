import { command } from "../../kernel/call/command.ts";
import { CHECKPOINT_TYPES } from "../artifact/fields.ts";
import { projectFlag, readWorkflow, reasonFlags, writeWorkflow } from "../common/flags.ts";
import { ORIGINS, SCOPES } from "../common/vocabulary.ts";

/** `jig flow gate` (docs/spec/flow.md 7.1 and 7.2). */
export const gate = command({
  name: "flow gate",
  summary: "Set, clear and show the gate a workflow waits at, and check what must hold",
  flags: {
    ...projectFlag,
    ...reasonFlags,
    holder: { type: "string", value: "H", summary: "Who holds what it waits for, with set" },
    "output-file": {
      type: "string",
      value: "F",
      summary: "Output that shows why, with set; long output is kept beside the workflow",
      completes: "file",
    },
    replace: { type: "boolean", summary: "Clear another gate that is set, with set" },
  },
  positionals: [
    { ...readWorkflow, summary: "Workflow: its id, or the last 8 digits of it; to read also a beginning" },
    { name: "ACTION", summary: "What to do", required: true, choices: ["set", "clear", "show", "check"] },
    { name: "NAME", summary: "The gate, or the check" },
  ],
  exitCodes: [
    [1, "the check fails, another gate than NAME is to be cleared, or the state cannot be read or written"],
    [3, "a gate is set"],
  ],
  details:
    "check judges one of plan_trust, phase_exit, failure_stop, memory_sync and skill_precedence, prints pass or fail and a line for each reason, and writes nothing.",
  examples: [
    { command: 'jig flow gate 1a2b3c4d set clarification --reason "which database"', explains: "stop there" },
    { command: "jig flow gate 1a2b3c4d check phase_exit", explains: "may the phase end" },
  ],
  run: async (host, args) => (await import("./gate-action.ts")).gateAction(host, args),
});

/** `jig flow phase` (docs/spec/flow.md 6.5). */
export const phase = command({
  name: "flow phase",
  summary: "Keep a workflow's phases: the plan's, and the steps that run without task tools",
  flags: {
    ...projectFlag,
    ...reasonFlags,
    from: {
      type: "string",
      value: "F",
      summary: "JSON list of phases, for load; - is stdin",
      completes: "file",
    },
    after: { type: "string", value: "KEY", summary: "What a step comes after, with add", repeat: true },
    before: { type: "string", value: "KEY", summary: "What waits for the step too, with add", repeat: true },
    replace: { type: "boolean", summary: "Keep the phases that have started, replace the rest, with load" },
    reopen: { type: "boolean", summary: "Leave completed or skipped, with set" },
  },
  positionals: [
    { ...readWorkflow, summary: "Workflow: its id, or the last 8 digits of it; to read also a beginning" },
    {
      name: "ACTION",
      summary: "What to do",
      required: true,
      choices: ["load", "add", "set", "next", "advance", "list"],
    },
    { name: "KEY", summary: "The step to add, or the phase to set" },
    {
      name: "STATUS",
      summary: "The new status: pending, in_progress, completed, partial, blocked or skipped",
    },
  ],
  exitCodes: [
    [1, "no such phase, no such transition, or the cursor's phase may not end; nothing was changed"],
  ],
  details:
    "add prints the key. A step comes after every step added before it, or after those of --after; --before puts it ahead of steps that have yet to run; memory-finalize comes last. next prints the steps that may run now. advance moves the cursor when phase_exit holds, and prints the next phase.",
  examples: [
    { command: "jig flow phase 1a2b3c4d add build-review --after build-implement", explains: "a step more" },
    { command: "jig flow phase 1a2b3c4d set build-implement completed", explains: "from the agent's answer" },
    { command: "jig flow phase 1a2b3c4d next", explains: "what may run now" },
  ],
  run: async (host, args) => (await import("./phase-action.ts")).phaseAction(host, args),
});

/** `jig flow remfix` (docs/spec/flow.md 6.6). */
export const remfix = command({
  name: "flow remfix",
  summary: "Record a remediation; the third breaks the circuit",
  flags: {
    ...projectFlag,
    origin: { type: "string", value: "O", summary: "Who found it", choices: ORIGINS, required: true },
    phase: { type: "string", value: "P", summary: "The phase it is for", required: true },
    scope: { type: "string", value: "S", summary: "What it covers", choices: SCOPES, required: true },
    ...reasonFlags,
    override: { type: "boolean", summary: "Although the circuit is broken: a person has decided" },
  },
  positionals: [writeWorkflow],
  exitCodes: [[3, "the circuit is broken; nothing was written"]],
  examples: [
    {
      command:
        "jig flow remfix 1a2b3c4d --origin code-reviewer --phase re-review --scope CRITICAL_ONLY --reason-file r.txt",
      explains: "one more",
    },
    {
      command:
        "jig flow remfix 1a2b3c4d --origin router --phase re-verify --scope N/A --reason-file r.txt --override",
      explains: "although the circuit is broken, because a person decided",
    },
  ],
  run: async (host, args) => (await import("./remfix.ts")).remfix(host, args.positionals[0]!, args.flags),
});

/** `jig flow just-go` (docs/spec/flow.md 7.3). */
export const justGo = command({
  name: "flow just-go",
  summary: "Say whether the user wants no questions, and whether a gate may be answered without one",
  flags: {
    ...projectFlag,
    gate: { type: "string", value: "NAME", summary: "A gate, or root_ambiguous, revert, circuit_breaker …" },
    "checkpoint-type": {
      type: "string",
      value: "TYPE",
      summary: "Of the checkpoint behind checkpoint_decision",
      choices: CHECKPOINT_TYPES,
    },
    recommended: { type: "boolean", summary: "The checkpoint recommends one of its options" },
  },
  exitCodes: [[3, "ask: a person answers the gate"]],
  examples: [
    { command: "jig flow just-go", explains: "true or false, from Session Settings" },
    { command: "jig flow just-go --gate scope_decision", explains: "auto or ask" },
  ],
  run: async (host, args) => (await import("./just-go.ts")).justGo(host, args.flags),
});
