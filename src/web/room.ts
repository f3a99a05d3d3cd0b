import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "web",
  summary: "Serve screens to a person and collect their pinned comments",
  theme: "Show a page, bring the comments back",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  dropInNames: { "light-webserver.js": { words: ["web"] } },
});

export default room;
