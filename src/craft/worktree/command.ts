import { type Group, streamingCommand, type UsageErrorFormat } from "../../kernel/call/command.ts";

/** Usage errors are exit 1 here, an unknown word of teardown exit 2 (docs/spec/craft-run.md 1.2, 10.2). */
function usage(prefix: string, unknown: number): UsageErrorFormat {
  return ({ kind, message, word }, synopsis) => {
    const isUnknown = kind === "unknown-flag" || kind === "extra-positional";
    const said = isUnknown ? `unknown arg ${word}` : message;
    return { stderr: `${prefix}${said}\nusage: ${synopsis}\n`, exitCode: isUnknown ? unknown : 1 };
  };
}

/** A run's own worktree (docs/spec/craft-run.md 10). */
const worktree: Group = {
  name: "craft worktree",
  summary: "Make a run's worktree ready to work in, and take it away again",
  verbs: {
    setup: streamingCommand({
      name: "craft worktree setup",
      summary: "Install a worktree's dependencies in it",
      prefix: "craft-setup: ",
      usageError: usage("craft-setup: ", 1),
      json: false,
      flags: {},
      positionals: [
        { name: "WORKTREE", summary: "The worktree", required: true, completes: "directory" },
        {
          name: "SCRIPT",
          summary: "A script to run after it, with WORKTREE as its argument",
          completes: "file",
        },
      ],
      exitCodes: [
        [0, "ready"],
        [1, "wrong usage, or no such worktree; else the code of what failed"],
        [2, null],
        [127, "the installer or the script is not there"],
      ],
      details: "The first lock file found decides how. It may be run again on the same worktree.",
      examples: [
        { command: "jig craft worktree setup ../app-login", explains: "npm ci, cargo fetch, uv sync, …" },
        {
          command: "jig craft worktree setup ../app-login scripts/setup.sh",
          explains: "and the repository's own",
        },
      ],
      stream: async (host, args, out) => {
        const [path, script] = args.positionals;
        return (await import("./setup.ts")).setup(host, { worktree: path!, script }, out);
      },
    }),
    teardown: streamingCommand({
      name: "craft worktree teardown",
      summary: "Remove a run's worktree and its local branch",
      prefix: "craft-teardown: ",
      usageError: usage("craft-teardown: ", 2),
      json: false,
      flags: {
        "pre-teardown": {
          type: "string",
          value: "SCRIPT",
          summary: "Run it first, with WORKTREE as its argument; its failure stops all",
          completes: "file",
        },
        force: { type: "boolean", summary: "Also while a validation run works in it" },
        "keep-changes": {
          type: "boolean",
          summary: "Stash what is not committed, keep a branch with commits that are nowhere else",
        },
      },
      positionals: [
        { name: "MAIN", summary: "The main checkout", required: true, completes: "directory" },
        { name: "WORKTREE", summary: "The worktree to remove", required: true, completes: "directory" },
      ],
      exitCodes: [
        [0, "gone, whatever was kept on purpose"],
        [1, "missing arguments, no such worktree, or git failed; else the code of the script"],
        [2, "an unknown argument"],
        [3, "a validation run is alive; nothing was touched"],
      ],
      details:
        "The main checkout itself, main, master, the default branch and a branch that is checked out elsewhere are never\n" +
        "removed. The tip of a deleted branch is printed.",
      examples: [
        { command: "jig craft worktree teardown . ../app-login", explains: "from the main checkout" },
        { command: "jig craft worktree teardown . ../app-login --keep-changes", explains: "lose nothing" },
      ],
      stream: async (host, args, out) => {
        const [main, path] = args.positionals;
        const { force, "pre-teardown": preTeardown, "keep-changes": keepChanges } = args.flags;
        const { teardown } = await import("./teardown.ts");
        return teardown(host, { main: main!, worktree: path!, preTeardown, force, keepChanges }, out);
      },
    }),
  },
};

export default worktree;
