import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "flow",
  summary: "Keep a workflow's state, stop it at its gates, and bring its work back from a worktree",
  theme: "Decide where files go and what applies",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
