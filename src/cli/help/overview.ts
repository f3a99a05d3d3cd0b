import { THEMES } from "../../kernel/call/room.ts";
import { allRooms } from "../tree.ts";

/** The overview of `jig` alone, grouped by what people want to do. */
export function overview(): string {
  const rooms = allRooms();
  const width = Math.max(...rooms.map(({ name }) => name.length));
  const sections = THEMES.map((theme) => {
    const lines = rooms
      .filter((room) => room.theme === theme)
      .map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    return `${theme}\n${lines.join("\n")}`;
  });
  return [
    "jig: the deterministic half of coding-agent skills, in one executable",
    "USAGE jig COMMAND [ARGUMENTS]",
    ...sections,
    "Run jig COMMAND --help for one of them, or jig demo to see them work.\n",
  ].join("\n\n");
}
