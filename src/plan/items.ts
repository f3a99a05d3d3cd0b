/** The items of a document that have an ID: where each is, what it says and what it cites (docs/spec/plan.md section 5). */
import { type Definition, findDefinitions } from "./read/definitions.ts";
import {
  type Block,
  collapse,
  type Heading,
  type HtmlDocument,
  type HtmlElement,
  type PlanDocument,
} from "./read/document.ts";
import { ancestors, attribute, endLine, startLine } from "./read/html-tree.ts";
import { identifierOfAnchor, mentions } from "./read/identifier.ts";
import { once } from "./read/once.ts";
import type { PlanMap } from "./schema.ts";

const FORMS = ["heading", "bullet", "paragraph", "table", "element"];
const MAX_TEXT = 200;

/** Every ID once: where its section defines it, else by form and line. */
export function itemsOf(document: PlanDocument): PlanMap["ids"] {
  const best = new Map<string, Definition>();
  for (const definition of findDefinitions(document)) {
    const known = best.get(definition.id);
    if (known === undefined || rank(definition) < rank(known)) best.set(definition.id, definition);
  }
  return [...best.values()]
    .sort((a, b) => a.line - b.line)
    .map((definition) => {
      const { block, form, id, kind, textStart } = definition;
      const { line, endLine: last } = extent(document, definition);
      const within = blocksWithin(document, block, line, last);
      const refs = new Set(within.flatMap(mentionedIn).slice(0, MAX_REFS));
      refs.delete(id);
      return {
        id,
        kind,
        line,
        end_line: last,
        section: sectionName(definition),
        text: [...firstText(within, firstLine(block.text, textStart)).slice(0, 2 * MAX_TEXT)]
          .slice(0, MAX_TEXT)
          .join(""),
        refs: [...refs],
        form,
      };
    });
}

/** Blocks of an item, and IDs mentioned in it, that are looked at: items may contain each other, or share a paragraph. */
const MAX_BLOCKS = 500;
const MAX_REFS = 500;

/** An item's own block and those after it that lie within its lines. */
function blocksWithin(document: PlanDocument, own: Block, line: number, last: number): Block[] {
  const found = [own];
  for (let index = own.index + 1; index < document.blocks.length && found.length < MAX_BLOCKS; index++) {
    const other = document.blocks[index]!;
    if (other.line > last) break;
    if (other.line >= line && other.endLine <= last) found.push(other);
  }
  return found;
}

const mentionedIn = once(({ masked }: Block): readonly string[] =>
  [...new Set(mentions(masked).map(({ id }) => id))].slice(0, MAX_REFS),
);

/** The first line that is not blank from an offset on. */
function firstLine(text: string, offset: number): string {
  const start = offset + (text.slice(offset).length - text.slice(offset).trimStart().length);
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? undefined : end).trim();
}

/** What the ID stands for: the rest of its line, in a table the other cells of its row. */
function firstText([own, ...others]: readonly Block[], line: string): string {
  if (line !== "") return line;
  const cells = others.filter(({ item }) => item !== undefined && item === own!.item);
  const texts = own!.item?.kind === "row" ? cells : others.slice(0, 1);
  return texts.map(({ text }) => collapse(text)).join(" | ");
}

function rank({ form, owner, struck }: Definition): number {
  return (struck ? 100 : 0) + (owner === undefined ? 10 : 0) + FORMS.indexOf(form);
}

/** The nearest section of level 3 or higher; a unit's heading belongs to the section around it. */
function sectionName({ block }: Definition): string | null {
  let at = block.kind === "heading" ? block.heading?.parent : block.heading;
  while (at !== undefined && at.level > 3) at = at.parent;
  return at === undefined || at.level === 1 ? null : at.text;
}

function extent(
  document: PlanDocument,
  { block, form, id, line }: Definition,
): { line: number; endLine: number } {
  if (document.format === "html")
    return elementExtent(anchored(document).get(id), block.heading, block.element!, line);
  if (form === "heading") return { line, endLine: block.heading!.endLine };
  if (form === "bullet") return { line, endLine: Math.max(line, block.item!.endLine) };
  if (form === "table") return { line, endLine: line };
  return { line, endLine: paragraphEnds(document)[line - 1]! };
}

/** For each line index the number of the last line before a blank one. */
const paragraphEnds = once(({ lines }: PlanDocument): readonly number[] => {
  const found = new Array<number>(lines.length);
  for (let index = lines.length - 1; index >= 0; index--) {
    const ends = index + 1 >= lines.length || lines[index + 1]!.trim() === "";
    found[index] = ends ? index + 1 : found[index + 1]!;
  }
  return found;
});

/** The first element with each ID's anchor. */
const anchored = once(({ elements }: HtmlDocument): ReadonlyMap<string, HtmlElement> => {
  const found = new Map<string, HtmlElement>();
  for (const element of elements) {
    const id = identifierOfAnchor(attribute(element, "id") ?? "")?.id;
    if (id !== undefined && !found.has(id)) found.set(id, element);
  }
  return found;
});

const CONTAINERS = new Set(["li", "tr", "article", "p", "dt", "dd", "figure"]);

/** The element with the ID's anchor, or the item around the text; a heading stands for its section. */
function elementExtent(
  target: HtmlElement | undefined,
  heading: Heading | undefined,
  element: HtmlElement,
  line: number,
): { line: number; endLine: number } {
  const around = [element, ...ancestors(element)];
  const container = target !== undefined && around.includes(target) ? target : undefined;
  if (container !== undefined && !/^(?:h[1-6]|span|a|strong|b|code|td|th)$/.test(container.tagName))
    return { line: startLine(container), endLine: endLine(container) };
  if (heading?.element === element) return { line: heading.line, endLine: heading.endLine };
  const item = around.find((other) => CONTAINERS.has(other.tagName)) ?? element;
  return { line: Math.min(line, startLine(item)), endLine: endLine(item) };
}
