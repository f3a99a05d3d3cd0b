/** Rules on how Markdown is written (PLAN-C14, PLAN-D01 to D10). */
import type { MarkdownDocument } from "../read/document.ts";
import { identifierAt } from "../read/identifier.ts";
import { once } from "../read/once.ts";
import { PRODUCT_SUBSECTIONS, REGISTRY } from "../terms.ts";
import type { Context } from "./context.ts";
import { HTML_ELEMENTS } from "./element-names.ts";

export function checkMarkdown(context: Context<MarkdownDocument>): void {
  frontMatter(context);
  fences(context);
  tags(context);
  comments(context);
  boxes(context);
  wrapping(context);
  strikethrough(context);
  nonAsciiHeadings(context);
}

function frontMatter({ document, report }: Context<MarkdownDocument>): void {
  if (typeof document.frontMatter === "object") {
    const { line, problem } = document.frontMatter;
    report("PLAN-D01", line, `frontmatter cannot be read: ${problem}`);
    return;
  }
  for (const { key, line, source } of document.keyLines) {
    if (!/^[a-z][a-z0-9_]*$/.test(key))
      report("PLAN-D02", line, `frontmatter key '${key}' is not snake_case`);
    if ((key === "title" || key === "origin") && /^[^:]*:\s+[^\s"'|>#].*\s#/.test(source))
      report("PLAN-D03", line, `the value of ${key} ends at ' #'; quote it`);
  }
}

function fences({ document, report }: Context<MarkdownDocument>): void {
  for (const { info, line, open } of document.fences) {
    if (open) report("PLAN-C14", line, "this fence is still open at the end of the file");
    else if (info === "") report("PLAN-D06", line, "this fence names no language");
  }
}

interface Tag {
  line: number;
  name: string;
  closing: boolean;
  /** Has an attribute, or stands for itself (`br`). */
  definite: boolean;
}

const VOID = new Set(["br", "hr", "img"]);
/** Words behind a name are attributes only in one of these forms: `<source file>` is a placeholder. */
const ATTRIBUTE =
  /=|^\s+(?:open|hidden|disabled|checked|controls|required|reversed|async|defer|autoplay|loop)\b/;

function tags({ document, report }: Context<MarkdownDocument>): void {
  const found: Tag[] = document.tags.flatMap(({ line, value }) => {
    const parts = /^<(\/?)([A-Za-z][A-Za-z0-9-]*)(.*?)\/?>?$/s.exec(value);
    const name = parts?.[2]?.toLowerCase() ?? "";
    if (parts === null || !HTML_ELEMENTS.has(name)) return [];
    return [{ line, name, closing: parts[1] === "/", definite: VOID.has(name) || ATTRIBUTE.test(parts[3]!) }];
  });
  const lastClosing = new Map(found.flatMap(({ closing, name }, index) => (closing ? [[name, index]] : [])));
  const reported = new Set<number>();
  for (const [index, { closing, definite, line, name }] of found.entries()) {
    const closedLater = (lastClosing.get(name) ?? -1) > index;
    const isElement = closing || definite || closedLater;
    if (!isElement && isGeneric(document, line, name)) continue;
    if (reported.has(line)) continue;
    reported.add(line);
    const shown = `<${closing ? "/" : ""}${name}>`;
    if (isElement)
      report(
        "PLAN-D04",
        line,
        `HTML element ${shown} in Markdown; put it in backticks if it is meant as text`,
      );
    else report("PLAN-D04", line, `${shown} looks like an HTML element; put it in backticks`, "warning");
  }
}

/** `List<object>`: a type parameter, directly behind a word. */
function isGeneric(document: MarkdownDocument, line: number, name: string): boolean {
  return typeParameters(document)(line).has(name);
}

/** Per line the names that stand as type parameters in it. */
const typeParameters = once(({ lines }: MarkdownDocument) => {
  const known = new Map<number, ReadonlySet<string>>();
  return (line: number) => {
    const found =
      known.get(line) ??
      new Set(
        [...lines[line - 1]!.matchAll(/(?<=[\w>])<([a-z][a-z0-9-]*)>/gi)].map(([, name]) =>
          name!.toLowerCase(),
        ),
      );
    known.set(line, found);
    return found;
  };
});

function comments({ document, report }: Context<MarkdownDocument>): void {
  for (const { line, value } of document.comments) {
    if (/^<!--\s*ce-section:\s*[a-z0-9]+(?:-[a-z0-9]+)*\s*-->$/.test(value)) continue;
    report("PLAN-D05", line, "an HTML comment that is no section marker");
  }
}

function boxes({ document, report }: Context<MarkdownDocument>): void {
  let previous = -1;
  for (const [index, line] of document.lines.entries()) {
    if (!/[┌┐┘╔╗╝╭╮╯]/.test(line)) continue;
    if (previous < 0 || index > previous + 10) report("PLAN-D07", index + 1, "a box drawn with characters");
    previous = index;
  }
}

/** Lines of this length are what an editor wraps to. */
const NARROW = 55;
const WIDE = 105;

function wrapping({ document, report }: Context<MarkdownDocument>): void {
  for (const { endLine, line } of document.paragraphs) {
    const lines = document.lines.slice(line - 1, endLine);
    if (lines.length < 3) continue;
    const cut = lines.slice(0, -1).filter((text, index) => isCut(text, lines[index + 1]!));
    if (cut.length >= 2 && cut.length >= 0.6 * (lines.length - 1))
      report(
        "PLAN-D08",
        line,
        "a paragraph wrapped at a fixed width; let it flow, or write one sentence per line",
      );
  }
}

/** A line that stops in the middle of a sentence, near a usual width, with nothing new beginning after it. */
function isCut(line: string, next: string): boolean {
  if (/ {2}$|\\$/.test(line)) return false;
  const text = line.trim();
  const length = [...text].length;
  if (length < NARROW || length > WIDE) return false;
  if (/[.!?…:;。！？：；]["'”’»」』)\]*_`~]*$/.test(text)) return false;
  const after = next.trim();
  return !/^(?:\*\*|__|[•·–—✓✗✅❌→]|[-*+] |\d+[.)] )/u.test(after) && identifierAt(after, 0) === undefined;
}

function strikethrough({ document, report }: Context<MarkdownDocument>): void {
  const reported = new Set<number>();
  for (const block of document.blocks) {
    const start = block.struck[0]?.start ?? block.masked.indexOf("~~");
    if (start < 0) continue;
    const line = block.lines.findLast((entry) => entry.offset <= start)?.line ?? block.line;
    if (reported.has(line)) continue;
    reported.add(line);
    report("PLAN-D09", line, "struck-out text; rewrite or remove it");
  }
}

function nonAsciiHeadings({ document, report }: Context<MarkdownDocument>): void {
  for (const { line, text } of document.headings) {
    if (REGISTRY.has(text) || PRODUCT_SUBSECTIONS.has(text)) continue;
    if (/[^\x00-\x7f]/.test(text)) report("PLAN-D10", line, `heading '${text}' has characters beyond ASCII`);
  }
}
