import { ENTRY_FILE } from "../source/shipment.ts";
import { isEntryName, type Sink, type Tree } from "./tree.ts";

const MENTION = /references\/[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*/g;
/** A path built from placeholders (`../<repo>-<slug>`) lies in the user's tree and is no reference. */
const ESCAPES =
  /(?<![\w.…])\.\.[\\/](?!<)|references\\|(?<![\w{}:/.~-])(?:\/|[A-Za-z]:[\\/])[\w./\\-]*references[\\/]/;

/**
 * Rules S005 to S008: every file named exists, every file is named in the entry file, all lie one level deep. In a skill
 * that is not jig's the first two are warnings, and where its files lie is its own affair.
 */
export function checkReferences(tree: Tree, sink: Sink): void {
  const report = tree.ours ? sink.error : sink.warning;
  const entry = tree.files.get(ENTRY_FILE) ?? "";
  for (const [file, text] of tree.files) {
    if (text === undefined) continue;
    text.split(/\r?\n/).forEach((line, index) => {
      for (const named of mentions(line)) {
        if (!tree.files.has(named)) report(file, index + 1, "S005", `${named} does not exist`);
      }
      if (ESCAPES.test(line)) {
        report(
          file,
          index + 1,
          "S007",
          "a path leaves the skill: no .., backslash or absolute path to a reference",
        );
      }
    });
  }
  if (!tree.ours) return;
  for (const file of tree.files.keys()) {
    if (isEntryName(file)) continue;
    const inReferences = /^references\/[^/]+\.md$/.test(file);
    if (!inReferences) sink.error(file, 1, "S008", "a reference is a .md file directly in references/");
    else if (!mentions(entry).includes(file))
      sink.error(file, 1, "S006", `${ENTRY_FILE} does not name ${file}`);
  }
}

/** The reference paths of a text, without a sentence's final full stop. */
function mentions(text: string): string[] {
  return [...text.matchAll(MENTION)].map(([path]) => path.replace(/\.+$/, ""));
}
