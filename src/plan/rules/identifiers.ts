/** Rules on IDs (PLAN-I01 to I07) and on the classes of questions (PLAN-S12). */

import type { Definition } from "../read/definitions.ts";
import { type Block, contentOf, type Heading, lineAt, type PlanDocument } from "../read/document.ts";
import { identifierAt, mentions } from "../read/identifier.ts";
import { once } from "../read/once.ts";
import { REQUIREMENTS } from "../terms.ts";
import type { Context } from "./context.ts";
import { checkLinks } from "./links.ts";
import { productPart } from "./structure.ts";

export function checkIdentifiers(context: Context): void {
  boldPrefixes(context);
  duplicates(context);
  missingIds(context);
  checkLinks(context);
  otherNamespaces(context);
  hyphens(context);
  uncoveredExamples(context);
}

/** PLAN-S12. */
export function checkQuestions(context: Context): void {
  const { questions, report, stage } = context;
  const milder = stage === "planned" ? "warning" : undefined;
  for (const { line, text } of questions.unlabelled) {
    const expected = "expected under 'Resolve Before Planning' or 'Deferred to Planning'";
    report("PLAN-S12", line, `question without a class (${expected}): ${text}`, milder);
  }
  for (const { line, text } of questions.underOtherLabel) {
    report("PLAN-S12", line, `question under a label that is no class: ${text}`, "warning");
  }
  if (stage === "planned") return;
  for (const { line, text } of questions.deferredToImplementation) {
    report(
      "PLAN-S12",
      line,
      `question deferred to implementation before there is a plan: ${text}`,
      "warning",
    );
  }
}

function boldPrefixes({ document, owned, report, stage }: Context): void {
  const milder = stage === "planned" ? "warning" : undefined;
  if (document.format === "md") {
    for (const { bold, id, line } of owned) {
      if (bold)
        report("PLAN-I01", line, `ID ${id} is inside the bold run; expected a plain prefix '${id}.'`, milder);
    }
    return;
  }
  // In HTML bold is only a style; what can go wrong is Markdown that was not rendered.
  for (const block of document.blocks) {
    const id = block.text.startsWith("**") ? identifierAt(block.text, 2) : undefined;
    if (id !== undefined && block.opensElement && !block.outside && !block.quoted)
      report("PLAN-I01", block.line, `ID ${id.id} stands in Markdown's bold marks`, milder);
  }
}

function duplicates({ document, owned, report }: Context): void {
  const first = new Map<string, Definition>();
  for (const definition of owned) {
    // Per section: a trace in a section of its own repeats IDs and defines none.
    const key = `${definition.owner!.line} ${definition.id}`;
    const before = first.get(key);
    if (before === undefined) first.set(key, definition);
    else if (document.format === "md" || !sameElement(before.block, definition.block)) {
      report(
        "PLAN-I02",
        definition.line,
        `${definition.id} is defined a second time, first in line ${before.line}`,
      );
    }
  }
}

/** Two texts of one item in HTML: a card's title and its summary may both begin with the ID. */
function sameElement(a: Block, b: Block): boolean {
  return a.item !== undefined && a.item === b.item;
}

function missingIds({ document, owned, report }: Context): void {
  const requirements = productPart(document, REQUIREMENTS);
  if (requirements === undefined || owned.some(({ kind }) => kind === "R")) return;
  const items = new Set(
    contentOf(document, requirements)
      .filter(({ quoted }) => !quoted)
      .map((block) => block.item)
      .filter((item) => item?.kind === "bullet" && item.parent === undefined),
  );
  if (items.size > 3)
    report(
      "PLAN-I03",
      requirements.line,
      `${items.size} requirements have no R IDs; consumers cite them by ID`,
    );
}

/** Names that look like an ID and are none: products, standards, formats, priorities. */
const KNOWN_NAMES =
  /^(?:S3|EC2|K8|K3|B2|MP[34]|MD5|ES\d|CSS\d|HTTP\d|HTML5|UTF\d|SHA\d|AES\d|RSA\d|TLS\d|IPV\d|IP[46]|ISO\d|RFC\d|PEP\d|CVE\d|CWE\d|WCAG\d|ADR\d|H26\d|P[0-4]$|V\d|X86|X64|ARM\d|GPT\d|CO2|N8)/;

function otherNamespaces({ definitions, report, stage }: Context): void {
  const seen = new Set<string>();
  for (const { id, kind, line } of definitions) {
    const prefix = /^[A-Z]+/.exec(id)![0];
    const foreign = kind === "other" && !KNOWN_NAMES.test(id) && id.length - prefix.length <= 2;
    const early = (kind === "KTD" || kind === "U") && stage === "requirements-only";
    if (seen.has(prefix) || !(foreign || early)) continue;
    seen.add(prefix);
    const why = foreign ? "is no namespace of the contract" : "belongs into a planned document";
    report("PLAN-I05", line, `ID ${id}: ${prefix} ${why}`);
  }
}

function hyphens({ definitions, document, report }: Context): void {
  const seen = new Set<string>();
  const found = (id: string, line: number) => {
    if (seen.has(id)) return;
    seen.add(id);
    report("PLAN-I06", line, `write ${id} without a hyphen`);
  };
  for (const { hyphenated, id, line } of definitions) if (hyphenated) found(id, line);
  for (const block of document.blocks) {
    for (const { hyphenated, id, start } of mentions(block.masked))
      if (hyphenated) found(id, lineAt(block, start));
  }
}

function uncoveredExamples({ document, owned, report }: Context): void {
  for (const definition of owned) {
    if (definition.kind !== "AE") continue;
    const item = [...extentOf(document, definition), ...columnHeads(document, definition.block)];
    if (!item.some((block) => !block.quoted && /\bcover(?:s|ed)?\b/i.test(block.text)))
      report("PLAN-I07", definition.line, `${definition.id} does not say what it covers ('Covers R4')`);
  }
}

/** The header cells of a row's table: a column may be called Covers. */
function columnHeads(document: PlanDocument, { item }: Block): readonly Block[] {
  return item?.kind === "row" ? (headerCells(document).get(item.group) ?? []) : [];
}

const headerCells = once(({ blocks }: PlanDocument): ReadonlyMap<number, Block[]> => {
  const found = new Map<number, Block[]>();
  for (const block of blocks) {
    if (block.kind !== "header-cell" || block.item === undefined) continue;
    const { group } = block.item;
    const cells = found.get(group) ?? [];
    cells.push(block);
    found.set(group, cells);
  }
  return found;
});

/** The blocks of a definition's item: the list item, the row, the card, or what follows a heading or paragraph. */
export function extentOf(document: PlanDocument, definition: Definition): readonly Block[] {
  const { block, form } = definition;
  const start = block.index;
  if (block.kind === "heading") {
    const heading = block.heading as Heading;
    return document.blocks.slice(start, heading.end);
  }
  if (form !== "paragraph" && block.item !== undefined) {
    let end = start + 1;
    while (end < document.blocks.length && isInItem(document.blocks[end]!, block)) end += 1;
    return document.blocks.slice(start, end);
  }
  let end = start + 1;
  for (; end < document.blocks.length; end++) {
    const next = document.blocks[end]!;
    if (next.kind === "heading" || identifierAt(next.masked, 0) !== undefined) break;
  }
  return document.blocks.slice(start, end);
}

function isInItem(block: Block, opener: Block): boolean {
  for (let item = block.item; item !== undefined; item = item.parent) if (item === opener.item) return true;
  return false;
}
