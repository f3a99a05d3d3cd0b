/** Items of an HTML document: their anchors and cards (PLAN-H09, PLAN-H12, PLAN-H13). */
import type { HtmlDocument, HtmlElement } from "../read/document.ts";
import {
  ancestors,
  attribute,
  closest,
  contains,
  fragment,
  INLINE,
  isElement,
  isText,
  startLine,
  visibleText,
} from "../read/html-tree.ts";
import { anchorsOf, identifierAt, identifierOfAnchor, type Kind, mentions } from "../read/identifier.ts";
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
    const siblings = at.parentNode!.childNodes;
    const before = siblings.slice(0, siblings.indexOf(at));
    if (
      before.some((node) =>
        isText(node) ? node.value.trim() !== "" : isElement(node) && visibleText(node) !== "",
      )
    )
      return false;
    const parent = ancestors(at).next().value;
    if (parent === undefined) return true;
    at = parent;
  }
  return true;
}

const CARD_TEXT = 600;
const SECTION = new Set(["section"]);
const ARTICLE = new Set(["article"]);

/** PLAN-H12, PLAN-H13. */
export function checkCards({ document, report }: Context<HtmlDocument>): void {
  const bySection = new Map<HtmlElement, HtmlElement[]>();
  for (const element of document.elements) {
    if (element.tagName !== "article") continue;
    const section = closest(element, SECTION);
    const inCard = [...ancestors(element)].some((outer) => ARTICLE.has(outer.tagName));
    if (section === undefined || inCard) continue;
    bySection.set(section, [...(bySection.get(section) ?? []), element]);
  }
  for (const all of bySection.values()) {
    const plain = all.filter((card) => !/^(?:ktd|idea)/.test(attribute(card, "id") ?? ""));
    if (plain.length >= 3)
      closedDetails(document, plain, (line, message, severity) =>
        report("PLAN-H12", line, message, severity),
      );
    if (all.length >= 6) subNavigation(document, all, (line, message) => report("PLAN-H13", line, message));
  }
}

function closedDetails(
  document: HtmlDocument,
  plain: readonly HtmlElement[],
  report: (line: number, message: string, severity?: "warning") => void,
): void {
  const details = document.elements.filter(
    (element) => element.tagName === "details" && plain.some((card) => contains(card, element)),
  );
  for (const element of details) {
    if (attribute(element, "open") !== undefined)
      report(startLine(element), "<details open> inside one of several cards; leave it closed");
  }
  const long = plain.filter((card) => visibleText(card).length > CARD_TEXT);
  if (long.length >= 3 && details.length === 0)
    report(
      startLine(long[0]!),
      `${long.length} long cards, none of which folds its secondary content`,
      "warning",
    );
}

function subNavigation(
  document: HtmlDocument,
  all: readonly HtmlElement[],
  report: (line: number, message: string) => void,
): void {
  const first = document.elements.indexOf(all[0]!);
  const linked = new Set(
    document.elements
      .slice(0, first)
      .map((element) => (element.tagName === "a" ? fragment(element) : undefined)),
  );
  const reached = all.filter((card) => linked.has(attribute(card, "id"))).length;
  if (reached < 6)
    report(
      startLine(all[0]!),
      `${all.length} cards, and links before them to only ${reached}; expected at least 6`,
    );
}
