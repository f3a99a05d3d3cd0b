import type { Room } from "../../kernel/call/room.ts";

const room = (): Room => ({
  name: "version",
  summary: "Print the version, platform and commit",
  theme: "About jig",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
