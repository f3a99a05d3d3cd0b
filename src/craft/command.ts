import type { Group } from "../kernel/call/command.ts";

/** The verbs of the craft engine (docs/spec/craft-engine.md 1), each declared beside what it does. */
const group: Group = {
  name: "craft",
  summary: "Turn a repository's manifest into exactly what a delivery run does",
  // Upstream's callers append flags; the last one counts where a flag takes one value.
  repeated: "last-wins",
  verbs: {
    "manifest-lint": {
      summary: "Check a manifest, its references and its definition of done",
      load: async () => ({ default: (await import("./manifest/verbs.ts")).manifestLint }),
    },
  },
};

export default group;
