import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "plan",
  summary: "Reserve, check and find plan documents",
  theme: "Decide where files go and what applies",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
