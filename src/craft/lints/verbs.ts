import { type Command, command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

const USAGE = "plan-lint: usage: plan-lint PLAN [--file-ceiling N], N a positive integer";

export const planLint = command({
  name: "craft plan-lint",
  summary: "Check the parts of a craft plan: their sections, how many files each declares",
  prefix: "plan-lint: ",
  usageError: usageErrors("plan-lint", 2, USAGE),
  flags: {
    "file-ceiling": {
      type: "string",
      value: "N",
      summary: "Files a part may declare in its Context",
      default: "6",
    },
  },
  positionals: [{ name: "PLAN", summary: "The plan, Markdown", required: true, completes: "file" }],
  exitCodes: [
    [0, "every part is in order"],
    [1, null],
    [2, "a part violates the schema, there is no part, or wrong usage"],
  ],
  examples: [
    { command: "jig craft plan-lint docs/plan.md", explains: "the gate of the planning phase" },
    { command: "jig craft plan-lint docs/plan.md --file-ceiling 10", explains: "allow larger parts" },
  ],
  run: async (host, args) => {
    const { DEFAULT_FILE_CEILING, planLint } = await import("./plan-lint.ts");
    const given = args.flags["file-ceiling"];
    const ceiling = given === undefined ? DEFAULT_FILE_CEILING : Number(given);
    const [plan] = args.positionals;
    if (plan === "" || !/^[1-9]\d*$/.test(String(given ?? ceiling))) {
      const { failureLines } = await import("../common/fail.ts");
      throw failureLines([USAGE]);
    }
    return planLint(host, { plan: plan!, ceiling });
  },
});

export const dodAssert = command({
  name: "craft dod-assert",
  summary: "Judge the criteria of a definition of done that can be judged",
  prefix: "dod-assert: ",
  usageError: usageErrors("dod-assert", 1),
  flags: {},
  positionals: [
    {
      name: "DOD",
      summary: "The definition of done, Markdown with front matter",
      required: true,
      completes: "file",
    },
    { name: "ROOT", summary: "Where files have to exist", required: true, completes: "directory" },
    { name: "GREEN_CSV", summary: "Gates that are green, comma-joined" },
  ],
  exitCodes: [
    [0, "judged, whatever the verdicts"],
    [1, "missing arguments, or criteria that cannot be read"],
    [2, null],
  ],
  details: 'Nothing that the file names is run. A definition of done in free text gives {"outcomes":null}.',
  examples: [
    { command: "jig craft dod-assert docs/dod.md . phase,part", explains: "with two green gates" },
    { command: "jig craft dod-assert docs/dod.md .", explains: "with none" },
  ],
  run: async (host, args) => {
    const [dod, root, green] = args.positionals;
    return (await import("./dod-assert.ts")).dodAssert(host, { dod: dod!, root: root!, green: green ?? "" });
  },
});

export const hygieneGate = command({
  name: "craft hygiene-gate",
  summary: "Say whether the hygiene lints advise or block",
  prefix: "hygiene-gate: ",
  usageError: usageErrors("hygiene-gate", 1),
  flags: {},
  positionals: [{ name: "MANIFEST", summary: "Nothing is read without one", completes: "file" }],
  exitCodes: [
    [0, "advisory or blocking is printed"],
    [1, "hygiene.gate has another value"],
    [2, null],
  ],
  examples: [
    { command: "jig craft hygiene-gate .claude/workflow.md", explains: "what this repository wants" },
    { command: "jig craft hygiene-gate", explains: "the default, advisory" },
  ],
  run: async (host, args) => (await import("./hygiene-gate.ts")).hygieneGate(host, args.positionals[0]),
});

/** The door of a verb that looks for marked words; `stub-lint` and `prose-lint` differ in their words alone. */
function markedCommand(
  verb: "stub-lint" | "prose-lint",
  summary: string,
  details: string,
  example: string,
): Command {
  return command({
    name: `craft ${verb}`,
    summary,
    details,
    prefix: `${verb}: `,
    usageError: usageErrors(verb),
    flags: {
      gate: {
        type: "string",
        value: "GATE",
        summary: "Whether a find fails the call",
        choices: ["advisory", "blocking"],
        default: "advisory",
      },
      "waiver-source": {
        type: "string",
        value: "F",
        summary: "A file whose waiver lines exempt files",
        repeat: true,
        completes: "file",
      },
    },
    positionals: [{ name: "FILE", summary: "What to look through", repeat: true, completes: "file" }],
    exitCodes: [
      [0, "looked; finds are printed, one a line"],
      [1, null],
      [2, "something was found or could not be read, with --gate blocking; or wrong usage"],
    ],
    examples: [
      { command: `jig craft ${verb} ${example}`, explains: "report and go on" },
      {
        command: `jig craft ${verb} --gate blocking --waiver-source run.md ${example}`,
        explains: "fail on a find that run.md does not waive",
      },
    ],
    run: async (host, args) => {
      const [{ scan }, words] = await Promise.all([import("./scan.ts"), import("./marked-words.ts")]);
      return scan(host, verb, verb === "stub-lint" ? words.STUBS : words.FILLER, {
        blocking: args.flags.gate === "blocking",
        waiverSources: args.flags["waiver-source"],
        files: args.positionals,
      });
    },
  });
}

export const stubLint = markedCommand(
  "stub-lint",
  "Find unfinished work in files",
  "Looks for the whole words TODO, FIXME, HACK, XXX, PLACEHOLDER and STUB in any case. A line STUB-WAIVE(FILE) in a\n" +
    "waiver source exempts that file.",
  "src/a.ts src/b.ts",
);

export const proseLint = markedCommand(
  "prose-lint",
  "Find filler in prose",
  "Looks for delve, leverage, seamless and robust as whole words, and for two worn phrases. A line SLOP-WAIVE(FILE) in a\n" +
    "waiver source exempts that file.",
  "docs/guide.md",
);
