/** Flags that several verbs share. */

/** `--project DIR`: the project root (docs/spec/flow.md 1.3). */
export const projectFlag = {
  project: {
    type: "string",
    value: "DIR",
    summary: "The project's root; found from the working directory without",
    completes: "directory",
  },
} as const;

/** The argument WF of a verb that only reads, and of one that writes (docs/spec/flow.md 1.4). */
export const readWorkflow = {
  name: "WF",
  summary: "Workflow: its id, the last 8 digits of it, a unique beginning, or @latest",
  required: true,
} as const;

export const writeWorkflow = {
  name: "WF",
  summary: "Workflow: its whole id, or the last 8 digits of it",
  required: true,
} as const;

/** What was asked for, exact words (docs/spec/flow.md 1.2). */
export const requestFlags = {
  request: { type: "string", value: "TEXT", summary: "What was asked for, in the words it was asked in" },
  "request-file": {
    type: "string",
    value: "F",
    summary: "The same from a file; - is stdin",
    completes: "file",
  },
} as const;

/** Why something is done. */
export const reasonFlags = {
  reason: { type: "string", value: "R", summary: "Why, for the record" },
  "reason-file": {
    type: "string",
    value: "F",
    summary: "The same from a file; - is stdin",
    completes: "file",
  },
} as const;
