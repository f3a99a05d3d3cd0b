/** Rules on what the text says (PLAN-C01 to C07). */
import { type Block, covers, type Item, lineAt, type PlanDocument, type Span } from "../read/document.ts";
import { once } from "../read/once.ts";
import type { Context } from "./context.ts";

export function checkContent(context: Context): void {
  const repository = pathPattern(context.repository);
  for (const block of context.document.blocks) {
    if (block.text === "") continue;
    if (!block.illustration) placeholders(context, block);
    processNotes(context, block);
    settledDecisions(context, block);
    packCitations(context, block);
    paths(context, block, repository);
  }
}

const WORDS = "TBD|TBC|TODO|FIXME|XXX|\\?\\?\\?|to be (?:decided|determined)";
const WHOLE = new RegExp(`^(?:${WORDS})[.:]?$`, "i");
const BRACKETED = new RegExp(`[([{<⟨【「]\\s*(?:${WORDS})\\s*[)\\]}>⟩】」]`, "gi");
const BARE = /(?<![A-Za-z0-9_])(?:TBD|TBC|TODO|FIXME|XXX)(?![A-Za-z0-9_])/g;
const TEMPLATE =
  /\[plan title\]|\{skill\}|<absolute path to|\[Decision 1\]|\[Blocking question 1\]|lorem ipsum/i;

function placeholders({ report }: Context, block: Block): void {
  const { kind, masked } = block;
  const template = TEMPLATE.exec(masked);
  if (template !== null)
    report("PLAN-C03", lineAt(block, template.index), `template text '${template[0]}' is left`);
  if (kind === "paragraph" || kind === "cell" || kind === "description") {
    const whole = masked.trim();
    const value = WHOLE.test(whole) ? whole : afterLeader(block);
    if (WHOLE.test(value)) {
      report("PLAN-C01", lineAt(block, Math.max(0, masked.indexOf(value))), `placeholder '${value}' is left`);
      return;
    }
  }
  const taken: Span[] = [];
  for (const match of masked.matchAll(BRACKETED)) {
    taken.push({ start: match.index, end: match.index + match[0].length });
    report("PLAN-C01", lineAt(block, match.index), `placeholder '${match[0]}' is left`);
  }
  for (const match of masked.matchAll(BARE)) {
    if (covers(taken, match.index, match.index + 1)) continue;
    report("PLAN-C02", lineAt(block, match.index), `placeholder word '${match[0]}' in the text`);
  }
}

/** The text behind a bold label at the start: `TBD` of `**Owner:** TBD`. */
function afterLeader(block: Block): string {
  const start = block.masked.length - block.masked.trimStart().length;
  const leader = block.strong.find((span) => span.start <= start);
  return leader === undefined
    ? ""
    : block.masked
        .slice(leader.end)
        .replace(/^\s*[:.–—-]?\s*/, "")
        .trim();
}

const NOTE = /\b(?:brainstorm|plan|captured|composed|generated|written|completed)\b/i;
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const DATE = new RegExp(
  `\\d{4}-\\d{1,2}-\\d{1,2}|\\b${MONTH}\\.? \\d{1,2},? \\d{4}|\\b\\d{1,2}\\.? ${MONTH}\\.? \\d{4}`,
  "i",
);

function processNotes({ document, report }: Context, block: Block): void {
  const phase = /captured at phase/i.exec(block.masked);
  if (phase !== null) report("PLAN-C04", lineAt(block, phase.index), "a note about the writing process");
  // The header and the footer of an HTML document are where the time of composition belongs.
  if (block.outside || (document.format === "html" && (block.heading?.level ?? 1) === 1)) return;
  let offset = 0;
  for (const line of block.text.split("\n")) {
    const start = offset + (line.length - line.trimStart().length);
    const text = line.trim();
    offset += line.length + 1;
    if (text === "" || !NOTE.test(text) || !DATE.test(text)) continue;
    if (covers(block.emphasis, start, start + text.length)) {
      report("PLAN-C04", lineAt(block, start), "a note in italics about when this was written", "warning");
    }
  }
}

const CLASS = /\s*([A-Za-z-]*)/y;

function settledDecisions({ report }: Context, block: Block): void {
  const closing = closingParentheses(block.text);
  const alternative = finder(block.text, "chosen over");
  for (const match of block.masked.matchAll(/\(session-settled:/g)) {
    const line = lineAt(block, match.index);
    CLASS.lastIndex = match.index + match[0].length;
    const word = CLASS.exec(block.text)![1]!;
    if (word !== "user-directed" && word !== "user-approved") {
      report("PLAN-C05", line, `session-settled class '${word}', expected user-directed or user-approved`);
    }
    const end = closing().get(match.index) ?? block.text.length;
    const said = alternative(match.index);
    if (said < 0 || said >= end)
      report("PLAN-C05", line, "a settled decision does not say what it was chosen over", "warning");
  }
}

/** Where each opening parenthesis of a text is closed, worked out when it is first asked for. */
function closingParentheses(text: string): () => ReadonlyMap<number, number> {
  let known: Map<number, number> | undefined;
  return () => {
    if (known !== undefined) return known;
    known = new Map();
    const open: number[] = [];
    for (let index = 0; index < text.length; index++) {
      if (text[index] === "(") open.push(index);
      else if (text[index] === ")" && open.length > 0) known.set(open.pop()!, index);
    }
    return known;
  };
}

/** Finds a word from a place on; the places ascend from call to call. */
function finder(text: string, word: string): (from: number) => number {
  let found: number | undefined;
  return (from) => {
    if (found === undefined || (found >= 0 && found < from)) found = text.indexOf(word, from);
    return found;
  };
}

const MAX_CITATION = 120;

function packCitations({ report }: Context, block: Block): void {
  for (const match of block.masked.matchAll(/\(pack:/g)) {
    const next = block.text.slice(match.index + 1).search(/[()]/);
    const end = next < 0 ? block.text.length : match.index + 1 + next;
    const closed = block.text[end] === ")";
    const citation = block.text.slice(match.index, end + (closed ? 1 : 0)).replaceAll(/\s+/g, " ");
    const parts = /^\(pack: ?([^\s,()]+), ?([^()]+)\)$/.exec(citation);
    if (parts !== null && isRelative(parts[2]!)) continue;
    const shown = citation.length > MAX_CITATION ? `${citation.slice(0, MAX_CITATION)}…` : citation;
    report("PLAN-C06", lineAt(block, match.index), `pack citation '${shown}', expected (pack: <id>, <path>)`);
  }
}

function isRelative(path: string): boolean {
  return !/^[/\\~]|^[A-Za-z]:/.test(path) && !path.split(/[/\\]/).includes("..");
}

const MACHINE_PATH =
  /(?<![\w.~/\\:-])(?:\/(?:Users|home|root)\/[A-Za-z0-9_][A-Za-z0-9._-]*|[A-Za-z]:\\Users\\|file:\/\/)/;

/** The repository's own path as a pattern; none for one so short that it would match by accident. */
function pathPattern(repository: string | undefined): RegExp | undefined {
  if (repository === undefined || repository.split(/[/\\]/).filter(Boolean).length < 2) return undefined;
  return new RegExp(`(?<![\\w.~/\\\\-])${repository.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.-])`);
}

function paths({ document, report }: Context, block: Block, repository: RegExp | undefined): void {
  const match = MACHINE_PATH.exec(block.text) ?? repository?.exec(block.text);
  if (!match) return;
  const { item } = block;
  const isLocal = item === undefined ? saysLocal(block) : localItems(document).has(outermost(item));
  if (isLocal) return;
  report(
    "PLAN-C07",
    lineAt(block, match.index),
    `'${match[0]}' is a path of one machine; cite it from the repository`,
  );
}

function saysLocal({ text }: Block): boolean {
  return text.includes("machine-local");
}

/** The outermost items that say somewhere that something is local to a machine. */
const localItems = once(
  ({ blocks }: PlanDocument): ReadonlySet<Item> =>
    new Set(blocks.flatMap((block) => (block.item && saysLocal(block) ? [outermost(block.item)] : []))),
);

function outermost(item: Item): Item {
  let at = item;
  while (at.parent !== undefined) at = at.parent;
  return at;
}
