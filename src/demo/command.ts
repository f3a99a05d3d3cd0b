import { streamingCommand } from "../kernel/call/command.ts";

export default streamingCommand({
  name: "demo",
  summary: "Run the main job end to end on an embedded example",
  flags: {
    keep: { type: "boolean", summary: "Keep the screen and the files until Ctrl-C, to try the overlay" },
    "no-open": { type: "boolean", summary: "Do not open a browser" },
  },
  details:
    "Everything happens in one fresh private directory with the real commands; nothing is left behind without --keep.",
  exitCodes: [
    [0, "every step worked"],
    [1, "a step failed, or git is missing and the steps that need it were skipped"],
    [130, "ended by Ctrl-C"],
  ],
  examples: [
    { command: "jig demo", explains: "see it work, in under a minute" },
    { command: "jig demo --keep", explains: "then try the annotate overlay in your browser" },
  ],
  stream: async (host, args, out) => (await import("./demo.ts")).demo(host, args, out),
});
