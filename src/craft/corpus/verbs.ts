import { command, type Group, type StringFlag } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

const manifest = {
  type: "string",
  value: "FILE",
  summary: "The run's manifest",
  completes: "file",
} as const satisfies StringFlag;

const consult = command({
  name: "craft intention consult",
  summary: "Print the documents whose subjects meet a scope of paths",
  flags: {
    manifest,
    "adr-dir": {
      type: "string",
      value: "DIR",
      summary: "Where the decision records are",
      default: "paths.adr of the manifest, else docs/adr",
      completes: "directory",
    },
    page: {
      type: "string",
      value: "PATH",
      summary: "A living page, instead of those found by convention",
      repeat: true,
      completes: "file",
    },
    all: { type: "boolean", summary: "Every document with subjects, with its globs; no scope is read" },
    from: {
      type: "string",
      value: "FILE",
      summary: "Read the scope from FILE, a path a line; - is standard input",
      completes: "file",
    },
    out: {
      type: "string",
      value: "FILE",
      summary: "Write the result to FILE and print its path",
      completes: "file",
    },
  },
  exitCodes: [[1, "the manifest's custom source failed"]],
  details: "Living pages are kept fresh with the code, decision records are only consulted.",
  examples: [
    { command: "jig craft intention consult --all --out intention.json", explains: "what a run loads once" },
    { command: "git diff --name-only main | jig craft intention consult", explains: "for what changed" },
  ],
  run: async (host, args) => (await import("./consult.ts")).consult(host, args.flags),
});

const assertFresh = command({
  name: "craft intention assert-fresh",
  summary: "Find living pages that a change leaves behind",
  flags: {
    change: {
      type: "string",
      value: "FILE",
      summary: "The change as JSON { changed, touched, waived, covers }; - is standard input",
      completes: "file",
    },
    base: {
      type: "string",
      value: "REF",
      summary: "The revision that HEAD is compared with",
      default: "the remote's default branch, else main, else master",
    },
    "waiver-source": {
      type: "string",
      value: "FILE",
      summary: "A text with INTENTION-WAIVE(page): reason",
      repeat: true,
      completes: "file",
    },
    covers: { type: "string", value: "GLOB", summary: "What some page has to speak of", repeat: true },
    manifest,
    gate: {
      type: "string",
      value: "GATE",
      summary: "advisory or blocking",
      choices: ["advisory", "blocking"],
      default: "intention.gate of the manifest, else advisory",
    },
    tokens: { type: "boolean", summary: "Print ledger lines instead of the report" },
  },
  exitCodes: [
    [0, "reported; nothing is stale, or the gate advises"],
    [1, "the gate blocks and a page is stale, or the manifest's custom source failed"],
  ],
  examples: [
    { command: "jig craft intention assert-fresh --gate blocking", explains: "the branch against its base" },
    { command: "jig craft intention assert-fresh --tokens", explains: "lines for the ledger" },
  ],
  run: async (host, args) => (await import("./assert-fresh.ts")).assertFresh(host, args.flags),
});

/** `jig craft intention` (docs/spec/craft-run.md 6). */
export const intention: Group = {
  name: "craft intention",
  summary: "Find the documents that state intent for the paths a change touches",
  prefix: "intention: ",
  usageError: usageErrors("intention"),
  verbs: { consult, "assert-fresh": assertFresh },
};

export const livingCorpus = command({
  name: "craft living-corpus",
  summary: "Print the living pages of the working directory and the backlog",
  prefix: "living-corpus: ",
  usageError: usageErrors("living-corpus"),
  flags: {},
  exitCodes: [[1, "there is no living page"]],
  examples: [
    { command: "jig craft living-corpus", explains: "a path a line, in byte order" },
    { command: "jig craft living-corpus --json", explains: "the same as JSON" },
  ],
  run: async (host) => (await import("./list.ts")).livingCorpus(host),
});

export const governingCorpus = command({
  name: "craft governing-corpus",
  summary: "Print the decision records that have front matter",
  prefix: "governing-corpus: ",
  usageError: usageErrors("governing-corpus", 1, "usage: governing-corpus ADR_DIR"),
  flags: {},
  positionals: [
    {
      name: "ADR_DIR",
      summary: "Their directory; behind -- when its name begins with a dash",
      required: true,
      completes: "directory",
    },
  ],
  exitCodes: [
    [0, "also when none has a fence yet"],
    [1, "not a directory, or wrong usage"],
    [2, null],
  ],
  examples: [
    { command: "jig craft governing-corpus docs/adr", explains: "a path a line, in byte order" },
    { command: "jig craft governing-corpus docs/adr --json", explains: "the same as JSON" },
  ],
  run: async (host, args) => (await import("./list.ts")).governingCorpus(host, args.positionals[0]!),
});
