import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "demo",
  summary: "Run the main job end to end on an embedded example",
  theme: "About jig",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
