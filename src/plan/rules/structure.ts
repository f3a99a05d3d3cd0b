/** Rules on sections (PLAN-S01 to S11). */
import { contentOf, type Heading, type PlanDocument } from "../read/document.ts";
import { attribute, closest } from "../read/html-tree.ts";
import { once } from "../read/once.ts";
import {
  CAPSULE,
  PLAN_ONLY,
  PRODUCT,
  PRODUCT_SUBSECTIONS,
  REGISTRY,
  RELATIONSHIPS,
  RELATIONSHIPS_ROLE,
  REQUIREMENTS,
  REQUIREMENTS_ANCHOR,
} from "../terms.ts";
import type { Context } from "./context.ts";

export function checkStructure(context: Context): void {
  topLevel(context);
  productContract(context);
  capsuleLabels(context);
  planOnly(context);
  headings(context);
  nearMisses(context);
  relationships(context);
}

/** The headings that stand for a registry section: its name at level 2, in HTML also its id. */
export function registryHeadings(document: PlanDocument, name: string): readonly Heading[] {
  return allRegistryHeadings(document).get(name) ?? [];
}

const allRegistryHeadings = once((document: PlanDocument): ReadonlyMap<string, Heading[]> => {
  const found = new Map<string, Heading[]>([...REGISTRY.keys()].map((name) => [name, []]));
  const names = new Map([...REGISTRY].map(([name, id]) => [id, name]));
  for (const heading of document.headings) {
    const byName = heading.level === 2 ? found.get(heading.text) : undefined;
    const byId = document.format === "html" ? found.get(names.get(heading.anchor ?? "") ?? "") : undefined;
    byName?.push(heading);
    if (byId !== byName) byId?.push(heading);
  }
  return found;
});

/** The subsection of the Product Contract with this name. */
export function productPart(document: PlanDocument, name: string): Heading | undefined {
  return productParts(document).get(name);
}

const productParts = once((document: PlanDocument): ReadonlyMap<string, Heading> => {
  const contracts = new Set<Heading | undefined>(registryHeadings(document, PRODUCT));
  const found = new Map<string, Heading>();
  for (const heading of document.headings) {
    if (heading.level !== 3 || heading.parent === undefined || !contracts.has(heading.parent)) continue;
    const byId = document.format === "html" && heading.anchor === REQUIREMENTS_ANCHOR;
    for (const name of byId ? [heading.text, REQUIREMENTS] : [heading.text]) {
      if (!found.has(name)) found.set(name, heading);
    }
  }
  return found;
});

function topLevel(context: Context): void {
  const { document, report } = context;
  for (const name of [CAPSULE, PRODUCT]) {
    if (registryHeadings(document, name).length === 0)
      report("PLAN-S01", 1, `there is no top-level section '${name}'`);
  }
  const capsule = registryHeadings(document, CAPSULE)[0];
  const product = registryHeadings(document, PRODUCT)[0];
  if (capsule !== undefined && product !== undefined && capsule.line > product.line) {
    report("PLAN-S01", capsule.line, `${CAPSULE} stands behind ${PRODUCT}; expected before it`);
  }
  for (const name of REGISTRY.keys()) {
    for (const again of registryHeadings(document, name).slice(1)) {
      report("PLAN-S08", again.line, `section '${name}' is there a second time`);
    }
  }
}

function productContract(context: Context): void {
  const { document, report } = context;
  const product = registryHeadings(document, PRODUCT)[0];
  if (product === undefined) return;
  for (const name of ["Summary", REQUIREMENTS]) {
    const part = productPart(document, name);
    if (part === undefined) report("PLAN-S02", product.line, `${PRODUCT} has no subsection '${name}'`);
    else if (isEmpty(document, part)) report("PLAN-S02", part.line, `'${name}' has no content`);
  }
}

function capsuleLabels(context: Context): void {
  const { document, report } = context;
  const capsule = registryHeadings(document, CAPSULE)[0];
  if (capsule === undefined) return;
  const has = (label: RegExp) =>
    contentOf(document, capsule).some((block) =>
      block.text.split("\n").some((line) => label.test(line.trim())),
    );
  if (!has(/^objective(?!\p{L})/iu)) report("PLAN-S03", capsule.line, `${CAPSULE} has no label 'Objective'`);
  if (!has(/^product authority(?!\p{L})/iu))
    report("PLAN-S03b", capsule.line, `${CAPSULE} has no label 'Product authority'`);
  if (!has(/^open blockers?(?!\p{L})/iu))
    report("PLAN-S03b", capsule.line, `${CAPSULE} has no label 'Open blockers'`);
}

function planOnly(context: Context): void {
  const { demanded, document, report, stage } = context;
  const missing: string[] = [];
  for (const name of PLAN_ONLY) {
    const [section] = registryHeadings(document, name);
    if (section === undefined) missing.push(name);
    else if (demanded === "requirements") {
      report("PLAN-S04", section.line, `'${name}' does not belong into a requirements document`);
    } else if (isEmpty(document, section)) {
      report("PLAN-S04", section.line, `'${name}' has no content`);
    }
  }
  if (demanded !== "planned" && (stage !== "planned" || demanded === "requirements")) return;
  for (const name of missing) report("PLAN-S05", 1, `a planned document needs the section '${name}'`);
}

/** Nothing below a heading; separators and comments do not count. */
function isEmpty(document: PlanDocument, heading: Heading): boolean {
  return contentOf(document, heading).length === 0;
}

const FORBIDDEN: ReadonlySet<string> = new Set([
  "goal launch block",
  "reader index",
  "synthesis",
  "next steps",
  "ready for planning check",
]);

function headings(context: Context): void {
  const { definitions, document, report } = context;
  // A heading that is an item (`### R1. Text`) says what it has to say.
  const items = new Set(
    definitions
      .filter(({ kind, block, textStart }) => kind !== "U" && block.text.slice(textStart).trim() !== "")
      .map(({ block }) => block.heading),
  );
  for (const heading of document.headings) {
    const name = heading.text.replace(/\s*:$/, "");
    if (FORBIDDEN.has(name.toLowerCase()))
      report("PLAN-S06", heading.line, `heading '${name}' is not part of a plan`);
    if (heading.level === 1 || !isEmpty(document, heading)) continue;
    if (isContractSection(document, heading))
      report("PLAN-S07", heading.line, `section '${name}' has no content`);
    else if (!items.has(heading)) {
      report("PLAN-S07", heading.line, `nothing stands below the heading '${name}'`, "warning");
    }
  }
}

function isContractSection(document: PlanDocument, heading: Heading): boolean {
  if (heading.level === 2) return REGISTRY.has(heading.text);
  return PRODUCT_SUBSECTIONS.has(heading.text) && productPart(document, heading.text) === heading;
}

function nearMisses(context: Context): void {
  const { document, report } = context;
  const misplaced = new Set([
    REQUIREMENTS,
    "Summary",
    "Problem Frame",
    "Key Decisions",
    "Acceptance Examples",
    "Scope Boundaries",
  ]);
  for (const heading of document.headings) {
    const { level, line, text } = heading;
    if (level === 2 && misplaced.has(text))
      report("PLAN-S10", line, `'${text}' is a top-level section; it belongs into ${PRODUCT} at level 3`);
    const meant = level === 2 ? almostRegistry(text) : level === 3 ? almostPart(text) : undefined;
    if (meant !== undefined) report("PLAN-S09", line, `heading '${text}' is not exactly '${meant}'`);
  }
}

function almostRegistry(text: string): string | undefined {
  for (const name of REGISTRY.keys()) {
    if (text === name) return undefined;
    if (text.toLowerCase() === name.toLowerCase()) return name;
    if (name !== "Appendix" && text.startsWith(name)) return name;
  }
  return undefined;
}

function almostPart(text: string): string | undefined {
  const name = /^(.*?)\s*\([^()]*\)$/.exec(text)?.[1];
  return name !== undefined && PRODUCT_SUBSECTIONS.has(name) ? name : undefined;
}

function relationships(context: Context): void {
  const { document, report, split } = context;
  const markers = document.markers.filter((marker) => marker.role === RELATIONSHIPS_ROLE);
  if (split && markers.length === 0)
    report("PLAN-S11", 1, `the work was split, so a section with the role ${RELATIONSHIPS_ROLE} is required`);
  const named = document.headings.filter((heading) => heading.text === RELATIONSHIPS);
  if (document.format === "html") {
    for (const heading of named) {
      if (!hasRole(heading))
        report(
          "PLAN-S11",
          heading.line,
          `'${RELATIONSHIPS}' is in no <section data-ce-section="${RELATIONSHIPS_ROLE}">`,
        );
    }
    return;
  }
  const atHeading = new Set(document.headings.map((heading) => heading.line));
  const marker = `<!-- ce-section: ${RELATIONSHIPS_ROLE} -->`;
  const fits = new Set<number>();
  for (const { line } of markers) {
    const next = nextFilled(document.lines, line);
    if (isAlone(document.lines[line - 1]!) && next !== undefined && atHeading.has(next)) fits.add(next);
    else report("PLAN-S11", line, `${marker} is not followed by a heading`);
  }
  for (const heading of named) {
    if (!fits.has(heading.line))
      report("PLAN-S11", heading.line, `'${RELATIONSHIPS}' is not preceded by ${marker}`);
  }
}

function hasRole(heading: Heading): boolean {
  let section = closest(heading.element!, SECTION);
  while (section !== undefined) {
    if (attribute(section, "data-ce-section") === RELATIONSHIPS_ROLE) return true;
    const parent = section.parentNode;
    section = parent !== null && "tagName" in parent ? closest(parent, SECTION) : undefined;
  }
  return false;
}

const SECTION: ReadonlySet<string> = new Set(["section"]);

/** Whether nothing follows the marker on its line. */
function isAlone(line: string): boolean {
  return line.trimEnd().endsWith("-->");
}

/** Number of the next line that is not blank. */
function nextFilled(lines: readonly string[], after: number): number | undefined {
  return filledFrom(lines)[after];
}

/** For each index the number of the first line from there on that is not blank. */
const filledFrom = once((lines: readonly string[]): readonly (number | undefined)[] => {
  const found = new Array<number | undefined>(lines.length);
  for (let index = lines.length - 1; index >= 0; index--)
    found[index] = lines[index]!.trim() === "" ? found[index + 1] : index + 1;
  return found;
});
