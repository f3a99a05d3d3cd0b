import { THEMES, TREE } from "../tree.ts";

/** The overview of `jig` alone, grouped by what people want to do. */
export function overview(): string {
  const width = Math.max(...Object.keys(TREE).map((name) => name.length));
  const sections = THEMES.map((theme) => {
    const lines = Object.entries(TREE)
      .filter(([, entry]) => entry.theme === theme)
      .map(([name, entry]) => `  ${name.padEnd(width)}  ${entry.summary}`);
    return `${theme}\n${lines.join("\n")}`;
  });
  return [
    "jig: the deterministic half of coding-agent skills, in one executable",
    "USAGE jig COMMAND [ARGUMENTS]",
    ...sections,
    "Run jig COMMAND --help for one of them, or jig demo to see them work.\n",
  ].join("\n\n");
}
