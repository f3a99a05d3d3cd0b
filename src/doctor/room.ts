import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "doctor",
  summary: "Check this machine and explain what is wrong and how to mend it",
  theme: "About jig",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
