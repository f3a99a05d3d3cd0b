/** Rules on an HTML document as a whole: shape, loading, styling (PLAN-H01 to H03, H10, H11, H14 to H18). */
import { readCss, type StyleSheet, stringsIn } from "../read/css.ts";
import type { HtmlDocument, HtmlElement } from "../read/document.ts";
import { attribute, attributeName, closest, isText, startLine, visibleText } from "../read/html-tree.ts";
import type { Context } from "./context.ts";
import { checkLoading, checkWebFonts, shorten } from "./html-loading.ts";
import { checkAccents, checkWidth } from "./html-style.ts";

export function checkHtml(context: Context<HtmlDocument>): void {
  const styles = styleSheets(context.document);
  shape(context);
  checkLoading(context, styles);
  checkWebFonts(context, styles);
  names(context);
  footer(context);
  checkAccents(context, styles);
  checkWidth(context, styles);
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
    const words = stringsIn(value)
      .map((text) => text.replaceAll(/\\[0-9a-f]{1,6}\s?/gi, ""))
      .join("");
    if ((words.match(/\p{L}/gu) ?? []).length > 2)
      report("PLAN-H17", line, `CSS content ${shorten(value)} is text that only the style shows`);
  }
}
