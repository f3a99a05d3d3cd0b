import type { Brief, Promised } from "./briefs.ts";
import type { Sink, Tree } from "./tree.ts";

/** Rules S050 to S053: what the brief asks of this skill is in its text (docs/spec/skills.md 8.2). */
export function checkPromises(tree: Tree, brief: Brief, sink: Sink): void {
  checkReferenceFiles(tree, brief, sink);
  for (const one of brief.promises) {
    const files = one.file === "*" ? [...tree.files.keys()] : [one.file];
    for (const file of files) {
      const broken = breakIn(tree.files.get(file) ?? "", one);
      const examples = one.examples.length === 0 ? "" : ` (example ${one.examples.join(", ")})`;
      if (broken !== undefined) sink.error(file, 1, ruleOf(one), broken + examples);
    }
  }
}

export function ruleOf(one: Promised): string {
  if ("order" in one) return "S051";
  return "absent" in one ? "S052" : "S050";
}

function checkReferenceFiles(tree: Tree, { references }: Brief, sink: Sink): void {
  for (const [name, most] of Object.entries(references)) {
    const file = `references/${name}`;
    const text = tree.files.get(file);
    const bytes = Buffer.byteLength(text ?? "");
    if (text === undefined) sink.error(file, 1, "S053", "the brief has this file, the skill has not");
    else if (bytes > most) sink.error(file, 1, "S053", `${bytes} bytes; the brief allows ${most}`);
  }
  for (const file of tree.files.keys()) {
    const name = file.slice("references/".length);
    if (file.startsWith("references/") && !Object.hasOwn(references, name))
      sink.error(file, 1, "S053", "no file of the brief");
  }
}

/** Why a text breaks a promise; undefined when it keeps it. */
function breakIn(text: string, one: Promised): string | undefined {
  if ("passage" in one) {
    const wanted = needlesOf(one.passage);
    return passagesOf(text).some((block) => holdsAll(block, wanted))
      ? undefined
      : `no paragraph, list item or table row holds together: ${one.passage}`;
  }
  if ("literals" in one) {
    const missing = one.literals.filter((part) => !text.includes(part));
    return missing.length === 0 ? undefined : `missing: ${missing.join(" | ")}`;
  }
  if ("absent" in one) {
    const found = one.absent.filter((part) => text.includes(part));
    return found.length === 0 ? undefined : `must not stand here: ${found.join(" | ")}`;
  }
  const plain = text.toLowerCase();
  let at = -1;
  for (const part of one.order) {
    at = plain.indexOf(part.toLowerCase(), at + 1);
    if (at < 0) return `"${part}" does not follow in: ${one.order.join(" … ")}`;
  }
  return undefined;
}

interface Needle {
  text: string;
  exact: boolean;
}

const CODE = /`[^`]+`/g;

/** Code spans byte for byte, other words by their stem. */
function needlesOf(passage: string): Needle[] {
  const code = (passage.match(CODE) ?? []).map((text) => ({ text: text.slice(1, -1), exact: true }));
  const words = passage.replaceAll(CODE, " ").match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? [];
  return [...code, ...words.map((word) => ({ text: stem(word.toLowerCase()), exact: false }))];
}

const SHORTEST_STEM = 5;
const LONGEST_ENDING = 3;

function stem(word: string): string {
  return word.slice(0, Math.max(SHORTEST_STEM, word.length - LONGEST_ENDING));
}

function holdsAll(block: string, needles: readonly Needle[]): boolean {
  const plain = block.toLowerCase();
  return needles.every(({ text, exact }) => (exact ? block : plain).includes(text));
}

/** Paragraphs, list items and table rows. A list item ends where the next one begins. */
export function passagesOf(text: string): string[] {
  return text.split(/\n\s*\n/).flatMap((paragraph) => paragraph.split(/\n(?=\s*(?:[-*] |\d+\. |\||> ))/));
}
