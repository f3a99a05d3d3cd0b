import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";

/** Where the findings come from and go to. */
const listFlags = {
  from: {
    type: "string",
    value: "FILE",
    summary: "Read the findings from FILE; - is standard input",
    completes: "file",
  },
  out: {
    type: "string",
    value: "FILE",
    summary: "Write the list to FILE, print its path and n=COUNT",
    completes: "file",
  },
} as const;

export const normalizeFindings = command({
  name: "craft normalize-findings",
  summary: "Turn findings, in lines or as JSON, into the canonical JSON list",
  prefix: "normalize-findings: ",
  usageError: usageErrors("normalize-findings"),
  flags: listFlags,
  positionals: [
    { name: "FILE", summary: "Where the findings are (standard input without)", completes: "file" },
  ],
  exitCodes: [
    [0, "done; no findings is an empty list"],
    [1, null],
    [2, "a line or item that is no finding, an unreadable file, or wrong usage; nothing is written"],
  ],
  details:
    "A line is [STATUS: ]SEVERITY FILE:LINE — FINDING[ | FIX], with SEVERITY one of CRITICAL, HIGH, MEDIUM, LOW and\n" +
    "STATUS one of VERIFIED, SUSPECT, RULED-OUT, PROBE. One bad line fails the whole input. NONE alone is an empty list.",
  examples: [
    {
      command: "jig craft normalize-findings review.txt --out findings.json",
      explains: "a reviewer's lines as a list",
    },
    { command: "jig craft normalize-findings < review.txt", explains: "the same on standard output" },
  ],
  run: async (host, args) => {
    const { from, out } = args.flags;
    return (await import("./normalize.ts")).normalizeFindings(host, { file: args.positionals[0], from, out });
  },
});

export const filterFindings = command({
  name: "craft filter-findings",
  summary: "Keep the findings inside a scope of files and lines",
  prefix: "filter-findings: ",
  usageError: usageErrors("filter-findings"),
  flags: {
    scope: { type: "string", value: "SPEC", summary: "Entries FILE:START-END or FILE:*, one a line" },
    "scope-file": { type: "string", value: "FILE", summary: "Read the scope from FILE", completes: "file" },
    "repo-root": {
      type: "string",
      value: "DIR",
      summary: "Cut this directory off absolute paths",
      completes: "directory",
    },
    ...listFlags,
  },
  positionals: [
    { name: "FILE", summary: "The JSON list of findings (standard input without)", completes: "file" },
  ],
  exitCodes: [
    [0, "done, whatever was dropped; each drop is named on stderr"],
    [1, null],
    [2, "no scope, a malformed entry, no JSON list, or wrong usage; nothing is written"],
  ],
  examples: [
    {
      command: "jig craft filter-findings --scope-file scope.txt findings.json",
      explains: "only what the change touched",
    },
    { command: "jig craft filter-findings --scope 'src/a.ts:*' findings.json", explains: "one whole file" },
  ],
  run: async (host, args) => {
    const { scope, from, out, "scope-file": scopeFile, "repo-root": repoRoot } = args.flags;
    const options = { file: args.positionals[0], from, out, scope, scopeFile, repoRoot };
    return (await import("./filter.ts")).filterFindings(host, options);
  },
});
