/** Whether the IDs that a decision governs, an example covers or a unit implements exist (PLAN-I04). */
import { type Block, lineAt, type Span } from "../read/document.ts";
import { attribute, isQuoted } from "../read/html-tree.ts";
import { identifierAt, identifierOfAnchor, type Kind, type Mention } from "../read/identifier.ts";
import { once } from "../read/once.ts";
import type { Context } from "./context.ts";

export function checkLinks(context: Context): void {
  const { definitions, document, report } = context;
  const defined = new Set(definitions.filter(({ struck }) => !struck).map(({ id }) => id));
  if (document.format === "html") {
    for (const element of document.elements) {
      const found = identifierOfAnchor(attribute(element, "id") ?? "");
      if (found !== undefined && !isQuoted(element)) defined.add(found.id);
    }
  }
  const kinds = new Set([...defined].map((id) => /^[A-Z]+/.exec(id)![0] as Kind));
  for (const block of document.blocks) {
    if (block.quoted) continue;
    for (const { ids, word, milder } of linkLists(block)) {
      for (const { id, kind, start } of ids) {
        if (defined.has(id)) continue;
        const known = kinds.has(kind);
        if (ids.length === 1 && isText(block, ids[0]!, known)) continue;
        if (!known && milder) continue;
        const message = known
          ? `'${word} ${id}': ${id} is not defined in this document`
          : `'${word} ${id}': this document defines no ${kind} IDs`;
        report("PLAN-I04", lineAt(block, start), message, known && !milder ? undefined : "warning");
      }
    }
  }
}

interface LinkList {
  word: string;
  ids: Mention[];
  /** A unit's Requirements field, where a dangling ID is only a warning. */
  milder: boolean;
}

/** The lists of IDs that directly follow one of the linking words. */
function linkLists(block: Block): LinkList[] {
  const { masked } = block;
  const lists: LinkList[] = [];
  for (const match of masked.matchAll(/\b(Governs|Covers|Covered by)\b/g)) {
    if (!isStart(block, match.index)) continue;
    const ids = idList(masked, match.index + match[0].length);
    if (ids.length > 0) lists.push({ word: match[1]!, ids, milder: false });
  }
  const field = /^Requirements?\s*:/.exec(masked);
  if (field !== null && isInUnits(block)) {
    lists.push({ word: "Requirements:", ids: idList(masked, field[0].length), milder: true });
  }
  return lists;
}

/** At the start of the block, a sentence, a bold run or a parenthesis. */
function isStart(block: Block, offset: number): boolean {
  if (starts(block.strong).has(offset)) return true;
  const before = block.masked.slice(Math.max(0, offset - 40), offset).trimEnd();
  return before === "" || /[.!?([。！？（]["'”’)\]]*$/.test(before);
}

const starts = once((spans: readonly Span[]) => new Set(spans.map(({ start }) => start)));

function isInUnits(block: Block): boolean {
  for (let at = block.heading; at !== undefined; at = at.parent) {
    if (at.text.startsWith("Implementation Units")) return true;
  }
  return false;
}

/** `R1, R2 and R4–R6`: every ID named, both ends of a range. */
function idList(text: string, from: number): Mention[] {
  const ids: Mention[] = [];
  let at = from + /^\s*:?\s*/.exec(text.slice(from, from + 80))![0].length;
  for (;;) {
    const id = identifierAt(text, at);
    if (id === undefined) return ids;
    ids.push(id);
    const separator = /^\s*(?:,?\s*(?:and|or|to|through|plus)\s+|[,;/&+–—-]\s*|、\s*)/.exec(
      text.slice(id.end, id.end + 40),
    );
    if (separator === null) return ids;
    at = id.end + separator[0].length;
  }
}

/** Words that may follow a list of IDs in a sentence about them. */
const GRAMMAR = new Set(
  (
    "a above after all also although an and any are as at because before below both but by can do does during each " +
    "else entirely even except for from fully has have how if in into is it its must no nor not of off on once only " +
    "or out over partially per plus should since so such than that the their them then these they this those though " +
    "through to together too under unless until up via was were what when where whereas which while who will with " +
    "within without would"
  ).split(" "),
);

/** What follows a letter and a number that is no ID: paper sizes, keys, storage. */
const EVERYDAY =
  /^(?:paper|sheets?|pages?|formats?|sizes?|landscape|portrait|envelopes?|rolls?|keys?|storage|buckets?)$/;

/**
 * `Covers A4 paper`: a single undefined ID that runs on into a noun is text. Of a kind that the document does define,
 * only a noun that gives it away counts.
 */
function isText(block: Block, id: Mention, known: boolean): boolean {
  const word = /^\s([a-z]+)/.exec(block.masked.slice(id.end, id.end + 40))?.[1];
  if (word === undefined) return false;
  return known ? EVERYDAY.test(word) : !GRAMMAR.has(word);
}
