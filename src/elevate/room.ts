import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "elevate",
  summary: "Run one step on another model, with a receipt",
  theme: "Run work outside the conversation",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  dropInNames: { "elevation-dispatch.sh": { words: ["elevate"] } },
});

export default room;
