/** What an HTML document loads from elsewhere (PLAN-H02, PLAN-H03). */
import { type StyleSheet, urlsIn } from "../read/css.ts";
import type { HtmlDocument, HtmlElement } from "../read/document.ts";
import { attribute, startLine } from "../read/html-tree.ts";
import { WEBFONT_HOSTS } from "./catalog.ts";
import type { Context } from "./context.ts";

const MEDIA = new Set(["img", "video", "audio", "source", "track", "input", "picture"]);
const FORBIDDEN = new Set(["iframe", "object", "embed", "base"]);
const LOADING_LINKS =
  /^(?:icon|shortcut|apple-touch-icon(?:-precomposed)?|mask-icon|preload|prefetch|prerender|modulepreload|manifest)$/;

/** PLAN-H02. */
export function checkLoading({ document, report }: Context<HtmlDocument>, styles: StyleSheet): void {
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

/** A target short enough for a message. */
export function shorten(target: string): string {
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

/** PLAN-H03. */
export function checkWebFonts({ document, report }: Context<HtmlDocument>, styles: StyleSheet): void {
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
