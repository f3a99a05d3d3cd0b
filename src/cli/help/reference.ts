import { THEMES, TREE } from "../tree.ts";
import { helpText } from "./help.ts";
import { WIDEST_PAGE } from "./layout.ts";

const PAGE = { colour: false, width: WIDEST_PAGE };

/** The command reference (docs/commands.md): every command's help, in the order of the overview. */
export async function commandReference(): Promise<string> {
  const parts = [
    "# Command reference",
    "Made from the command tree by `npm run docs`; every page is what `--help` prints.",
  ];
  for (const theme of THEMES) {
    parts.push(`## ${theme}`);
    for (const [name, entry] of Object.entries(TREE)) {
      if (entry.theme !== theme) continue;
      const target = await entry.load();
      parts.push(`### jig ${name}`, block(await helpText(target, PAGE)));
      if (!("verbs" in target)) continue;
      for (const [verb, command] of Object.entries(target.verbs)) {
        if (!command.hidden) parts.push(`#### jig ${name} ${verb}`, block(await helpText(command, PAGE)));
      }
    }
  }
  return parts.join("\n\n") + "\n";
}

function block(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}
