import type { Sink, Tree } from "./tree.ts";

/** Something a brief asks of a skill's text (docs/spec/skills.md 8.2). */
export interface Promised {
  /** Numbers of the brief's acceptance examples; none for what only its text says. */
  examples: readonly number[];
  /** Path below the skill's root; `*` is every file. */
  file: string;
  kind: "passage" | "literals" | "order" | "absent";
  parts: readonly string[];
}

/** A brief as the lint knows it. */
export interface Brief {
  /** The skill's references, exactly these, with the most bytes each may have. */
  references: Readonly<Record<string, number>>;
  promises: readonly Promised[];
}

type Examples = number | readonly number[];

const promised =
  (kind: Promised["kind"]) =>
  (examples: Examples, file: string, ...parts: string[]): Promised => ({
    examples: typeof examples === "number" ? [examples] : examples,
    file: file === "SKILL.md" || file === "*" ? file : `references/${file}`,
    kind,
    parts,
  });

/** One paragraph, list item or table row holds all of this: words by their stem, code byte for byte. */
export const passage = promised("passage");
/** Each of these stands in the file, byte for byte. */
export const literals = promised("literals");
/** These stand in the file in this order, without regard to case. */
export const order = promised("order");
/** None of these stands there. */
export const absent = promised("absent");

/** Rules S050 to S053: what the brief asks of this skill is in its text. */
export function checkPromises(tree: Tree, brief: Brief, sink: Sink): void {
  checkReferenceSizes(tree, brief, sink);
  for (const one of brief.promises) {
    const files = one.file === "*" ? [...tree.files.keys()] : [one.file];
    for (const file of files) {
      const broken = brokenIn(tree.files.get(file) ?? "", one);
      if (broken === undefined) continue;
      const examples = one.examples.length === 0 ? "" : ` (example ${one.examples.join(", ")})`;
      sink.error(file, 1, RULES[one.kind], `${broken}${examples}`);
    }
  }
}

/** The rule of each kind. */
export const RULES: Readonly<Record<Promised["kind"], string>> = {
  passage: "S050",
  literals: "S050",
  order: "S051",
  absent: "S052",
};

function checkReferenceSizes(tree: Tree, brief: Brief, sink: Sink): void {
  for (const [name, most] of Object.entries(brief.references)) {
    const file = `references/${name}`;
    const text = tree.files.get(file);
    if (text === undefined) {
      sink.error(file, 1, "S053", "the brief has this file, the skill has not");
      continue;
    }
    const bytes = Buffer.byteLength(text);
    if (bytes > most) sink.error(file, 1, "S053", `${bytes} bytes; the brief allows ${most}`);
  }
  for (const file of tree.files.keys()) {
    const name = file.slice("references/".length);
    if (file.startsWith("references/") && !Object.hasOwn(brief.references, name))
      sink.error(file, 1, "S053", "no file of the brief");
  }
}

/** Why a text breaks a promise; undefined when it keeps it. */
function brokenIn(text: string, { kind, parts }: Promised): string | undefined {
  switch (kind) {
    case "passage": {
      const wanted = parts.flatMap(needlesOf);
      return passagesOf(text).some((block) => holdsAll(block, wanted))
        ? undefined
        : `no paragraph, list item or table row holds together: ${parts.join(" ")}`;
    }
    case "literals": {
      const missing = parts.filter((part) => !text.includes(part));
      return missing.length === 0 ? undefined : `missing: ${missing.join(" | ")}`;
    }
    case "order": {
      const plain = text.toLowerCase();
      let at = -1;
      for (const part of parts) {
        at = plain.indexOf(part.toLowerCase(), at + 1);
        if (at < 0) return `"${part}" does not follow in: ${parts.join(" … ")}`;
      }
      return undefined;
    }
    default: {
      const found = parts.filter((part) => text.includes(part));
      return found.length === 0 ? undefined : `must not stand here: ${found.join(" | ")}`;
    }
  }
}

interface Needle {
  text: string;
  exact: boolean;
}

const CODE = /`[^`]+`/g;

/** Code spans byte for byte, other words by their stem. */
function needlesOf(part: string): Needle[] {
  const code = (part.match(CODE) ?? []).map((text) => ({ text: text.slice(1, -1), exact: true }));
  const words = part.replaceAll(CODE, " ").match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? [];
  return [...code, ...words.map((word) => ({ text: stem(word.toLowerCase()), exact: false }))];
}

const SHORTEST_STEM = 5;
const LONGEST_ENDING = 3;

function stem(word: string): string {
  return word.length <= SHORTEST_STEM
    ? word
    : word.slice(0, Math.max(SHORTEST_STEM, word.length - LONGEST_ENDING));
}

function holdsAll(block: string, needles: readonly Needle[]): boolean {
  const plain = block.toLowerCase();
  return needles.every(({ text, exact }) => (exact ? block : plain).includes(text));
}

/** Paragraphs, list items and table rows. A list item ends where the next one begins. */
export function passagesOf(text: string): string[] {
  return text.split(/\n\s*\n/).flatMap((paragraph) => paragraph.split(/\n(?=\s*(?:[-*] |\d+\. |\||> ))/));
}
