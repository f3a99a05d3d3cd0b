import { type Room, THEMES } from "../../kernel/call/room.ts";
import { allRooms } from "../tree.ts";
import { walk } from "../walk.ts";
import { helpText } from "./help.ts";
import { WIDEST_PAGE } from "./layout.ts";

const PAGE = { colour: false, width: WIDEST_PAGE };

/** The command reference (docs/commands.md): every command's help, in the order of the overview. */
export async function commandReference(rooms: readonly Room[] = allRooms()): Promise<string> {
  const parts = [
    "# Command reference",
    "Made from the command tree by `npm run docs`; every page is what `--help` prints.",
  ];
  for (const theme of THEMES) {
    parts.push(`## ${theme}`);
    for await (const { path, target } of walk(rooms.filter((room) => room.theme === theme))) {
      const heading = "#".repeat(Math.min(2 + path.length, 6));
      parts.push(`${heading} jig ${path.join(" ")}`, block(await helpText(target, PAGE)));
    }
  }
  return parts.join("\n\n") + "\n";
}

function block(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}
