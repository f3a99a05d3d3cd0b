import { command } from "../../kernel/call/command.ts";

export default command({
  name: "link",
  summary: "Write the upstream tools' names so that their callers reach jig",
  positionals: [
    {
      name: "DIR",
      summary: "Directory to write into; made when missing",
      required: true,
      completes: "directory",
    },
    { name: "NAME", summary: "Only these names (all of them without)", repeat: true },
  ],
  flags: {
    launchers: {
      type: "boolean",
      summary: "Write scripts for callers that name an interpreter: python3 X.py, node X.js",
    },
    force: { type: "boolean", summary: "Move a foreign file of that name to X.jig-backup and write ours" },
    remove: { type: "boolean", summary: "Take our files of DIR away and put backups back" },
  },
  exitCodes: [
    [0, "every name is in place (or gone, with --remove)"],
    [1, "a foreign file was kept, or the path of jig cannot be written into a script"],
  ],
  details:
    "One line per file: created, unchanged, updated, kept, replaced, removed or restored, a tab, and the path.",
  examples: [
    { command: "jig link ~/.local/bin", explains: "answer to every upstream name on PATH" },
    {
      command: "jig link --launchers ./tools peer-job-runner.py",
      explains: "for `python3 tools/peer-job-runner.py`",
    },
  ],
  run: async (host, args) => (await import("./link.ts")).link(host, args),
});
