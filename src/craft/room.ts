import type { DropInName, Room } from "../kernel/call/room.ts";

/** An upstream name of a verb: no help, and none of the flags that jig adds. */
function upstream(verb: string, without: readonly string[] = [], more: Partial<DropInName> = {}): DropInName {
  return { words: ["craft", verb], without: ["json", ...without], help: "unknown-flag", ...more };
}

const room: Room = {
  name: "craft",
  summary: "Turn a repository's manifest into exactly what a delivery run does",
  theme: "Decide where files go and what applies",
  load: () => import("./command.ts"),
  schemas: () => import("./schema.ts"),
  dropInNames: {
    "manifest-lint.js": upstream("manifest-lint", ["strict"]),
    "manifest-lint.sh": upstream("manifest-lint", ["strict"]),
  },
};

export default room;
