import { DIRECTORY_PHRASE } from "../source/render.ts";
import { bodyLines } from "./markdown.ts";
import { entryOf, type Sink, type Tree } from "./tree.ts";

const MOST_BODY_LINES = 500;
const REFERENCE_WARNING = 16_000;
const REFERENCE_ERROR = 32_000;
export const ENTRY_LIMIT = 8000;
export const INSTALLED_ENTRY_LIMIT = 20_000;
export const LONGEST_DESCRIPTION = 360;
export const ALL_DESCRIPTIONS = 2100;

/** A prefix of the length that sizes are counted with. */
const TYPICAL_PREFIX = "/home/someone-or-other/.local/bin/jig-01";

/** Bytes of a text as an agent would load it at worst: typical prefix, CRLF line ends. */
export function loadedBytes(text: string): number {
  const rendered = text
    .replaceAll("{{JIG}}", TYPICAL_PREFIX)
    .replaceAll("{{JIG_VERSION}}", "10.10.10")
    .replaceAll("{{SKILL_DIR}}", DIRECTORY_PHRASE.padEnd(80, "."));
  return Buffer.byteLength(rendered.replaceAll(/\r?\n/g, "\r\n"));
}

/** Rules S010 and S011: what an agent would cut. Of a skill that is not jig's: what the specification recommends. */
export function checkSizes(tree: Tree, sink: Sink): void {
  const entry = entryOf(tree);
  for (const [file, text] of tree.files) {
    if (text === undefined) continue;
    if (file === entry) checkEntry(tree, file, text, sink);
    else if (tree.ours) checkReference(file, text, sink);
  }
}

function checkReference(file: string, text: string, sink: Sink): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > REFERENCE_ERROR) sink.error(file, 1, "S011", `${bytes} bytes; at most ${REFERENCE_ERROR}`);
  else if (bytes > REFERENCE_WARNING)
    sink.warning(file, 1, "S011", `${bytes} bytes; better below ${REFERENCE_WARNING}`);
}

function checkEntry(tree: Tree, file: string, text: string, sink: Sink): void {
  const tooLarge = tree.ours ? sink.error : sink.warning;
  const lines = [...bodyLines(text.replace(/\r?\n$/, ""))].length;
  if (lines > MOST_BODY_LINES)
    tooLarge(file, 1, "S010", `the body has ${lines} lines; at most ${MOST_BODY_LINES}`);
  const bytes = tree.ours ? loadedBytes(text) : Buffer.byteLength(text);
  const { entryBytes, entryBytesWarning } = tree.limits;
  if (bytes > entryBytes) tooLarge(file, 1, "S010", `${bytes} bytes as loaded; at most ${entryBytes}`);
  else if (bytes > entryBytesWarning && tree.ours) {
    sink.warning(file, 1, "S010", `${bytes} bytes as loaded; some hosts cut after ${entryBytesWarning}`);
  }
}
