/** Rules on an HTML document as a whole: shape, loading, styling (PLAN-H01 to H03, H10, H11, H14 to H18). */
import { type Declaration, readCss, type StyleSheet, urlsIn } from "../css.ts";
import type { HtmlDocument, HtmlElement } from "../document.ts";
import { attribute, attributeName, closest, isText, startLine, visibleText } from "../html-tree.ts";
import { WEBFONT_HOSTS } from "./catalog.ts";
import type { Context } from "./context.ts";

export function checkHtml(context: Context<HtmlDocument>): void {
  const styles = styleSheets(context.document);
  shape(context);
  loading(context, styles);
  webFonts(context, styles);
  names(context);
  footer(context);
  accents(context, styles);
  width(context, styles);
  scripts(context);
  labels(context, styles);
  if (context.stage === "planned" && /directional only/i.test(context.document.visibleText)) {
    context.report(
      "PLAN-H18",
      1,
      "a planned document says 'Directional only'; wireframes belong into requirements",
    );
  }
}

function styleSheets(document: HtmlDocument): StyleSheet {
  const all: StyleSheet = { declarations: [], imports: [] };
  const add = (sheet: StyleSheet) => {
    all.declarations.push(...sheet.declarations);
    all.imports.push(...sheet.imports);
  };
  for (const element of document.elements) {
    if (element.tagName === "style") {
      const start = element.sourceCodeLocation?.startTag;
      add(readCss(ownText(element), start?.endLine ?? startLine(element)));
    }
    const inline = attribute(element, "style");
    if (inline !== undefined) add(readCss(inline, startLine(element), element.tagName));
  }
  return all;
}

function ownText(element: HtmlElement): string {
  return element.childNodes.map((child) => (isText(child) ? child.value : "")).join("");
}

function shape({ document, report }: Context<HtmlDocument>): void {
  if (!document.doctype) report("PLAN-H01", 1, "the file does not begin with <!doctype html>");
  for (const name of ["html", "head", "body"]) {
    const count = document.written.get(name) ?? 0;
    if (count !== 1) report("PLAN-H01", 1, `${count} <${name}> elements, expected one`);
  }
  const metas = document.elements.filter((element) => element.tagName === "meta");
  const isUtf8 = (meta: HtmlElement) =>
    /^utf-?8$/i.test(attribute(meta, "charset") ?? "") ||
    (/^content-type$/i.test(attribute(meta, "http-equiv") ?? "") &&
      /charset=utf-?8/i.test(attribute(meta, "content") ?? ""));
  if (!metas.some(isUtf8)) report("PLAN-H01", 1, 'no <meta charset="utf-8">');
  if (!metas.some((meta) => attribute(meta, "name")?.toLowerCase() === "viewport"))
    report("PLAN-H01", 1, 'no <meta name="viewport">', "warning");
}

const MEDIA = new Set(["img", "video", "audio", "source", "track", "input", "picture"]);
const FORBIDDEN = new Set(["iframe", "object", "embed", "base"]);
const LOADING_LINKS =
  /^(?:icon|shortcut|apple-touch-icon(?:-precomposed)?|mask-icon|preload|prefetch|prerender|modulepreload|manifest)$/;

function loading({ document, report }: Context<HtmlDocument>, styles: StyleSheet): void {
  for (const element of document.elements) {
    const line = startLine(element);
    const { tagName } = element;
    if (FORBIDDEN.has(tagName)) report("PLAN-H02", line, `<${tagName}> is not allowed`);
    if (tagName === "script" && attribute(element, "src") !== undefined)
      report(
        "PLAN-H02",
        line,
        `<script src="${attribute(element, "src")}"> loads a file; put the script inline`,
      );
    if (tagName === "link") link(element, (message) => report("PLAN-H02", line, message));
    for (const [name, target] of loadedTargets(element)) {
      report("PLAN-H02", line, `<${tagName} ${name}="${shorten(target)}"> loads a file; embed it as data:`);
    }
  }
  for (const line of styles.imports) report("PLAN-H02", line, "@import loads a style sheet; put it inline");
  for (const { line, property, value } of styles.declarations) {
    const outside = urlsIn(value).find((url) => !isEmbedded(url, true));
    if (outside !== undefined)
      report("PLAN-H02", line, `${property}: url(${shorten(outside)}) loads a file; embed it as data:`);
  }
}

function loadedTargets(element: HtmlElement): [string, string][] {
  const found: [string, string][] = [];
  const look = (name: string, fragment: boolean) => {
    const target = attribute(element, name);
    if (target !== undefined && !isEmbedded(target, fragment)) found.push([name, target]);
  };
  if (MEDIA.has(element.tagName)) {
    for (const name of ["src", "poster", "data"]) look(name, false);
    const candidates = attribute(element, "srcset")?.trim();
    // A comma inside a data URL is part of it; one with a blank behind it separates candidates.
    const outside = candidates?.split(/,\s+/).find((candidate) => !isEmbedded(candidate, false));
    if (outside !== undefined) found.push(["srcset", outside]);
  }
  if (element.tagName === "use" || element.tagName === "image" || element.tagName === "feImage") {
    look("href", true);
    look("xlink:href", true);
  }
  return found;
}

function isEmbedded(target: string, fragment: boolean): boolean {
  const trimmed = target.trim();
  return /^data:/i.test(trimmed) || (fragment && trimmed.startsWith("#"));
}

function shorten(target: string): string {
  return target.length > 60 ? `${target.slice(0, 57)}...` : target;
}

function link(element: HtmlElement, report: (message: string) => void): void {
  const relations = (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/);
  const target = attribute(element, "href") ?? "";
  if (relations.includes("stylesheet")) {
    if (!/^https:\/\//i.test(target))
      report(`stylesheet link '${shorten(target)}' is not an absolute https: address; put the style inline`);
  } else if (relations.some((relation) => LOADING_LINKS.test(relation)) && !isEmbedded(target, false)) {
    report(`<link rel="${relations.join(" ")}"> loads '${shorten(target)}'; embed it as data:`);
  }
}

const GENERIC =
  /(?<![\w-])(?:ui-)?(?:serif|sans-serif|monospace|rounded)(?![\w-])|(?<![\w-])(?:system-ui|cursive)(?![\w-])/i;

function webFonts({ document, report }: Context<HtmlDocument>, styles: StyleSheet): void {
  let linked: HtmlElement | undefined;
  for (const element of document.elements) {
    const isSheet = /(?:^|\s)stylesheet(?:\s|$)/i.test(attribute(element, "rel") ?? "");
    if (element.tagName !== "link" || !isSheet) continue;
    linked ??= element;
    const host = /^https:\/\/([^/:?#]+)/i.exec(attribute(element, "href") ?? "")?.[1]?.toLowerCase();
    if (host !== undefined && !WEBFONT_HOSTS.includes(host))
      report("PLAN-H03", startLine(element), `'${host}' is not a known web-font host`);
  }
  const families = styles.declarations.filter(
    ({ property, selector }) =>
      (property === "font-family" || property === "font" || property.startsWith("--")) &&
      selector.toLowerCase() !== "@font-face",
  );
  const named = families.find(({ property }) => property === "font-family");
  if ((named !== undefined || linked !== undefined) && !families.some(({ value }) => GENERIC.test(value))) {
    const line = named?.line ?? startLine(linked!);
    report(
      "PLAN-H03",
      line,
      "no font-family ends in a generic family (serif, sans-serif, monospace, system-ui)",
    );
  }
  for (const { line, selector, value } of styles.declarations) {
    if (selector.toLowerCase() === "@font-face" && urlsIn(value).some((url) => !isEmbedded(url, false)))
      report("PLAN-H03", line, "@font-face loads a font from elsewhere");
  }
}

function names({ document, report }: Context<HtmlDocument>): void {
  const ids = new Map<string, number>();
  for (const element of document.elements) {
    const line = startLine(element);
    for (const each of element.attrs) {
      const name = attributeName(each);
      if (name === "id") {
        const before = ids.get(each.value);
        if (before !== undefined)
          report("PLAN-H10", line, `id '${each.value}' is there already, in line ${before}`);
        else ids.set(each.value, line);
      }
      const text = name === "id" || name === "class" ? each.value : name;
      if (/[^\x00-\x7f]/.test(text)) report("PLAN-H10", line, `'${text}' has characters beyond ASCII`);
    }
  }
}

const DATE =
  /\d{4}-\d\d-\d\d|\b\d{1,2}\.? ?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2},? \d{4}|\d{4} ?年 ?\d{1,2} ?月 ?\d{1,2}|\b\d{1,2}\. ?\d{1,2}\. ?\d{4}/i;
const SECTIONS = new Set(["section", "article"]);

function footer({ document, report }: Context<HtmlDocument>): void {
  const sections = document.elements.filter(({ tagName }) => tagName === "section");
  const lastStart = Math.max(
    0,
    ...sections.slice(-1).map((section) => section.sourceCodeLocation?.startOffset ?? 0),
  );
  const last = document.elements.findLast(
    (element) =>
      element.tagName === "footer" &&
      closest(element, SECTIONS) === undefined &&
      (element.sourceCodeLocation?.startOffset ?? 0) > lastStart,
  );
  if (last === undefined) {
    report("PLAN-H11", Math.max(1, document.lines.length), "no <footer> after the last section");
    return;
  }
  const text = visibleText(last);
  const date = DATE.exec(text);
  if (date === null) report("PLAN-H11", startLine(last), "the footer has no date");
  if (!/(?:T|\s)\d\d:\d\d/.test(text))
    report("PLAN-H11", startLine(last), "the footer has no time", "warning");
  const rest = text
    .replace(DATE, "")
    .replace(/T?\s*\d\d:\d\d(?::\d\d)?(?:\.\d+)?\s*(?:Z|UTC|[+-]\d\d:?\d\d)?/, "");
  if (!/\p{L}{2}/u.test(rest)) report("PLAN-H11", startLine(last), "the footer names no source", "warning");
}

const EXEMPT = /^(?:blockquote|table|th|td|hr)$/i;

function accents({ report }: Context<HtmlDocument>, styles: StyleSheet): void {
  for (const declaration of styles.declarations) {
    if (!/^border-(?:left|right|inline|inline-start|inline-end)$/.test(declaration.property)) continue;
    if (!isStripe(declaration) || declaration.selector.split(",").every(isExemptSelector)) continue;
    report(
      "PLAN-H14",
      declaration.line,
      `a stripe on one edge (${declaration.property}: ${declaration.value})`,
    );
  }
}

function isStripe({ value }: Declaration): boolean {
  if (/\b(?:none|hidden|transparent)\b/i.test(value)) return false;
  const width = /(?<![\w.-])(\d*\.?\d+)(px|rem|em)\b/i.exec(value);
  const pixels = width === null ? 0 : Number(width[1]) * (width[2]!.toLowerCase() === "px" ? 1 : 16);
  const thick = pixels >= 2 || /\b(?:medium|thick)\b/i.test(value);
  const colour = value
    .replace(/(?<![\w.-])\d*\.?\d+(?:px|rem|em)?\b/g, "")
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

function width({ document, report }: Context<HtmlDocument>, styles: StyleSheet): void {
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

const FRAMEWORKS = [
  "ReactDOM",
  "createRoot(",
  "Vue.createApp",
  "createApp(",
  "svelte/internal",
  "__webpack_require__",
];
const MAX_SCRIPT_BYTES = 8 << 10;

function scripts({ document, report }: Context<HtmlDocument>): void {
  let bytes = 0;
  let line = 1;
  for (const element of document.elements) {
    if (element.tagName !== "script") continue;
    const text = ownText(element);
    const framework = FRAMEWORKS.find((name) => text.includes(name));
    if (framework !== undefined)
      report("PLAN-H16", startLine(element), `'${framework}': a framework runtime in the document`);
    bytes += new TextEncoder().encode(text).length;
    line = startLine(element);
  }
  if (bytes > MAX_SCRIPT_BYTES)
    report("PLAN-H16", line, `${bytes} bytes of inline scripts, more than ${MAX_SCRIPT_BYTES}`, "warning");
}

function labels({ document, report }: Context<HtmlDocument>, styles: StyleSheet): void {
  for (const element of document.elements) {
    if (attribute(element, "data-field") !== undefined)
      report("PLAN-H17", startLine(element), "a label in data-field; write it as text");
  }
  for (const { line, property, value } of styles.declarations) {
    if (property !== "content") continue;
    const words = [...value.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g)]
      .map((match) => (match[1] ?? match[2] ?? "").replaceAll(/\\[0-9a-f]{1,6}\s?/gi, ""))
      .join("");
    if ((words.match(/\p{L}/gu) ?? []).length > 2)
      report("PLAN-H17", line, `CSS content ${shorten(value)} is text that only the style shows`);
  }
}
