import type { Room } from "../../kernel/call/room.ts";

const room = (): Room => ({
  name: "completions",
  summary: "Print a completion script for a shell",
  theme: "About jig",
  works: true,
  load: () => import("./command.ts"),
});

export default room;
