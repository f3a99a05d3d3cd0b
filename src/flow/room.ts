import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "flow",
  summary: "Keep a workflow's state, stop it at its gates, and bring its work back from a worktree",
  theme: "Decide where files go and what applies",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  dropInNames: {
    "craftflow_resolve_workspace_root.py": {
      words: ["flow", "root"],
      only: ["cwd", "request"],
      requires: ["cwd", "request"],
      fixed: { json: true },
      json: "python",
    },
    "craftflow_workflow_id.py": { words: ["flow", "id"], without: ["request-file"], json: "python" },
  },
});

export default room;
