/** What each HTML element means for the text in it. */
import type { DefaultTreeAdapterTypes } from "parse5";
import { PRODUCT_SUBSECTIONS, REGISTRY } from "../terms.ts";
import { type Block, type BlockKind, collapse, type HtmlElement, type Item } from "./document.ts";
import { ancestors, attribute, INLINE, isElement, isText, visibleText } from "./html-tree.ts";
import type { SpanKind } from "./text-run.ts";

const HEADING = /^h[1-6]$/;
export const SECTIONING: ReadonlySet<string> = new Set([
  "section",
  "article",
  "aside",
  "details",
  "nav",
  "footer",
  "dialog",
]);
export const OUTSIDE: ReadonlySet<string> = new Set(["nav", "footer"]);
export const SPANS: Readonly<Record<string, readonly SpanKind[]>> = {
  strong: ["strong"],
  b: ["strong"],
  em: ["emphasis"],
  i: ["emphasis"],
  del: ["struck"],
  s: ["struck"],
  strike: ["struck"],
  a: ["links"],
};
export const CODE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "var", "tt"]);
export const OPAQUE: ReadonlySet<string> = new Set([
  "pre",
  "svg",
  "img",
  "video",
  "audio",
  "canvas",
  "iframe",
  "picture",
  "table",
]);

export const GROUPS: ReadonlySet<string> = new Set(["ul", "ol", "table"]);

export const ITEMS: Readonly<Record<string, Item["kind"]>> = {
  li: "bullet",
  tr: "row",
  dd: "description",
  article: "card",
};

/** A permalink sign or a picture for the eye only is no part of a heading's text. */
export function isDecoration(node: DefaultTreeAdapterTypes.TextNode): boolean {
  if (node.value.trim() === "") return false;
  for (const ancestor of ancestors(node)) {
    if (attribute(ancestor, "aria-hidden") === "true") return true;
    if (ancestor.tagName === "a" && !/[\p{L}\p{N}]/u.test(node.value)) return true;
    if (!INLINE.has(ancestor.tagName)) return false;
  }
  return false;
}

export function kindOf(owner: HtmlElement): BlockKind {
  const { tagName } = owner;
  if (HEADING.test(tagName)) return "heading";
  if (tagName === "td") return "cell";
  if (tagName === "th") return attribute(owner, "scope") === "row" ? "cell" : "header-cell";
  if (tagName === "dt") return "term";
  if (tagName === "dd") return "description";
  if (tagName === "summary") return "summary";
  return "paragraph";
}

/** A contract name may stand behind a number or eyebrow that is an element of its own. */
export function headingText(block: Block, owner: HtmlElement): string {
  const text = collapse(block.text);
  const first = owner.childNodes.find((child) => !isText(child) || child.value.trim() !== "");
  if (first === undefined || !isElement(first)) return text;
  const lead = visibleText(first);
  const rest = text.startsWith(lead) ? text.slice(lead.length).trim() : text;
  return REGISTRY.has(rest) || PRODUCT_SUBSECTIONS.has(rest) ? rest : text;
}
