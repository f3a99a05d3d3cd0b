import { command, type Group } from "../kernel/call/command.ts";

const FORMATS = ["md", "html"] as const;

const group: Group = {
  name: "plan",
  summary: "Name, check, find and map unified plan documents",
  verbs: {
    reserve: command({
      name: "plan reserve",
      summary: "Make a plan's file under a name that nobody has, and print its path",
      flags: {
        type: { type: "string", value: "TYPE", summary: "Kind of change: feat, fix, refactor, docs ..." },
        topic: {
          type: "string",
          value: "SLUG",
          summary: "What it is about, such as mute-alerts (at most 100 characters)",
        },
        format: {
          type: "string",
          value: "FORMAT",
          choices: FORMATS,
          summary: "md or html",
          default: "brainstorm_output of the config, else md",
        },
        date: {
          type: "string",
          value: "YYYY-MM-DD",
          summary: "Date in the name",
          default: "today, local time",
        },
        time: { type: "string", value: "HHMM", summary: "Time in the name", default: "now, local time" },
        from: {
          type: "string",
          value: "PATH",
          summary: "Content of the file, `-` for standard input (at most 16 MiB)",
          default: "an empty file",
          completes: "file",
        },
        convert: {
          type: "string",
          value: "FILE",
          summary: "Reserve the same name in the other format; FILE is not touched",
          completes: "file",
        },
      },
      exitCodes: [
        [1, "nothing was reserved: no repository, a wrong docs_root, no free name, the file system"],
      ],
      examples: [
        {
          command: "jig plan reserve --type feat --topic mute-alerts",
          explains:
            "<repository>/docs/plans/<date>-<time>-feat-mute-alerts-plan.md, or -plan-2 when that is taken",
        },
        {
          command:
            "jig plan reserve --convert docs/plans/2026-09-24-0952-feat-mute-alerts-plan.md --format html",
          explains: "the parallel HTML path",
        },
      ],
      details:
        "The name is taken in both formats. Nothing is ever overwritten, whatever else runs at the same time.",
      run: async (host, args) => (await import("./reserve.ts")).reserve(host, args.flags),
    }),
    release: command({
      name: "plan release",
      summary: "Delete a reservation that was not used",
      flags: {},
      positionals: [
        { name: "FILE", summary: "An empty file made by plan reserve", required: true, completes: "file" },
      ],
      exitCodes: [[1, "not an empty reservation; the file is kept"]],
      examples: [
        {
          command: "jig plan release docs/plans/2026-09-24-0952-feat-mute-alerts-plan.md",
          explains: "removes it when it is still empty",
        },
        {
          command: 'jig plan release "$path" --json',
          explains: "the path that was removed, for a script",
        },
      ],
      run: async (host, args) => (await import("./release.ts")).release(host, args.positionals[0]!),
    }),
    check: command({
      name: "plan check",
      summary: "Check the parts of a plan that a program can decide",
      flags: {
        stage: {
          type: "string",
          value: "STAGE",
          choices: ["auto", "requirements", "planned"],
          summary: "What the document has to be",
          default: "auto, by its sections",
        },
        producer: {
          type: "string",
          value: "NAME",
          summary: "Expected product_contract_source",
          default: "any",
        },
        split: { type: "boolean", summary: "The work was split: require the work-relationships section" },
        strict: { type: "boolean", summary: "Warnings count as failures" },
        ignore: { type: "string", value: "RULE", repeat: true, summary: "Leave out one rule" },
        "list-rules": { type: "boolean", summary: "List every rule instead" },
      },
      positionals: [{ name: "FILE", summary: "Markdown or HTML documents", repeat: true, completes: "file" }],
      exitCodes: [
        [0, "all pass, or are legacy documents that were not checked"],
        [1, "one fails, is an unused reservation, or has another contract"],
        [2, "wrong words, or a file that cannot be read or is beyond a limit"],
      ],
      examples: [
        { command: "jig plan check docs/plans/*.md", explains: "every plan, as CI does" },
        {
          command: "jig plan check plan.md --stage requirements --producer ce-brainstorm",
          explains: "a new requirements document; a forgotten frontmatter fails too",
        },
      ],
      details:
        "A document under an earlier wording of the contract gets warnings, never errors for its wording. What a program cannot decide is listed in the JSON under judgement. Markdown is read up to 1 MiB, HTML up to 16 MiB, and neither beyond limits on nesting and marks that no plan comes near.",
      readOnly: ["*"],
      run: async (host, args) => {
        const { checkPlans, listRules } = await import("./check.ts");
        return args.flags["list-rules"] ? listRules() : checkPlans(host, args.positionals, args.flags);
      },
    }),
    find: command({
      name: "plan find",
      summary: "List plans that a run may resume, newest first",
      flags: {
        topic: { type: "string", value: "SLUG", summary: "Exactly this topic" },
        match: {
          type: "string",
          value: "TEXT",
          summary: "Title, topic or file name contains it, whatever its case",
        },
        type: { type: "string", value: "TYPE", summary: "Exactly this kind of change" },
        stage: {
          type: "string",
          value: "STAGE",
          choices: ["requirements-only", "planned", "any"],
          summary: "How far it is; any also lists superseded siblings",
          default: "requirements-only",
        },
        source: {
          type: "string",
          value: "NAME",
          summary: "Its product_contract_source, or any",
          default: "ce-brainstorm",
        },
        legacy: { type: "boolean", summary: "Also docs/brainstorms/*-requirements.{md,html}" },
      },
      exitCodes: [[0, "also when nothing matches, and outside a repository"]],
      examples: [
        { command: "jig plan find --topic mute-alerts", explains: "is there something to continue?" },
        { command: "jig plan find --stage any --source any --json", explains: "every unified plan" },
      ],
      readOnly: ["*"],
      run: async (host, args) => (await import("./find.ts")).findPlans(host, args.flags),
    }),
    sections: command({
      name: "plan sections",
      summary: "Show where a document's sections and IDs are, or print one of them",
      flags: {
        get: { type: "string", value: "NAME", summary: "Print this section or ID as it stands in the file" },
        deep: { type: "boolean", summary: "Headings of level 4 to 6 too" },
      },
      positionals: [
        { name: "FILE", summary: "Any Markdown or HTML document", required: true, completes: "file" },
      ],
      exitCodes: [[1, "--get names nothing in the document"]],
      examples: [
        { command: "jig plan sections plan.md", explains: "line ranges of every section and item" },
        { command: "jig plan sections plan.md --get R4", explains: "one requirement, without the rest" },
      ],
      readOnly: ["*"],
      run: async (host, args) =>
        (await import("./sections.ts")).sections(host, args.positionals[0]!, args.flags),
    }),
  },
};

export default group;
