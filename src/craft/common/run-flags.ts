import type { StringFlag } from "../../kernel/call/command.ts";

/** The flags that change one run, wherever a run is resolved (docs/spec/craft-engine.md 5.1). */
export const runFlags = {
  profile: {
    type: "string",
    value: "NAME",
    summary: "Who works where: solo, lean, full, or one of extends.profiles",
  },
  skip: {
    type: "string",
    value: "ID,ID",
    repeat: true,
    summary: "Phases to leave out; refused when a later phase needs what they make",
  },
  harness: {
    type: "string",
    value: "PHASE.KNOB=VALUE",
    repeat: true,
    summary: "A harness knob, such as review.passes=2",
  },
  policy: {
    type: "string",
    value: "ACTION=VERDICT",
    repeat: true,
    summary: "A verdict for this run (always, ask, never), such as push=never",
  },
} as const satisfies Record<string, StringFlag>;

/** The flags that select a run's manifest and pipeline (docs/spec/craft-engine.md 5.7). */
export const selectionFlags = {
  config: {
    type: "string",
    value: "NAME",
    summary: "The manifest .claude/craft-NAME.md, here or in the home directory",
  },
  manifest: {
    type: "string",
    value: "PATH",
    summary: "A manifest by path",
    default: ".claude/workflow.md, when there is one",
    completes: "file",
  },
  pipeline: {
    type: "string",
    value: "PATH",
    summary: "A pipeline file",
    default: "the embedded one",
    completes: "file",
  },
} as const satisfies Record<string, StringFlag>;

/** A Resolution as input. */
export const resolutionFlag = {
  type: "string",
  value: "FILE",
  summary: "A Resolution; `-` for stdin",
  completes: "file",
} as const satisfies StringFlag;

/** Where a Resolution goes instead of standard output. */
export const resolutionOut = {
  type: "string",
  value: "FILE",
  summary: "Write the Resolution there and print its absolute path",
  completes: "file",
} as const;
