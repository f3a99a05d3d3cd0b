import { command } from "../../kernel/call/command.ts";
import { usageErrors } from "../common/fail.ts";
import { runFlags, selectionFlags } from "../common/run-flags.ts";

/** `jig craft explain` (docs/spec/craft-engine.md, Beyond upstream). */
export const explain = command({
  name: "craft explain",
  summary: "Show what a run does and why: each phase, or one with where its values come from",
  prefix: "explain: ",
  usageError: usageErrors("explain"),
  flags: { ...selectionFlags, ...runFlags },
  positionals: [{ name: "PHASE", summary: "Tell the full story of this one" }],
  exitCodes: [
    [1, "no manifest of that config's name"],
    [2, "the manifest is invalid, or the run does not resolve; no such phase; or wrong usage"],
  ],
  examples: [
    {
      command: "jig craft explain",
      explains: "the phases of this repository's run, who works, what gates them",
    },
    {
      command: "jig craft explain review --profile lean",
      explains: "each of its values with the line, flag or profile that set it",
    },
  ],
  run: async (host, args) => (await import("./explain.ts")).explain(host, args.positionals[0], args.flags),
});
