import { command, type Group } from "../../../kernel/call/command.ts";

/** The memory that several repositories share (docs/spec/flow.md 13). */
const workspace: Group = {
  name: "flow workspace",
  summary: "Set up and show the memory that several repositories share",
  verbs: {
    init: command({
      name: "flow workspace init",
      summary: "Make the shared memory of a workspace; what is there is kept",
      flags: {
        "workspace-root": {
          type: "string",
          value: "DIR",
          summary: "The directory that holds the repositories",
          required: true,
          completes: "directory",
        },
        "north-star": { type: "string", value: "TEXT", summary: "What all the work is for" },
        "north-star-file": {
          type: "string",
          value: "FILE",
          summary: "Read it from FILE; - is standard input",
          completes: "file",
        },
      },
      exitCodes: [[1, "DIR may be no workspace, or a file could not be written"]],
      details: "Which projects may write there says .craftflow-workspace.json, which jig never writes.",
      examples: [
        {
          command: "jig flow workspace init --workspace-root ~/work --north-star 'One login for all'",
          explains: "three files in ~/work/.craftflow/state/workspace",
        },
        {
          command: "jig flow workspace init --workspace-root . --north-star-file goal.txt --json",
          explains: "the text from a file",
        },
      ],
      run: async (host, args) => (await import("./init.ts")).workspaceInit(host, args.flags),
    }),
    show: command({
      name: "flow workspace show",
      summary: "Show the workspace of a project, and whether the project may write its memory",
      flags: {
        cwd: {
          type: "string",
          value: "DIR",
          summary: "A directory of the project",
          default: "the working directory",
          completes: "directory",
        },
      },
      exitCodes: [[1, "there is no workspace"]],
      examples: [
        { command: "jig flow workspace show", explains: "of the project one stands in" },
        { command: "jig flow workspace show --cwd api --json", explains: "of another one" },
      ],
      run: async (host, args) => (await import("./show.ts")).workspaceShow(host, args.flags.cwd),
    }),
  },
};

export default workspace;
