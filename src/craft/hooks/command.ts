import { command, type Group, type UsageErrorFormat } from "../../kernel/call/command.ts";

/** A registration with a word too many must not stop the session either: exit 2 would cancel its compaction. */
const harmless =
  (name: string): UsageErrorFormat =>
  ({ message }) => ({ stderr: `craft ${name}: failed (${message})\n`, exitCode: 0 });

/** What a host's hooks call, and the settings that make them fire (docs/spec/craft-run.md 11). */
const hook: Group = {
  name: "craft hook",
  summary: "Help a session find its run again after a compaction",
  verbs: {
    sessionstart: command({
      name: "craft hook sessionstart",
      summary: "Print how the orchestrator of a run goes on after a compaction",
      json: false,
      usageError: harmless("reorient-after-compact"),
      flags: {},
      exitCodes: [
        [0, "always; nothing is printed for a session that drives no run"],
        [1, null],
        [2, null],
      ],
      details: "Reads the host's payload on standard input. Writes no file.",
      examples: [
        { command: "jig craft hook config", explains: "the settings that make the host call it" },
        { command: "jig craft hook sessionstart < payload.json", explains: "try it by hand" },
      ],
      run: async (host) => {
        const [{ runHook }, { reorientText }] = await Promise.all([
          import("./run-hook.ts"),
          import("./session-start.ts"),
        ]);
        return runHook(host, "reorient-after-compact", reorientText);
      },
    }),
    precompact: command({
      name: "craft hook precompact",
      summary: "Print what a summary of a run's session must keep",
      json: false,
      usageError: harmless("steer-compact-summary"),
      flags: {},
      exitCodes: [
        [0, "always; nothing is printed for a session that drives no run"],
        [1, null],
        [2, null],
      ],
      details: "Reads the host's payload on standard input. Writes no file.",
      examples: [
        { command: "jig craft hook config", explains: "the settings that make the host call it" },
        { command: "jig craft hook precompact < payload.json", explains: "try it by hand" },
      ],
      run: async (host) => {
        const [{ runHook }, { compactionText }] = await Promise.all([
          import("./run-hook.ts"),
          import("./pre-compact.ts"),
        ]);
        return runHook(host, "steer-compact-summary", compactionText);
      },
    }),
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
