import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "base-dir",
  summary: "Resolve and record the directory a skill writes under",
  theme: "Decide where files go and what applies",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  dropInNames: { cafleet: { words: ["base-dir"], translate: () => import("./cafleet.ts") } },
  core: ["anchor.ts", "fatal.ts", "render.ts"],
});

export default room;
