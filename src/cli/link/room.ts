import type { Room } from "../../kernel/call/room.ts";

const room = (): Room => ({
  name: "link",
  summary: "Write the upstream tools' names so that their callers reach jig",
  theme: "Equip an agent",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
