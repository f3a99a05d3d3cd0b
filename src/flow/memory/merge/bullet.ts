/** Bullets of a memory section, their identity and their confidence (docs/spec/flow.md 9.5). */

/** What a bullet without a suffix counts as. */
export const DEFAULT_CONFIDENCE = 0.8;

const POINTER = "Older entries archived: see ";

export interface Bullet {
  /** The whole line as it stands in the file. */
  line: string;
  /** Two bullets of one identity say the same. */
  identity: string;
  confidence: number;
  /** Noted by a person; only a bullet whose suffix says so is. */
  organic: boolean;
}

/** Whether a line's first characters that are no blanks are `- `. */
export function isBulletLine(line: string): boolean {
  return line.trimStart().startsWith("- ");
}

export function parseBullet(line: string): Bullet {
  const { confidence, organic, text } = splitSuffix(withoutMark(line));
  return { line, identity: collapsed(text), confidence: confidence ?? DEFAULT_CONFIDENCE, organic };
}

/** The bullet that a note is written as. The text is one line and has no mark of its own. */
export function makeBullet(text: string, confidence: number, organic: boolean): Bullet {
  const suffix = `(conf: ${decimal(confidence)}${organic ? ", organic" : ""})`;
  return { line: `- ${text} ${suffix}`, identity: collapsed(text), confidence, organic };
}

/** The bullet that says where evicted ones went. It is never evicted itself and does not count. */
export function makePointer(path: string): Bullet {
  return makeBullet(`${POINTER}${path}`, 1, true);
}

export function isPointer({ identity, organic }: Bullet): boolean {
  return organic && identity.startsWith(POINTER.toLowerCase());
}

/** A text given as a note, on one line: without a mark, blanks around it and an existing suffix. */
export function noteText(text: string): string {
  return splitSuffix(withoutMark(text.replaceAll(/[\r\n]+/g, " "))).text;
}

/** What tells whether a text says the same as a bullet. */
export function identityOf(text: string): string {
  return collapsed(noteText(text));
}

function withoutMark(line: string): string {
  const text = line.trim();
  if (text === "-") return "";
  return text.startsWith("- ") ? text.slice(2).trim() : text;
}

function collapsed(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(" ").toLowerCase();
}

const SUFFIX = /^\(conf:\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+)\s*(,\s*organic\s*)?\)$/i;

/** A text cut before its trailing `(conf: N)` or `(conf: N, organic)`. */
export function splitSuffix(text: string): { text: string; confidence?: number; organic: boolean } {
  const open = text.endsWith(")") ? text.lastIndexOf("(") : -1;
  const match = open === -1 ? null : SUFFIX.exec(text.slice(open));
  if (match === null) return { text, organic: false };
  return {
    text: text.slice(0, open).trimEnd(),
    confidence: Number(match[1]),
    organic: match[2] !== undefined,
  };
}

/** With at least one decimal, as the other tools of these files write it: `1` is `1.0`. */
function decimal(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value);
}
