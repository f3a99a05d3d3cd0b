import { command } from "../kernel/call/command.ts";

export default command({
  name: "doctor",
  summary: "Check this machine and explain what is wrong and how to mend it",
  flags: {},
  exitCodes: [
    [0, "nothing is wrong"],
    [1, "there are findings; each names the command that mends it"],
  ],
  details:
    "Reads only: nothing is created, changed or called over a network (a socket on loopback is opened and closed), and no host CLI is run.",
  examples: [
    { command: "jig doctor", explains: "a line for each check, findings with their remedy" },
    { command: "jig doctor --json", explains: "the same for a bug report or a script" },
  ],
  run: async (host) => (await import("./doctor.ts")).doctor(host),
});
