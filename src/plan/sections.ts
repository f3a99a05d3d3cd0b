/** `plan sections`: where a document's sections and items are, and one of them by name (docs/spec/plan.md section 5). */
import { resolve } from "node:path";
import { JigError, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { decodeUtf8 } from "../kernel/files/owned-file.ts";
import { concatenate } from "../kernel/text/bytes.ts";
import { printable } from "../kernel/text/printable.ts";
import { itemsOf } from "./items.ts";
import { formatOf } from "./name.ts";
import type { Heading, HtmlElement, PlanDocument } from "./read/document.ts";
import { ancestors, attribute, endLine, startLine } from "./read/html-tree.ts";
import { identifierOfAnchor } from "./read/identifier.ts";
import { type LoadedPlan, loadPlan, requirePlanBytes } from "./read/load.ts";
import { findQuestions } from "./read/questions.ts";
import type { PlanMap, PlanPart } from "./schema.ts";
import { PRODUCT, REGISTRY, REQUIREMENTS } from "./terms.ts";

export interface SectionsFlags {
  get: string | undefined;
  deep: boolean;
  json: boolean;
}

/** Map a document, or print one part of it as it stands in the file. Exit 1 when `--get` names nothing in it. */
export async function sections(
  host: Host,
  file: string,
  flags: SectionsFlags,
): Promise<Outcome<PlanMap | PlanPart>> {
  const path = resolve(host.cwd, file);
  const format = formatOf(path);
  if (format === undefined) throw new UsageError(`${file}: is neither .md nor .html`);
  const plan = await loadPlan(format, requirePlanBytes(path, file), file);
  const map = mapPlan(path, plan, flags.deep || flags.get !== undefined);
  if (flags.get === undefined) return { data: map, text: render(map), notes: notesOn(file, plan.integrity) };
  const part = findPart(plan.document, map, flags.get);
  if (part === undefined) {
    throw new JigError(`${file}: no section or ID '${flags.get}'`, { hint: `jig plan sections ${file}` });
  }
  const bytes = rawLines(plan.bytes, part.line, part.endLine);
  const text = decodeUtf8(bytes);
  const place = { name: part.name, line: part.line, end_line: part.endLine };
  if (!flags.json) return { data: { ...place, text: text ?? "" }, text: "", bytes };
  if (text === undefined) {
    const why = `lines ${part.line} to ${part.endLine} hold bytes that are not UTF-8, which JSON cannot carry`;
    throw new JigError(`${file}: ${why}`, { hint: "without --json they are printed as they are" });
  }
  return { data: { ...place, text }, text: "" };
}

/** A map cannot carry bytes that are no text, and says so. */
function notesOn(file: string, { invalidLine, utf16 }: LoadedPlan["integrity"]): string[] {
  if (invalidLine === undefined && !utf16) return [];
  const looks = utf16 ? ", and looks like UTF-16" : "";
  return [`note: ${file}: is not UTF-8 (line ${invalidLine ?? 1})${looks}; what is not shows as U+FFFD`];
}

/** The map of a document; headings below level 3 only when `deep`. */
export function mapPlan(file: string, { document, format, standing }: LoadedPlan, deep: boolean): PlanMap {
  const questions = findQuestions(document);
  const title = document.metadata.get("title")?.value;
  const isPlan = standing.kind === "plan";
  return {
    file,
    format,
    contract: standing.kind === "legacy" ? null : standing.contract,
    generation: isPlan ? standing.generation : null,
    stage: isPlan ? standing.stage : null,
    title: title ?? document.headings.find(({ level }) => level === 1)?.text ?? null,
    metadata: Object.fromEntries([...document.metadata].map(([key, { value }]) => [key, value])),
    sections: document.headings
      .filter(({ level }) => deep || level <= 3)
      .map((heading) => ({
        name: heading.text,
        level: heading.level,
        line: heading.line,
        end_line: heading.endLine,
        anchor: heading.anchor,
        parent: enclosing(heading)?.text ?? null,
        registry: isRegistry(heading),
      })),
    ids: itemsOf(document),
    markers: document.markers.map(({ role, line }) => ({ role, line })),
    open_questions: {
      resolve_before_planning: questions.resolveBeforePlanning,
      deferred_to_planning: questions.deferredToPlanning,
      unclassified: questions.unclassified,
    },
  };
}

/** The level-2 section around a heading. */
function enclosing(heading: Heading): Heading | undefined {
  for (let at = heading.parent; at !== undefined; at = at.parent) if (at.level === 2) return at;
  return undefined;
}

function isRegistry(heading: Heading): boolean {
  if (heading.level === 2) return REGISTRY.has(heading.text);
  return heading.level === 3 && heading.text === REQUIREMENTS && enclosing(heading)?.text === PRODUCT;
}

interface Part {
  name: string;
  line: number;
  endLine: number;
}

/** An ID, else a section by name or anchor, in that order. Letter case does not matter. */
function findPart(document: PlanDocument, map: PlanMap, wanted: string): Part | undefined {
  const asId = identifierOfAnchor(wanted.toLowerCase())?.id ?? wanted;
  const item = map.ids.find(({ id }) => id.toLowerCase() === asId.toLowerCase());
  if (item !== undefined) return { name: item.id, line: item.line, endLine: item.end_line };
  const name = wanted.toLowerCase().trim();
  const registryName = [...REGISTRY].find(([, anchor]) => anchor === name)?.[0];
  const heading =
    document.headings.find(({ text }) => text.toLowerCase() === name) ??
    document.headings.find(({ text }) => text === registryName) ??
    document.headings.find(({ anchor }) => anchor === name) ??
    (name === "product-requirements" ? document.headings.find(isRegistryRequirements) : undefined);
  if (heading === undefined) return undefined;
  const around = heading.element === undefined ? undefined : sectionElement(heading, heading.element);
  if (around === undefined) return { name: heading.text, line: heading.line, endLine: heading.endLine };
  return { name: heading.text, line: startLine(around), endLine: endLine(around) };
}

function isRegistryRequirements(heading: Heading): boolean {
  return heading.text === REQUIREMENTS && isRegistry(heading);
}

/** The sectioning element that a heading opens: its section ends where the element ends. */
function sectionElement(heading: Heading, element: HtmlElement): HtmlElement | undefined {
  for (const outer of ancestors(element)) {
    if (!/^(?:section|article|aside|details)$/.test(outer.tagName)) continue;
    const opens = attribute(outer, "id") === heading.anchor || endLine(outer) === heading.endLine;
    return opens ? outer : undefined;
  }
  return undefined;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The bytes of a file's lines with their ends as they are; the last one gets one when it has none. */
function rawLines(source: Uint8Array, first: number, last: number): Uint8Array {
  let start = BYTE_ORDER_MARK.every((byte, index) => source[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  for (let line = 1; line < first; line++) start = source.indexOf(NEWLINE, start) + 1;
  let end = start;
  for (let line = first; line <= last; line++) {
    const next = source.indexOf(NEWLINE, end);
    end = next < 0 ? source.length : next + 1;
  }
  const lines = source.slice(start, end);
  return lines.at(-1) === NEWLINE ? lines : concatenate([lines, Uint8Array.of(NEWLINE)]);
}

function render(map: PlanMap): string {
  const sectionLines = map.sections.map(
    ({ end_line, level, line, name }) =>
      `${"  ".repeat(level - 1)}${line}-${end_line}  H${level} ${printable(name)}`,
  );
  const idLines = map.ids.map(
    ({ end_line, id, line, text }) => `${id}  ${line}-${end_line}  ${printable(text)}`,
  );
  return [...sectionLines, ...idLines].map((line) => `${line}\n`).join("");
}
