/** Where a plan's IDs are defined (docs/spec/plan.md section 3.5). */
import {
  type Block,
  covers,
  endsAt,
  type Heading,
  lineAt,
  type PlanDocument,
  type Span,
  sectionsAround,
} from "./document.ts";
import { identifierAt, type Kind, OWNERS } from "./identifier.ts";

export type Form = "heading" | "bullet" | "paragraph" | "table" | "element";

export interface Definition {
  id: string;
  /** `other`: a namespace that is none of the contract's. */
  kind: Kind | "pr-group" | "other";
  form: Form;
  block: Block;
  line: number;
  /** Where the text after the prefix begins in the block's text. */
  textStart: number;
  /** The ID stands inside a bold run. */
  bold: boolean;
  hyphenated: boolean;
  /** Struck out, so it defines nothing any more. */
  struck: boolean;
  /** The section that owns IDs of this kind; undefined when it stands elsewhere. */
  owner: Heading | undefined;
}

/** Every text of the document that looks like the definition of an ID, in order. */
export function findDefinitions(document: PlanDocument): Definition[] {
  return document.blocks
    .filter((block) => !block.outside && !block.quoted && block.text !== "")
    .flatMap(definitionsIn);
}

/**
 * The definitions that count in their owning sections: nothing struck out, and of table rows only those whose ID has
 * no other form there, in the first table that has it. Index tables and done lists thus define nothing.
 */
export function owned(definitions: readonly Definition[]): Definition[] {
  const here = definitions.filter((definition) => definition.owner !== undefined && !definition.struck);
  const places = new Map<Heading, Map<string, Place>>();
  for (const definition of here) {
    const byId = places.get(definition.owner!) ?? new Map<string, Place>();
    places.set(definition.owner!, byId);
    const place = byId.get(definition.id) ?? { onlyRows: true, group: definition.block.item?.group };
    byId.set(definition.id, { ...place, onlyRows: place.onlyRows && isRow(definition) });
  }
  return here.filter((definition) => {
    if (!isRow(definition)) return true;
    const { group, onlyRows } = places.get(definition.owner!)!.get(definition.id)!;
    return onlyRows && group === definition.block.item?.group;
  });
}

/** How an ID is defined in one section, and the table or list of its first definition. */
interface Place {
  onlyRows: boolean;
  group: number | undefined;
}

function isRow({ block }: Definition): boolean {
  return block.item?.kind === "row";
}

function definitionsIn(block: Block): Definition[] {
  const form = formOf(block);
  if (form === undefined) return [];
  const first = definitionAt(block, 0, form);
  if (first === undefined) return [];
  return form === "paragraph" ? [first, ...stacked(block)] : [first];
}

function formOf(block: Block): Form | undefined {
  if (block.element !== undefined) return block.opensElement ? "element" : undefined;
  if (block.kind === "heading") return "heading";
  const kind = block.item?.kind;
  if (kind === "row") return block.opensItem && block.kind === "cell" ? "table" : undefined;
  if (kind === "bullet") return block.opensItem ? "bullet" : undefined;
  return "paragraph";
}

/**
 * Further lines of a paragraph that begin with an ID, where the line before is complete: a wrapped line may well begin
 * with an ID that the sentence cites.
 */
function stacked(block: Block): Definition[] {
  return block.lines.slice(1).flatMap(({ offset }) => {
    const before = block.text.slice(0, offset).trimEnd().at(-1) ?? "";
    const found = ".!?;:)".includes(before) ? definitionAt(block, offset, "paragraph") : undefined;
    return found === undefined ? [] : [found];
  });
}

function definitionAt(block: Block, offset: number, form: Form): Definition | undefined {
  const prefix = contractId(block, offset, form) ?? foreignId(block, offset, form);
  if (prefix === undefined || covers(block.links, offset, prefix.end)) return undefined;
  if (block.kind === "description") return undefined;
  const { id, kind, end, hyphenated } = prefix;
  return {
    id,
    kind,
    form,
    block,
    line: lineAt(block, offset),
    textStart: end + /^[\s.:|—–-]*/.exec(block.text.slice(end))![0].length,
    bold: covers(block.strong, offset, end),
    hyphenated,
    struck: covers(block.struck, offset, end),
    owner: kind === "pr-group" || kind === "other" ? undefined : ownerOf(block, kind, form),
  };
}

interface Prefix {
  id: string;
  kind: Definition["kind"];
  end: number;
  hyphenated: boolean;
}

function contractId(block: Block, offset: number, form: Form): Prefix | undefined {
  const found = identifierAt(block.masked, offset);
  return found !== undefined && isEnded(block, found, form) ? found : undefined;
}

/** `.`, `:`, `|`, the end of a bold run, a spaced dash; the end of a table cell, and of an HTML element. */
function isEnded(block: Block, id: Span, form: Form): boolean {
  const rest = block.masked.slice(id.end, id.end + 8);
  if (/^(?:[:|]|\.(?![0-9])|\s+[-–—]+\s)/.test(rest)) return true;
  if (endsAt(block.strong, id.start, id.end)) return true;
  if (form === "table") return rest.trim() === "" && block.masked.slice(id.end).trim() === "";
  if (form !== "element") return false;
  return block.masked.slice(id.end).trim() === "" || endsAt(block.inline, id.start, id.end, true);
}

/** `KD1.`, `OQ2:` and `PR1:`: one to four capitals and a number that are no ID of the contract. */
function foreignId(block: Block, offset: number, form: Form): Prefix | undefined {
  if (form === "table" || form === "paragraph") return undefined;
  const match = /^([A-Z]{1,4})([0-9]+)/.exec(block.masked.slice(offset, offset + 16));
  if (match === null || match[1]! in OWNERS) return undefined;
  const end = offset + match[0].length;
  const bold = endsAt(block.strong, offset, end);
  if (!bold && !/^(?::|\.(?![0-9]))/.test(block.masked.slice(end, end + 2))) return undefined;
  return { id: match[0], kind: match[1] === "PR" ? "pr-group" : "other", end, hyphenated: false };
}

function ownerOf(block: Block, kind: Kind, form: Form): Heading | undefined {
  if (kind === "U" && form !== "heading" && form !== "element") return undefined;
  for (const section of sectionsAround(block)) {
    if ((section.level === 2 || section.level === 3) && section.text.startsWith(OWNERS[kind])) return section;
  }
  return undefined;
}
