import { command, type Group } from "../kernel/call/command.ts";

const group: Group = {
  name: "config",
  summary: "Read repository settings and say which file each came from",
  verbs: {
    get: command({
      name: "config get",
      summary: "Print the effective value of one key",
      flags: {
        override: {
          type: "string",
          value: "VALUE",
          summary: "A caller's value: wins when it is valid for KEY, is ignored with a warning when not",
        },
        default: { type: "string", value: "VALUE", summary: "Printed when nothing else is set" },
      },
      positionals: [
        { name: "KEY", summary: "A key of the config files, such as plan_output", required: true },
      ],
      exitCodes: [
        [1, "a config file or docs_root is wrong"],
        [3, "the key is unset and has no default"],
      ],
      examples: [
        { command: "jig config get plan_output", explains: "md or html, from the files or the default" },
        {
          command: "jig config get brainstorm_model --override opus --json",
          explains: "judge a caller's value, and see which layers it outranks",
        },
      ],
      details:
        "Looked at in order: --override, .compound-engineering/config.local.yaml, .compound-engineering/config.yaml, the built-in default, --default.",
      readOnly: ["*"],
      run: async (host, args) => (await import("./get.ts")).getConfig(host, args.positionals[0]!, args.flags),
    }),
    "docs-root": command({
      name: "config docs-root",
      summary: "Print the folder that every artifact belongs under",
      readOnly: [""],
      flags: {
        absolute: { type: "boolean", summary: "Print the absolute real path" },
        create: { type: "boolean", summary: "Make the directory and its parents" },
      },
      positionals: [
        {
          name: "SUBDIR",
          summary:
            "A folder below it: solutions, plans, ideation, explainers, residual-review-findings, pulse-reports, dogfood-reports, feedback-sweep, personas, or another",
        },
      ],
      exitCodes: [[1, "docs_root or a config file is wrong, or this is no git repository"]],
      examples: [
        { command: "jig config docs-root plans", explains: "docs/plans, or below the docs_root that is set" },
        {
          command: "jig config docs-root --absolute --create",
          explains: "make the folder and print where it is",
        },
      ],
      run: async (host, args) =>
        (await import("./docs-root.ts")).docsRoot(host, args.positionals[0], args.flags),
    }),
    list: command({
      name: "config list",
      summary: "List effective values and the layer each comes from",
      flags: { all: { type: "boolean", summary: "Every known key, with its default" } },
      exitCodes: [[1, "a config file or docs_root is wrong"]],
      examples: [
        { command: "jig config list", explains: "what the config files set, and docs_root" },
        { command: "jig config list --all --json", explains: "everything, with what each layer says" },
      ],
      run: async (host, args) => (await import("./list.ts")).listConfig(host, args.flags),
    }),
    check: command({
      name: "config check",
      summary: "Report what is wrong in the config files, for people and CI",
      flags: {},
      exitCodes: [[1, "errors were found"]],
      examples: [
        { command: "jig config check", explains: "one line per finding and a count" },
        { command: "jig config check --json", explains: "the same for a program" },
      ],
      run: async (host) => (await import("./check.ts")).checkConfig(host),
    }),
  },
};

export default group;
