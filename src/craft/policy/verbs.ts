import { command, type Group } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";
import { resolutionFlag } from "../common/run-flags.ts";

const consult = command({
  name: "craft policy consult",
  summary: "Say whether an outward action may be done, asked for or not at all",
  prefix: "policy: ",
  usageError: usageErrors("policy"),
  flags: {
    effective: { type: "string", value: "JSON", summary: "The policy: an object of action to verdict" },
    resolution: { ...resolutionFlag, summary: "The policy of a Resolution; `-` for stdin" },
    binding: {
      type: "string",
      value: "HOW",
      summary: "interactive (someone can be asked) or headless",
      default: "interactive",
    },
    preapproved: {
      type: "string",
      value: "A,B",
      repeat: true,
      summary: "Actions whose question counts as approved, headless; a never is never lifted",
    },
  },
  positionals: [
    {
      name: "ACTION",
      summary: "isolate, commit, push, propose, integrate, teardown, external-send or backlog-write",
      required: true,
    },
  ],
  exitCodes: [
    [0, "adjudicated, whatever the verdict"],
    [1, null],
    [2, "an unknown action, binding or verdict, an unreadable policy; or wrong usage"],
  ],
  examples: [
    { command: "jig craft policy consult push --resolution run.json", explains: "ask, proceed or refuse" },
    {
      command:
        "jig craft policy consult integrate --effective '{}' --binding headless --preapproved integrate",
      explains: "an unattended run that was allowed to merge",
    },
  ],
  run: async (host, args) =>
    (await import("./consult.ts")).consult(host, { action: args.positionals[0]!, ...args.flags }),
});

/** `jig craft policy` (docs/spec/craft-engine.md 10). */
export const policy: Group = {
  name: "craft policy",
  summary: "Ask what the policy says of an outward action",
  usageError: usageErrors("policy"),
  verbs: { consult },
};
