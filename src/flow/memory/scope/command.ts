import { command, type Group } from "../../../kernel/call/command.ts";
import { projectFlag, writeWorkflow } from "../../common/flags.ts";

/** Which issues a review's findings are mended for (docs/spec/flow.md 8.2). */
const scope: Group = {
  name: "flow scope",
  summary: "Ask and answer which issues of a review are mended",
  verbs: {
    list: command({
      name: "flow scope list",
      summary: "Print the scope decisions that are pending",
      flags: projectFlag,
      exitCodes: [[1, "the project's memory cannot be read"]],
      details: "While there is one, the user's next reply answers it.",
      examples: [
        { command: "jig flow scope list", explains: "before a request is routed" },
        { command: "jig flow scope list --json", explains: "as JSON" },
      ],
      run: async (host, args) => (await import("./scope.ts")).scopeList(host, args.flags),
    }),
    request: command({
      name: "flow scope request",
      summary: "Ask for a scope decision: a marker in memory, the gate scope_decision, an event",
      flags: {
        ...projectFlag,
        reason: { type: "string", value: "TEXT", summary: "What has to be decided" },
        "reason-file": {
          type: "string",
          value: "FILE",
          summary: "Read it from FILE; - is standard input",
          completes: "file",
        },
      },
      positionals: [writeWorkflow],
      exitCodes: [
        [1, "no such workflow, or a file cannot be read or written"],
        [3, "another gate is set, or several workflows are meant; nothing was written"],
      ],
      examples: [
        { command: "jig flow scope request 1a2b3c4d --reason 'auth hole'", explains: "after the review" },
        {
          command: "jig flow scope request 1a2b3c4d --reason-file why.txt",
          explains: "the reason from a file",
        },
      ],
      run: async (host, args) =>
        (await import("./scope.ts")).scopeRequest(host, { wf: args.positionals[0]!, ...args.flags }),
    }),
    answer: command({
      name: "flow scope answer",
      summary: "Take the user's reply: print the scope it names, clear marker and gate",
      flags: {
        ...projectFlag,
        from: {
          type: "string",
          value: "FILE",
          summary: "Read the reply from FILE; - is standard input",
          completes: "file",
        },
      },
      positionals: [writeWorkflow, { name: "TEXT", summary: "The reply, in the user's exact words" }],
      exitCodes: [
        [1, "no decision of the workflow is pending, or a file cannot be read or written"],
        [3, "the reply is none of the options, or several workflows are meant; nothing was written"],
      ],
      examples: [
        {
          command: "jig flow scope answer 1a2b3c4d 'Fix critical only'",
          explains: "CRITICAL_ONLY",
        },
        { command: "jig flow scope answer 1a2b3c4d --from reply.txt", explains: "the reply from a file" },
      ],
      run: async (host, args) => {
        const [wf, text] = args.positionals;
        return (await import("./scope.ts")).scopeAnswer(host, { wf: wf!, text, ...args.flags });
      },
    }),
  },
};

export default scope;
