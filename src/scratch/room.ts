import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "scratch",
  summary: "Make a private scratch directory for one run of a skill",
  theme: "Decide where files go and what applies",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
