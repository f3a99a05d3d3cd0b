import { command, type Group } from "../kernel/call/command.ts";

const resolve = command({
  name: "base-dir resolve",
  summary: "Print the directory for a skill's own output, recording the decision in an anchor file",
  positionals: [{ name: "TASK_NAME", summary: "Folder of one task, relative to the repository root" }],
  flags: {
    "dry-run": { type: "boolean", summary: "Decide only: create no directory and no anchor" },
  },
  exitCodes: [
    [0, "resolved, unset or needs-user-input; see the status"],
    [1, "invalid anchor, no repository, a name that leaves it, HOME unset, or an operating-system error"],
    [2, "usage"],
  ],
  details:
    "Without TASK_NAME the answer is the working directory; in the home directory only a person can decide, and the\n" +
    "choices are listed. The anchor .cafleet-base-dir.json makes every later call answer the same.",
  examples: [
    { command: "jig base-dir resolve --json", explains: "the base directory of this project" },
    { command: "jig base-dir resolve design-docs/login", explains: "a folder of its own for one task" },
  ],
  run: async (host, args) =>
    (await import("./resolve.ts")).resolveBase(host, {
      taskName: args.positionals[0],
      dryRun: args.flags["dry-run"],
    }),
});

const record = command({
  name: "base-dir record",
  summary: "Record a chosen base directory in its anchor file",
  flags: {
    base: {
      type: "string",
      value: "PATH",
      summary: "The directory, absolute; made when missing",
      required: true,
      completes: "directory",
    },
    source: {
      type: "string",
      value: "SOURCE",
      summary: "Who decided",
      required: true,
      choices: ["askuserquestion", "cwd-inference"],
    },
  },
  exitCodes: [
    [0, "recorded, or already recorded"],
    [1, "not absolute, an anchor that names another directory, or an operating-system error"],
    [2, "usage"],
  ],
  examples: [
    {
      command: "jig base-dir record --base /srv/notes --source askuserquestion",
      explains: "keep what a person answered",
    },
    {
      command: 'jig base-dir record --base "$PWD" --source cwd-inference --json',
      explains: "anchor the working directory, print the anchor as JSON",
    },
  ],
  run: async (host, args) =>
    (await import("./record.ts")).recordBase(host, {
      base: args.flags.base,
      source: args.flags.source as "askuserquestion" | "cwd-inference",
    }),
});

const group: Group = {
  name: "base-dir",
  summary: "Resolve and record the one directory where skills write their own output",
  verbs: { resolve, record },
  usageError: (problem, synopsis, prefix) => ({
    stderr: `${prefix}${problem.message}\nusage: ${synopsis}\n`,
    exitCode: 2,
  }),
};

export default group;
