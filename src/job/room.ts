import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "job",
  summary: "Run, watch and reap supervised jobs that outlive a tool call",
  theme: "Run work outside the conversation",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  dropInNames: {
    "peer-job-runner.py": {
      words: ["job"],
      anywhere: ["status", "wait", "result", "reap", "list", "logs", "root"],
    },
  },
  completes: { job: { command: "job list --no-header", column: 4 } },
  core: ["record/directory.ts", "record/roots.ts", "record/state.ts", "look/status.ts", "usage.ts"],
});

export default room;
