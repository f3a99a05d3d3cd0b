import { type Command, command, type Group, type UsageErrorFormat } from "../../kernel/call/command.ts";
import type { Host } from "../../kernel/call/host.ts";

/** A registration with a word too many must not stop the session either: exit 2 would cancel its compaction. */
const harmless =
  (name: string): UsageErrorFormat =>
  ({ message }) => ({ stderr: `craft ${name}: failed (${message})\n`, exitCode: 0 });

/** A hook that reads the host's payload and may have something to say; `upstream` is what its failure is called by. */
function speaking(
  verb: string,
  summary: string,
  upstream: string,
  load: () => Promise<(host: Host) => Promise<string>>,
): Command {
  return command({
    name: `craft hook ${verb}`,
    summary,
    json: false,
    usageError: harmless(upstream),
    flags: {},
    exitCodes: [
      [0, "always; nothing is printed for a session that drives no run"],
      [1, null],
      [2, null],
    ],
    details: "Reads the host's payload on standard input. Writes no file.",
    examples: [
      { command: "jig craft hook config", explains: "the settings that make the host call it" },
      { command: `jig craft hook ${verb} < payload.json`, explains: "try it by hand" },
    ],
    run: async (host) => {
      const [{ runHook }, text] = await Promise.all([import("./run-hook.ts"), load()]);
      return runHook(host, upstream, text);
    },
  });
}

/** What a host's hooks call, and the settings that make them fire (docs/spec/craft-run.md 11). */
const hook: Group = {
  name: "craft hook",
  summary: "Help a session find its run again after a compaction",
  verbs: {
    sessionstart: speaking(
      "sessionstart",
      "Print how the orchestrator of a run goes on after a compaction",
      "reorient-after-compact",
      async () => (await import("./session-start.ts")).reorientText,
    ),
    precompact: speaking(
      "precompact",
      "Print what a summary of a run's session must keep",
      "steer-compact-summary",
      async () => (await import("./pre-compact.ts")).compactionText,
    ),
    config: command({
      name: "craft hook config",
      summary: "Print the host settings that make both hooks fire",
      flags: {
        bin: { type: "string", value: "PATH", summary: "Another jig than this one", completes: "file" },
      },
      exitCodes: [[1, null]],
      examples: [
        { command: "jig craft hook config", explains: "JSON to merge into the host's settings file" },
        { command: "jig craft hook config --bin /opt/jig", explains: "with another path" },
      ],
      run: async (host, args) => (await import("./config.ts")).hookConfig(host, args.flags.bin),
    }),
  },
};

export default hook;
