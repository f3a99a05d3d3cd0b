import type { Room } from "../kernel/call/room.ts";

const room = (): Room => ({
  name: "packs",
  summary: "Resolve the rule packs a repository declares",
  theme: "Decide where files go and what applies",
  works: true,
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  // Upstream has no such flag, and a caller may test for that (docs/spec/packs.md section 1).
  dropInNames: { "packs-resolve.py": { words: ["packs", "resolve"], without: ["json"] } },
});

export default room;
