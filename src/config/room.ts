import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "config",
  summary: "Read what the repository configured, and say which file decided",
  theme: "Decide where files go and what applies",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
