/** The questions a plan leaves open, and how each is classified (docs/spec/plan.md section 3.4, Outstanding Questions). */

import { QUESTIONS } from "../terms.ts";
import { type Block, collapse, contentOf, covers, type Item, lineAt, type PlanDocument } from "./document.ts";

export interface Question {
  line: number;
  text: string;
}

type Class = "resolve" | "defer" | "implementation";

/** What a label says about the items below it; `other` is one that the contract does not know. */
type Label = Class | "other" | undefined;

export interface Questions {
  resolveBeforePlanning: Question[];
  deferredToPlanning: Question[];
  /** No label, an unknown one, or deferred to implementation. */
  unclassified: Question[];
  /** Items with no label above them and none of their own. */
  unlabelled: Question[];
  underOtherLabel: Question[];
  deferredToImplementation: Question[];
}

/** An item, a paragraph or a label, in the order of the section. */
type Entry =
  | { kind: "label"; text: string }
  | { kind: "paragraph"; question: Question }
  | { kind: "item"; lead: Question; rest: Question[]; nested: Entry[] };

/** Read the questions of every section named Outstanding Questions. */
export function findQuestions(document: PlanDocument): Questions {
  const questions: Questions = {
    resolveBeforePlanning: [],
    deferredToPlanning: [],
    unclassified: [],
    unlabelled: [],
    underOtherLabel: [],
    deferredToImplementation: [],
  };
  for (const heading of document.headings) {
    if (heading.text.replace(/\s*:$/, "").toLowerCase() !== QUESTIONS.toLowerCase()) continue;
    const own = contentOf(document, heading).filter(({ quoted }) => !quoted);
    classify(entriesOf(own), undefined, questions);
  }
  return questions;
}

function entriesOf(blocks: readonly Block[]): Entry[] {
  const entries: Entry[] = [];
  // A card around a list is a frame, not a question.
  const frames = new Set(
    blocks.flatMap((block) => (block.item?.kind === "card" ? [] : [...cardsAround(block.item)])),
  );
  const outermost = (item: Item | undefined) => {
    let found: Item | undefined;
    for (let at = item; at !== undefined; at = at.parent) if (!frames.has(at)) found = at;
    return found;
  };
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at]!;
    const item = outermost(block.item);
    if (item === undefined) {
      entries.push(...looseEntries(block));
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < blocks.length && outermost(blocks[end]!.item) === item) end += 1;
    const own = itemEntry(blocks.slice(at, end), item);
    if (own !== undefined) entries.push(own);
    at = end;
  }
  return entries;
}

function* cardsAround(item: Item | undefined): Generator<Item> {
  for (let at = item; at !== undefined; at = at.parent) if (at.kind === "card") yield at;
}

/** A block outside lists and tables: a label, or line by line a label or a paragraph. */
function looseEntries(block: Block): Entry[] {
  if (block.kind === "opaque") return [];
  if (block.kind === "heading" || block.kind === "term" || block.kind === "summary") {
    return [{ kind: "label", text: collapse(block.text) }];
  }
  let offset = 0;
  return block.text.split("\n").map((line): Entry => {
    const start = offset + (line.length - line.trimStart().length);
    const text = line.trim();
    offset += line.length + 1;
    const bold = text !== "" && covers(block.strong, start, start + text.replace(/:$/, "").length);
    const question = { line: lineAt(block, start), text };
    if (bold || text.endsWith(":") || text.endsWith("：")) return { kind: "label", text };
    return { kind: "paragraph", question };
  });
}

function itemEntry(blocks: readonly Block[], item: Item): Entry | undefined {
  const texts = blocks.filter((block) => block.text.trim() !== "" && block.kind !== "header-cell");
  if (texts.length === 0) return undefined;
  if (item.kind === "bullet") {
    const [first, ...others] = texts as [Block, ...Block[]];
    const nested = others.filter((block) => block.item !== item);
    return {
      kind: "item",
      lead: questionOf(first),
      rest: others.filter((block) => block.item === item).map(questionOf),
      nested: nestedEntries(nested, item),
    };
  }
  // A row, a card or a description is one question however many parts it has; each part may hold the class.
  return { kind: "item", lead: questionOf(texts[0]!), rest: texts.slice(1).map(questionOf), nested: [] };
}

function nestedEntries(blocks: readonly Block[], parent: Item): Entry[] {
  const entries: Entry[] = [];
  const child = (block: Block) => {
    let at = block.item;
    while (at?.parent !== undefined && at.parent !== parent) at = at.parent;
    return at;
  };
  for (let at = 0; at < blocks.length; ) {
    const item = child(blocks[at]!);
    let end = at + 1;
    while (end < blocks.length && child(blocks[end]!) === item) end += 1;
    const own = item === undefined ? undefined : itemEntry(blocks.slice(at, end), item);
    if (own !== undefined) entries.push(own);
    at = end;
  }
  return entries;
}

function questionOf(block: Block): Question {
  return { line: block.line, text: collapse(block.text) };
}

function classify(entries: readonly Entry[], inherited: Label, to: Questions): void {
  let label = inherited;
  let group: { paragraphs: Question[]; items: number } = { paragraphs: [], items: 0 };
  const close = () => {
    // Paragraphs beside a list explain it; alone under a class they are the questions.
    if (group.items === 0 && label !== undefined && label !== "other") {
      for (const paragraph of group.paragraphs) add(to, label, paragraph);
    }
    group = { paragraphs: [], items: 0 };
  };
  for (const entry of entries) {
    if (entry.kind === "label") {
      if (isIntroduction(entry.text, label)) continue;
      close();
      label = classOf(entry.text)?.class ?? "other";
    } else if (entry.kind === "paragraph") {
      const own = classOf(entry.question.text);
      if (own !== undefined) {
        close();
        label = own.class;
      }
      const text = own === undefined ? entry.question.text : own.rest;
      if (text !== "" && !isNone(text)) group.paragraphs.push({ line: entry.question.line, text });
    } else {
      group.items += 1;
      label = classifyItem(entry, label, to);
    }
  }
  close();
}

/** Returns the label in force for the items that follow. */
function classifyItem(item: Extract<Entry, { kind: "item" }>, label: Label, to: Questions): Label {
  const own = classOf(item.lead.text);
  if (own !== undefined) {
    const { line } = item.lead;
    if (own.rest !== "") add(to, own.class, { line, text: own.rest });
    else if (item.nested.length > 0) classify(item.nested, own.class, to);
    else if (item.rest.length > 0) add(to, own.class, item.rest[0]!);
    else return own.class;
    return label;
  }
  const inside = item.rest.map((part) => classOf(part.text)?.class).find((found) => found !== undefined);
  if (inside !== undefined) add(to, inside, item.lead);
  else if (item.nested.some(isSelfLabelled)) classify(item.nested, label, to);
  else add(to, label, item.lead);
  return label;
}

function isSelfLabelled(entry: Entry): boolean {
  return entry.kind === "item" && classOf(entry.lead.text) !== undefined;
}

function add(to: Questions, label: Label, question: Question): void {
  if (isNone(question.text)) return;
  if (label === "resolve") to.resolveBeforePlanning.push(question);
  else if (label === "defer") to.deferredToPlanning.push(question);
  else {
    to.unclassified.push(question);
    if (label === undefined) to.unlabelled.push(question);
    else if (label === "other") to.underOtherLabel.push(question);
    else to.deferredToImplementation.push(question);
  }
}

const CLASSES: readonly (readonly [string, Class])[] = [
  ["resolve before planning", "resolve"],
  ["deferred to planning", "defer"],
  ["deferred to implementation", "implementation"],
];

/** The class that a text begins with, and what follows it. */
function classOf(text: string): { class: Class; rest: string } | undefined {
  const plain = text.replace(/^[\s*_[(]+/, "");
  const lower = plain.toLowerCase();
  for (const [words, found] of CLASSES) {
    if (!lower.startsWith(words) || /^[\p{L}\p{N}]/u.test(lower.slice(words.length))) continue;
    const rest = plain.slice(words.length).replace(/^[\s*_\])]*(?:\([^)]*\))?[\s*_:.;—–-]*/, "");
    return { class: found, rest: rest.trim() };
  }
  return undefined;
}

/** A sentence that leads in to the list of a class that is in force already. */
function isIntroduction(text: string, label: Label): boolean {
  return (
    label !== undefined &&
    label !== "other" &&
    classOf(text) === undefined &&
    /[:：]$/.test(text) &&
    text.split(" ").length > 6
  );
}

function isNone(text: string): boolean {
  return /^(?:none\b|n\/a\b|nothing(?:\W*$| (?:blocks|blocking|open|outstanding|left)\b)|no (?:\w+ )?(?:questions?|blockers?)\b)/i.test(
    text.replace(/^[\s*_(]+/, ""),
  );
}
