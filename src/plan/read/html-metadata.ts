/** Metadata of an HTML plan: keys that a reader sees, each with its value beside it (docs/spec/plan.md section 3.7). */

import { METADATA_KEYS } from "../terms.ts";
import { collapse, type Heading, type HtmlElement, type MetadataValue } from "./document.ts";
import {
  ancestors,
  attribute,
  closest,
  following,
  isElement,
  isText,
  nextElement,
  startLine,
  visibleText,
} from "./html-tree.ts";

const NEVER: ReadonlySet<string> = new Set(["blockquote", "head", "nav", "pre", "script", "style", "svg"]);
/** After the first section only these say that a text is a label and not a word of prose. */
const PAIRS: ReadonlySet<string> = new Set(["dt", "th", "td", "details", "footer"]);

/** Read the visible keys, the title from the first `<h1>`, and the date before the first section. */
export function readMetadata(
  elements: readonly HtmlElement[],
  headings: readonly Heading[],
): Map<string, MetadataValue> {
  const metadata = new Map<string, MetadataValue>();
  const firstSection = elements.findIndex((element) => element.tagName === "section");
  for (const [index, element] of elements.entries()) {
    const inLead = firstSection < 0 || index < firstSection;
    const key = labelOf(element, inLead);
    if (key === undefined || metadata.has(key)) continue;
    const value = valueBeside(element, key);
    if (value !== "") metadata.set(key, { value, text: value, line: startLine(element) });
  }
  const title = headings.find((heading) => heading.level === 1);
  if (title !== undefined) metadata.set("title", { value: title.text, text: title.text, line: title.line });
  const date = leadDate(firstSection < 0 ? elements : elements.slice(0, firstSection));
  if (date === undefined) metadata.delete("date");
  else metadata.set("date", date);
  return metadata;
}

/** The metadata key that is an innermost element's whole text. */
function labelOf(element: HtmlElement, inLead: boolean): string | undefined {
  if (element.childNodes.some(isElement)) return undefined;
  const text = element.childNodes.map((child) => (isText(child) ? child.value : "")).join("");
  if (text.length > 60) return undefined;
  const label = collapse(text).replace(/\s*:$/, "");
  // A `Status` chip at the top is the slip that the status rule is about, whatever its case.
  const key = inLead && label.toLowerCase() === "status" ? "status" : label;
  if (!METADATA_KEYS.includes(key) || key === "title") return undefined;
  if (closest(element, NEVER) !== undefined) return undefined;
  if (inLead) return key;
  return key !== "status" && closest(element, PAIRS) !== undefined ? key : undefined;
}

function valueBeside(label: HtmlElement, key: string): string {
  let element = label;
  for (;;) {
    const beside = restOf(element);
    if (beside !== "") return beside;
    const next = nextElement(element);
    if (next !== undefined) return visibleText(next);
    const parent = ancestors(element).next().value as HtmlElement | undefined;
    if (parent === undefined || collapse(visibleText(parent)).replace(/\s*:$/, "") !== key) return "";
    element = parent;
  }
}

/** Text that follows in the same parent, up to the next element, without separators. */
function restOf(element: HtmlElement): string {
  let text = "";
  for (const sibling of following(element)) {
    if (!isText(sibling)) break;
    text += sibling.value;
  }
  return collapse(text)
    .replace(/^[:=]\s*/, "")
    .replace(/\s*[·|,;/•—–]$/, "")
    .trim();
}

function leadDate(lead: readonly HtmlElement[]): MetadataValue | undefined {
  for (const element of lead) {
    const value = dateIn(element);
    if (value === undefined || closest(element, NEVER) !== undefined) continue;
    return { value, text: value, line: startLine(element) };
  }
  return undefined;
}

/** The date that an element states for machines, or in its own text. */
function dateIn(element: HtmlElement): string | undefined {
  const machine = element.tagName === "time" ? attribute(element, "datetime") : undefined;
  if (machine !== undefined && /^\d{4}-\d\d-\d\d/.test(machine)) return machine.slice(0, 10);
  for (const child of element.childNodes) {
    const found = isText(child) ? /(?<![\d-])\d{4}-\d\d-\d\d(?![\d-])/.exec(child.value) : null;
    if (found !== null) return found[0];
  }
  return undefined;
}
