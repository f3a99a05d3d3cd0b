/** Items of an HTML document: their anchors and cards (PLAN-H09, PLAN-H12, PLAN-H13). */
import type { HtmlDocument, HtmlElement } from "../read/document.ts";
import {
  ancestors,
  attribute,
  closest,
  fragment,
  INLINE,
  isElement,
  isText,
  placeOf,
  startLine,
  visibleText,
} from "../read/html-tree.ts";
import { anchorsOf, identifierAt, identifierOfAnchor, type Kind, mentions } from "../read/identifier.ts";
import { once } from "../read/once.ts";
import type { Context } from "./context.ts";

const NO_DEFINITION = new Set(["blockquote", "nav", "a", "dd", "code", "pre", "svg", "footer"]);
const SVG = new Set(["svg"]);

/** PLAN-H09. */
export function checkItemAnchors({ definitions, document, owned, report }: Context<HtmlDocument>): void {
  const anchored = new Set<string>();
  const visible = visibleDefinitions(document);
  const shown = new Set([...visible.map(({ kind }) => kind), ...definitions.map(({ kind }) => kind)]);
  for (const element of document.elements) {
    const anchor = attribute(element, "id") ?? "";
    const meant = identifierOfAnchor(anchor);
    if (meant === undefined || closest(element, SVG) !== undefined) continue;
    anchored.add(anchor);
    if (mentions(visibleText(element)).some(({ id }) => id === meant.id)) continue;
    const milder = shown.has(meant.kind) ? undefined : "warning";
    report(
      "PLAN-H09",
      startLine(element),
      `the element with id '${anchor}' does not show '${meant.id}'`,
      milder,
    );
  }
  const used = new Set([...anchored].map((anchor) => identifierOfAnchor(anchor)!.kind));
  const inOwnSection = owned.flatMap(({ block, id, kind, line }) =>
    block.element === undefined || kind === "pr-group" || kind === "other"
      ? []
      : [{ id, kind, line, element: block.element }],
  );
  const ownElements = new Set(inOwnSection.map(({ element }) => element));
  const reported = new Set<string>();
  for (const { element, id, kind, line } of [...visible, ...inOwnSection]) {
    if (anchorsOf(id).some((anchor) => anchored.has(anchor))) continue;
    // Alone, `F5` or `A4` in a table may be anything; where IDs of the kind are in use it is an item.
    const isItem = used.has(kind) || kind === "KTD" || kind === "AE" || isWithin(element, ownElements);
    if (!isItem || reported.has(`${id} ${line}`)) continue;
    reported.add(`${id} ${line}`);
    report("PLAN-H09", line, `${id} is defined here, but no element has the id '${id.toLowerCase()}'`);
  }
}

function isWithin(element: HtmlElement, elements: ReadonlySet<HtmlElement>): boolean {
  if (elements.has(element)) return true;
  for (const ancestor of ancestors(element)) if (elements.has(ancestor)) return true;
  return false;
}

/** Innermost elements whose whole text is an ID, at the beginning of their block. */
function visibleDefinitions(
  document: HtmlDocument,
): { id: string; kind: Kind; line: number; element: HtmlElement }[] {
  return document.elements.flatMap((element) => {
    if (element.childNodes.length === 0 || element.childNodes.some(isElement)) return [];
    const text = element.childNodes
      .map((child) => (isText(child) ? child.value : ""))
      .join("")
      .trim();
    if (text.length > 12) return [];
    const found = identifierAt(text, 0);
    if (found === undefined || !/^[.:]?$/.test(text.slice(found.end))) return [];
    if (closest(element, NO_DEFINITION) !== undefined || !beginsBlock(element)) return [];
    return [{ id: found.id, kind: found.kind, line: startLine(element), element }];
  });
}

function beginsBlock(element: HtmlElement): boolean {
  let at = element;
  while (INLINE.has(at.tagName)) {
    if (placeOf(at) > firstFilled(at.parentNode!)) return false;
    const parent = ancestors(at).next().value;
    if (parent === undefined) return true;
    at = parent;
  }
  return true;
}

/** Which child of a node is the first with something to read. */
const firstFilled = once(({ childNodes }: NonNullable<HtmlElement["parentNode"]>): number => {
  const first = childNodes.findIndex((node) =>
    isText(node) ? node.value.trim() !== "" : isElement(node) && visibleText(node) !== "",
  );
  return first < 0 ? childNodes.length : first;
});

const CARD_TEXT = 600;
const SECTION = new Set(["section"]);
const ARTICLE = new Set(["article"]);

/** The cards of one section, in order. */
interface Cards {
  all: HtmlElement[];
  /** `<details>` inside cards that are neither decisions nor ideas. */
  details: HtmlElement[];
}

/** PLAN-H12, PLAN-H13. */
export function checkCards({ document, report }: Context<HtmlDocument>): void {
  const bySection = new Map<HtmlElement, Cards>();
  const cardSection = new Map<HtmlElement, Cards>();
  const links = new Map<string | undefined, number>();
  for (const [index, element] of document.elements.entries()) {
    if (element.tagName === "a" && !links.has(fragment(element))) links.set(fragment(element), index);
    const card = outermostCard(element);
    if (element.tagName === "details" && card !== undefined && isPlain(card))
      cardSection.get(card)?.details.push(element);
    if (element.tagName !== "article" || card !== element) continue;
    const section = closest(element, SECTION);
    if (section === undefined) continue;
    const cards = bySection.get(section) ?? { all: [], details: [] };
    cards.all.push(element);
    bySection.set(section, cards);
    cardSection.set(element, cards);
  }
  for (const cards of bySection.values()) {
    if (cards.all.filter(isPlain).length >= 3)
      closedDetails(cards, (line, message, severity) => report("PLAN-H12", line, message, severity));
    if (cards.all.length >= 6)
      subNavigation(document, cards, links, (line, message) => report("PLAN-H13", line, message));
  }
}

/** The card that an element is or stands in, one inside another counting as a part of it. */
function outermostCard(element: HtmlElement): HtmlElement | undefined {
  let found = ARTICLE.has(element.tagName) ? element : undefined;
  for (const ancestor of ancestors(element)) if (ARTICLE.has(ancestor.tagName)) found = ancestor;
  return found;
}

function isPlain(card: HtmlElement): boolean {
  return !/^(?:ktd|idea)/.test(attribute(card, "id") ?? "");
}

function closedDetails(
  { all, details }: Cards,
  report: (line: number, message: string, severity?: "warning") => void,
): void {
  for (const element of details) {
    if (attribute(element, "open") !== undefined)
      report(startLine(element), "<details open> inside one of several cards; leave it closed");
  }
  const long = all.filter((card) => isPlain(card) && visibleText(card).length > CARD_TEXT);
  if (long.length >= 3 && details.length === 0)
    report(
      startLine(long[0]!),
      `${long.length} long cards, none of which folds its secondary content`,
      "warning",
    );
}

function subNavigation(
  document: HtmlDocument,
  { all }: Cards,
  links: ReadonlyMap<string | undefined, number>,
  report: (line: number, message: string) => void,
): void {
  const first = indexOf(document).get(all[0]!)!;
  const isLinked = (id: string | undefined) =>
    id !== undefined && (links.get(id) ?? document.elements.length) < first;
  const reached = all.filter((card) => isLinked(attribute(card, "id"))).length;
  if (reached < 6)
    report(
      startLine(all[0]!),
      `${all.length} cards, and links before them to only ${reached}; expected at least 6`,
    );
}

const indexOf = once(
  ({ elements }: HtmlDocument) => new Map(elements.map((element, index) => [element, index])),
);
