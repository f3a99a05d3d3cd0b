import { EXIT } from "../../kernel/call/errors.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { cutAtSeparator } from "../parse/parse.ts";
import { complain, printText, type Sink } from "../print/print.ts";
import { allRooms } from "../tree.ts";
import { overview } from "./overview.ts";

/** Say that the first word is no command, with the one that may have been meant; gives the exit code. */
export function reportUnknownWord(name: string, words: readonly string[], sink: Sink): number {
  if (cutAtSeparator(words)[0].some((word) => word === "--help" || word === "-h")) {
    return printText(overview(), sink, "jig: ");
  }
  const groups = allRooms().map((room) => room.name);
  const meant = nearest(name, groups);
  const kind = name.startsWith("-") ? "flag" : "command";
  const suggestion = meant === undefined || kind === "flag" ? "" : `; did you mean ${meant}?`;
  const misplaced = name === "--as" ? " (it must be the first argument)" : "";
  complain(
    sink,
    `jig: unknown ${kind} '${name}'${misplaced}${suggestion}\nhint: commands are ${groups.join(", ")}; jig --help says what they do`,
  );
  return EXIT.usage;
}
