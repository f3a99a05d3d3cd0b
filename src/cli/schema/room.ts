import type { Room } from "../../kernel/call/room.ts";

const room = (): Room => ({
  name: "schema",
  summary: "Print the JSON Schema of a file format or a --json result",
  theme: "About jig",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
});

export default room;
