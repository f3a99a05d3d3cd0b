import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";
import { resolutionOut, runFlags } from "../common/run-flags.ts";

/** `jig craft pipeline-resolve` (docs/spec/craft-engine.md 5). */
export const pipelineResolve = command({
  name: "craft pipeline-resolve",
  summary: "Print the phases of a run, their gates and its policy as JSON",
  prefix: "pipeline-resolve: ",
  usageError: usageErrors(
    "pipeline-resolve",
    2,
    "Usage: pipeline-resolve <pipeline.yml> [manifest.yml] [--profile NAME] [--skip ID,ID] [--harness PHASE.KNOB=VALUE] [--policy ACTION=VERDICT]",
  ),
  flags: {
    manifest: {
      type: "string",
      value: "PATH",
      summary: "The same as MANIFEST; give one of them",
      completes: "file",
    },
    ...runFlags,
    out: resolutionOut,
  },
  positionals: [
    {
      name: "PIPELINE",
      summary: "A pipeline file, or @default for the embedded one (the default)",
      completes: "file",
    },
    { name: "MANIFEST", summary: "A manifest; without one nothing is configured", completes: "file" },
    { name: "IGNORED", summary: "Further words count for nothing", repeat: true },
  ],
  exitCodes: [
    [0, "resolved"],
    [1, null],
    [2, "refused: every error of the first stage that found one; or wrong usage"],
  ],
  examples: [
    { command: "jig craft pipeline-resolve", explains: "the default pipeline, nothing configured" },
    {
      command:
        "jig craft pipeline-resolve @default .claude/workflow.md --profile lean --skip decisions --out run.json",
      explains: "a repository's own, kept in a file for the later steps",
    },
  ],
  run: async (host, args) => {
    const { positionals, flags } = args;
    return (await import("./resolve/verb.ts")).pipelineResolve(host, { positionals, ...flags });
  },
});

/** `jig craft pipeline-lint` (docs/spec/craft-engine.md 4.3). */
export const pipelineLint = command({
  name: "craft pipeline-lint",
  summary: "Check a pipeline file",
  prefix: "pipeline-lint: ",
  usageError: usageErrors("pipeline-lint", 2, "Usage: pipeline-lint <pipeline.yml>"),
  flags: {},
  positionals: [
    { name: "PIPELINE", summary: "The file (default: the embedded pipeline)", completes: "file" },
  ],
  exitCodes: [
    [0, "it parses, and every enabled phase has its inputs; prints nothing"],
    [1, null],
    [2, "it does not, or wrong usage"],
  ],
  examples: [
    { command: "jig craft pipeline-lint pipeline.yml", explains: "every phase has its inputs" },
    { command: "jig craft pipeline-lint --json", explains: "the embedded pipeline" },
  ],
  run: async (host, args) =>
    (await import("./lint.ts")).pipelineLint(host, args.positionals[0], args.flags.json),
});
