import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

/** `jig craft lessons-hint` (docs/spec/craft-run.md 7). */
export const lessonsHint = command({
  name: "craft lessons-hint",
  summary: "Print the merged lessons that fit a phase and the paths it touches",
  prefix: "lessons-hint: ",
  usageError: usageErrors("lessons-hint"),
  flags: {
    phase: { type: "string", value: "P", summary: "The phase", required: true },
    max: {
      type: "number",
      value: "N",
      summary: "Most lessons printed; above 50 counts as 50",
      integer: true,
      min: 0,
      default: "3",
    },
    dir: {
      type: "string",
      value: "DIR",
      summary: "Where the lessons are, in the repository",
      default: "docs/lessons",
      completes: "directory",
    },
    base: {
      type: "string",
      value: "REF",
      summary: "The revision they are read from",
      default: "the remote's default branch, else main, else master",
    },
    diff: { type: "boolean", summary: "Add the paths that changed since the base; stdin is then not read" },
    from: {
      type: "string",
      value: "FILE",
      summary: "Read the paths from FILE, one a line; - is standard input",
      completes: "file",
    },
  },
  exitCodes: [
    [0, "also when there is nothing to print"],
    [1, null],
  ],
  details: "Lessons come from the base's commit alone: a draft waits until it is merged.",
  examples: [
    { command: "jig craft lessons-hint --phase review --diff", explains: "for what the branch changes" },
    { command: "jig craft lessons-hint --phase design --from paths.txt", explains: "for paths in a file" },
  ],
  run: async (host, args) => (await import("./hint.ts")).lessonsHint(host, args.flags),
});

export const lessonsLint = command({
  name: "craft lessons-lint",
  summary: "Check drafts of lessons",
  prefix: "lessons-lint: ",
  usageError: usageErrors("lessons-lint"),
  flags: {},
  positionals: [{ name: "PATH", summary: "A draft", required: true, repeat: true, completes: "file" }],
  exitCodes: [
    [0, "every draft is a lesson; no output"],
    [1, null],
    [2, "a draft has faults, a line each; or wrong usage"],
  ],
  examples: [
    { command: "jig craft lessons-lint docs/lessons/retries.md", explains: "one draft" },
    { command: "jig craft lessons-lint docs/lessons/*.md --json", explains: "all of them" },
  ],
  run: async (host, args) => (await import("./lint.ts")).lessonsLint(host, args.positionals),
});
