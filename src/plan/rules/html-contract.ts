/** Rules on how an HTML document carries the contract (PLAN-H04 to H09, H12, H13). */
import { collapse, type HtmlDocument, type HtmlElement } from "../read/document.ts";
import {
  attribute,
  contains,
  fragment,
  isElement,
  isText,
  startLine,
  visibleText,
} from "../read/html-tree.ts";
import { CONTRACT_ID, METADATA_KEYS, REGISTRY, REQUIREMENTS, REQUIREMENTS_ANCHOR } from "../terms.ts";
import type { Context } from "./context.ts";
import { checkCards, checkItemAnchors } from "./html-items.ts";
import { isFromBrainstorm, rightForm } from "./metadata.ts";
import { productPart, registryHeadings } from "./structure.ts";

export function checkHtmlContract(context: Context<HtmlDocument>): void {
  hiddenCopies(context);
  visibleMetadata(context);
  metadataBlock(context);
  anchors(context);
  navigation(context);
  checkItemAnchors(context);
  checkCards(context);
}

function hiddenCopies({ document, report }: Context<HtmlDocument>): void {
  for (const element of document.elements) {
    const line = startLine(element);
    if (
      element.tagName === "script" &&
      /^application\/(?:ld\+)?json$/i.test(attribute(element, "type") ?? "")
    )
      report("PLAN-H04", line, "a JSON script; metadata is visible text");
    const name = element.tagName === "meta" ? (attribute(element, "name") ?? "").toLowerCase() : "";
    if (name === "created" || METADATA_KEYS.includes(name))
      report("PLAN-H04", line, `<meta name="${name}"> is a hidden copy of the metadata`);
    for (const { name: data, value } of element.attrs) {
      if (!data.startsWith("data-") || data === "data-ce-section") continue;
      const key = data.slice(5).replaceAll("-", "_");
      if (METADATA_KEYS.includes(key) && document.metadata.get(key)?.value === value)
        report("PLAN-H04", line, `${data} repeats the visible ${key}`);
    }
  }
}

function visibleMetadata(context: Context<HtmlDocument>): void {
  const { document, report } = context;
  const keys = ["artifact_contract", "product_contract_source", "type"];
  if (isFromBrainstorm(context)) keys.push("topic");
  for (const key of keys) {
    if (!document.metadata.has(key))
      report(
        "PLAN-H05",
        1,
        `${key} is not visible as a key with a value beside it${rightForm(document, key, "…")}`,
      );
  }
  if (!document.metadata.has("date"))
    report("PLAN-H05", 1, "no date (YYYY-MM-DD) is visible before the first section");
}

const TOOL_KEYS = ["artifact_contract", "product_contract_source", "execution", "origin", "mode"];

function metadataBlock({ document, report }: Context<HtmlDocument>): void {
  const { elements } = document;
  const isBlock = (element: HtmlElement) => {
    const summary = element.childNodes.find(
      (child): child is HtmlElement => isElement(child) && child.tagName === "summary",
    );
    return summary !== undefined && visibleText(summary) === "Document metadata";
  };
  const block = elements.find((element) => element.tagName === "details" && isBlock(element));
  const firstSection = elements.findIndex(({ tagName }) => tagName === "section");
  const outside = TOOL_KEYS.filter((key) => document.metadata.has(key)).filter((key) => {
    const holders = elements.filter((element) => isLabel(element, key));
    return !holders.some((element) => block !== undefined && contains(block, element));
  });
  if (block === undefined || outside.length > 0) {
    const found = outside.length > 0 ? `${outside.join(", ")} stand outside of it` : "there is none";
    report("PLAN-H06", 1, `tool fields belong into <details> with the summary 'Document metadata': ${found}`);
  } else if (attribute(block, "open") !== undefined) {
    report("PLAN-H06", startLine(block), "the Document metadata block is open");
  } else if (firstSection >= 0 && elements.indexOf(block) > firstSection) {
    report("PLAN-H06", startLine(block), "the Document metadata block stands behind the first section");
  }
  const count = document.visibleText.split(CONTRACT_ID).length - 1;
  if (count > 1) report("PLAN-H06", 1, `${CONTRACT_ID} is visible ${count} times, expected once`);
}

function isLabel(element: HtmlElement, key: string): boolean {
  if (element.childNodes.length === 0 || element.childNodes.some(isElement)) return false;
  const text = element.childNodes.map((child) => (isText(child) ? child.value : "")).join("");
  return text.length < 60 && collapse(text).replace(/\s*:$/, "") === key;
}

function anchors({ document, report }: Context<HtmlDocument>): void {
  const required: (readonly [string, string, (typeof document.headings)[number][]])[] = [...REGISTRY].map(
    ([name, id]) => [name, id, registryHeadings(document, name).slice(0, 1)],
  );
  const requirements = productPart(document, REQUIREMENTS);
  required.push([REQUIREMENTS, REQUIREMENTS_ANCHOR, requirements === undefined ? [] : [requirements]]);
  for (const [name, id, headings] of required) {
    const holders = document.elements.filter((element) => attribute(element, "id") === id);
    const [heading] = headings;
    const line = heading?.line ?? (holders[0] === undefined ? 1 : startLine(holders[0]));
    if (heading === undefined && holders.length === 0) continue;
    if (holders.length > 1)
      report("PLAN-H07", startLine(holders[1]!), `id '${id}' is there ${holders.length} times`);
    if (heading === undefined)
      report("PLAN-H07", line, `the element with id '${id}' has no heading '${name}'`);
    else if (heading.anchor !== id)
      report("PLAN-H07", line, `section '${name}' has not the id '${id}' on its <section> or heading`);
    else if (heading.text !== name)
      report("PLAN-H07", line, `the heading of '${id}' is '${heading.text}', expected '${name}'`);
  }
}

function navigation({ document, report }: Context<HtmlDocument>): void {
  const { elements } = document;
  const targets = new Set(
    elements.flatMap((element) => [
      attribute(element, "id"),
      element.tagName === "a" ? attribute(element, "name") : undefined,
    ]),
  );
  for (const element of elements) {
    const target = element.tagName === "a" || element.tagName === "area" ? fragment(element) : undefined;
    if (target === undefined || targets.has(target)) continue;
    report("PLAN-H08", startLine(element), `link to #${target}, but nothing has this id`);
  }
  const present = [...REGISTRY].filter(([name]) => registryHeadings(document, name).length > 0);
  const first = Math.min(
    ...present.map(([name]) => elements.indexOf(registryHeadings(document, name)[0]!.element!)),
  );
  const lead = elements.slice(0, Number.isFinite(first) ? first : elements.length);
  const ids = new Set<string | undefined>([...REGISTRY.values(), REQUIREMENTS_ANCHOR]);
  const links = lead.filter((element) => element.tagName === "a" && ids.has(fragment(element)));
  const isNav = (element: HtmlElement) =>
    element.tagName === "nav" || attribute(element, "role") === "navigation";
  if (!lead.some(isNav) && links.length < 2) {
    report("PLAN-H08", 1, "no navigation before the first section");
    return;
  }
  const reached = new Set(links.map(fragment));
  for (const [name, id] of present) {
    if (name === "Appendix" || reached.has(id)) continue;
    report("PLAN-H08", 1, `the navigation has no link to #${id} ('${name}')`);
  }
}
