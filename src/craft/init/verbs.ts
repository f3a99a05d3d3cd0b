import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

export const init = command({
  name: "craft init",
  summary: "Write a named config, checked, from answers or from what the repository shows",
  prefix: "init: ",
  usageError: usageErrors("init", 1),
  flags: {
    answers: {
      type: "string",
      value: "FILE",
      summary: "A JSON object of answers; - is standard input",
      completes: "file",
    },
    scope: { type: "string", value: "SCOPE", summary: "local or user", default: "local" },
    "dry-run": { type: "boolean", summary: "Print the manifest and what the check says; write nothing" },
    force: { type: "boolean", summary: "Replace a config that exists" },
  },
  positionals: [{ name: "NAME", summary: "Lower-case words joined by hyphens" }],
  exitCodes: [
    [0, "written; its absolute path is printed"],
    [1, "invalid, there already, wrong usage, or no safe place; nothing was changed"],
    [2, null],
  ],
  examples: [
    {
      command: "jig craft init ci",
      explains: "a small manifest with this repository's test command as the gate",
    },
    { command: "jig craft init ci --answers answers.json --dry-run", explains: "look before writing" },
  ],
  run: async (host, args) => {
    const { answers, scope, force, "dry-run": dryRun } = args.flags;
    return (await import("./init.ts")).init(host, {
      name: args.positionals[0],
      answers,
      scope,
      dryRun,
      force,
    });
  },
});

export const initConfig = command({
  name: "craft init-config",
  summary: "Print where a config of a name goes",
  prefix: "init-config: ",
  usageError: usageErrors("init-config", 1),
  flags: {},
  positionals: [{ name: "NAME", summary: "Lower-case words joined by hyphens" }],
  exitCodes: [
    [0, "the relative path is printed; whether it exists is not looked at"],
    [1, "no valid name"],
    [2, null],
  ],
  examples: [
    { command: "jig craft init-config ci", explains: ".claude/craft-ci.md" },
    { command: "jig craft init-config ci --json", explains: "the same as JSON" },
  ],
  run: async (host, args) => (await import("./name.ts")).initConfig(host, args.positionals[0]),
});

export const initEmit = command({
  name: "craft init-emit",
  summary: "Write the manifest that answers describe, without judging it",
  prefix: "init-emit: ",
  usageError: usageErrors("init-emit", 1),
  flags: {
    from: {
      type: "string",
      value: "FILE",
      summary: "Read the answers from FILE; - is standard input",
      completes: "file",
    },
  },
  positionals: [
    { name: "ANSWERS", summary: "A file with a JSON object; '' reads standard input", completes: "file" },
    { name: "OUT", summary: "The manifest to write; replaced when it exists", completes: "file" },
  ],
  exitCodes: [
    [0, "written"],
    [1, "wrong usage, answers that cannot be read, or the manifest cannot be written"],
    [2, null],
  ],
  examples: [
    { command: "jig craft init-emit answers.json .claude/draft", explains: "then jig craft init-land" },
    { command: "jig craft init-emit '' .claude/draft < answers.json", explains: "answers on standard input" },
  ],
  run: async (host, args) => {
    const [answers, out] = args.positionals;
    return (await import("./emit.ts")).initEmit(host, { answers, out, from: args.flags.from });
  },
});

export const initLand = command({
  name: "craft init-land",
  summary: "Check a written manifest and move it into place as a named config",
  prefix: "init-land: ",
  usageError: usageErrors("init-land", 1),
  flags: {
    scope: { type: "string", value: "SCOPE", summary: "local or user", default: "local" },
  },
  positionals: [
    { name: "TMP", summary: "The manifest, in the .claude directory it will stand in", completes: "file" },
    { name: "NAME", summary: "The config's name" },
  ],
  exitCodes: [
    [0, "in place; its absolute path is printed"],
    [1, "invalid, wrong usage, or no safe place; nothing was changed"],
    [2, null],
  ],
  examples: [
    { command: "jig craft init-land .claude/draft ci", explains: "becomes .claude/craft-ci.md" },
    {
      command: "jig craft init-land ~/.claude/draft ci --scope user",
      explains: "for every repository of yours",
    },
  ],
  run: async (host, args) => {
    const [tmp, name] = args.positionals;
    return (await import("./land.ts")).initLand(host, { tmp, name, scope: args.flags.scope });
  },
});

export const promotePlan = command({
  name: "craft promote-plan",
  summary: "Say what promoting a config to the home directory would move",
  prefix: "promote-plan: ",
  usageError: usageErrors("promote-plan", 1),
  flags: {
    demote: { type: "boolean", summary: "The other way: from the home directory to this repository" },
    force: { type: "boolean", summary: "Accept that the destination exists" },
  },
  positionals: [{ name: "NAME", summary: "The config's name" }],
  exitCodes: [
    [0, "three lines: source, dest, scope; nothing is moved"],
    [1, "no such config, the destination exists, or no safe place"],
    [2, null],
  ],
  examples: [
    { command: "jig craft promote-plan ci", explains: "from .claude/ here to ~/.claude/" },
    { command: "jig craft promote-plan ci --demote --json", explains: "the other way, as JSON" },
  ],
  run: async (host, args) => {
    const { demote, force } = args.flags;
    return (await import("./promote.ts")).promotePlan(host, { name: args.positionals[0], demote, force });
  },
});
