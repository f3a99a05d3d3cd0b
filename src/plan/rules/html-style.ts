/** How an HTML document is styled (PLAN-H14, PLAN-H15). */
import type { Declaration, StyleSheet } from "../read/css.ts";
import type { HtmlDocument } from "../read/document.ts";
import { startLine } from "../read/html-tree.ts";
import type { Context } from "./context.ts";

const EXEMPT = /^(?:blockquote|table|th|td|hr)$/i;

/** PLAN-H14. */
export function checkAccents({ report }: Context<HtmlDocument>, styles: StyleSheet): void {
  const exempt = new Map<string, boolean>();
  const isExempt = (selector: string) => {
    const known = exempt.get(selector) ?? selector.split(",").every(isExemptSelector);
    exempt.set(selector, known);
    return known;
  };
  for (const declaration of styles.declarations) {
    if (!/^border-(?:left|right|inline|inline-start|inline-end)$/.test(declaration.property)) continue;
    if (!isStripe(declaration) || isExempt(declaration.selector)) continue;
    report(
      "PLAN-H14",
      declaration.line,
      `a stripe on one edge (${declaration.property}: ${declaration.value})`,
    );
  }
}

function isStripe({ value }: Declaration): boolean {
  if (/\b(?:none|hidden|transparent)\b/i.test(value)) return false;
  const width = /(?<![\w.-])(\d+(?:\.\d+)?|\.\d+)(px|rem|em)\b/i.exec(value);
  const pixels = width === null ? 0 : Number(width[1]) * (width[2]!.toLowerCase() === "px" ? 1 : 16);
  const thick = pixels >= 2 || /\b(?:medium|thick)\b/i.test(value);
  const colour = value
    .replace(/(?<![\w.-])(?:\d+(?:\.\d+)?|\.\d+)(?:px|rem|em)?\b/g, "")
    .replace(/\b(?:solid|dashed|dotted|double|groove|ridge|inset|outset|medium|thick)\b/gi, "");
  return thick && colour.replace(/!important/i, "").trim() !== "";
}

function isExemptSelector(selector: string): boolean {
  const last =
    selector
      .trim()
      .split(/[\s>+~]+/)
      .at(-1) ?? "";
  return EXEMPT.test(/^[A-Za-z0-9]*/.exec(last)![0]);
}

/** PLAN-H15. */
export function checkWidth({ document, report }: Context<HtmlDocument>, styles: StyleSheet): void {
  const limits = ({ property, value }: Declaration) =>
    property === "max-width" ||
    property === "max-inline-size" ||
    (/^(?:width|inline-size|grid-template-columns)$/.test(property) && /(?:min|clamp|minmax)\(/.test(value));
  if (!styles.declarations.some(limits))
    report("PLAN-H15", 1, "no max-width: lines are as wide as the window");
  const wide = document.elements.find(({ tagName }) => tagName === "table" || tagName === "pre");
  const scrolls = styles.declarations.some(
    ({ property }) => property === "overflow" || property === "overflow-x",
  );
  if (wide !== undefined && !scrolls)
    report(
      "PLAN-H15",
      startLine(wide),
      `<${wide.tagName}> without an overflow rule: it widens the page on a phone`,
    );
}
