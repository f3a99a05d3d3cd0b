import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "skills",
  summary: "List, install, update and check the embedded skills",
  theme: "Equip an agent",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  completes: { skill: { command: "skills list", column: 1 } },
});

export default room;
