import { command } from "../kernel/call/command.ts";

export default command({
  name: "scratch",
  summary: "Make a private directory for one run of a skill and print its path",
  positionals: [
    { name: "SKILL", summary: "The skill's name", required: true, completes: "skill" },
    {
      name: "RUN_ID",
      summary: "A name for this run; the same one opens the same directory again",
      required: true,
    },
  ],
  flags: {},
  exitCodes: [
    [0, "the directory exists, mode 0700, and is ours"],
    [1, "no root or directory that can be trusted; the message names it"],
    [2, "usage, or a name that is no safe path component"],
  ],
  details:
    "The root is /tmp/compound-engineering-UID, or the same name under TMPDIR where a sandbox allows writes only there.\n" +
    "It is no archive: jig job start removes run directories of the same skill after 24 hours.",
  examples: [
    {
      command: "jig scratch ce-brainstorm 20260731-a1",
      explains: "print the directory, making it when needed",
    },
    { command: "jig scratch ce-plan run7 --json", explains: "also say which root it is in" },
  ],
  run: async (host, args) =>
    (await import("./scratch.ts")).scratch(host, args.positionals[0]!, args.positionals[1]!),
});
