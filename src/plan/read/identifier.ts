/** IDs of a plan: kind, decimal number, optional lower-case letter (docs/spec/plan.md section 1). */

export const KINDS = ["R", "A", "F", "AE", "KTD", "U"] as const;
export type Kind = (typeof KINDS)[number];

/** The section that owns the definitions of each kind, by how its name begins (section 3.5). */
export const OWNERS: Readonly<Record<Kind, string>> = {
  R: "Requirements",
  A: "Actors",
  F: "Key Flows",
  AE: "Acceptance Examples",
  KTD: "Key Technical Decisions",
  U: "Implementation Units",
};

/** An ID at a place in a text. */
export interface Mention {
  /** Without a hyphen: `KTD6` also where the text says `KTD-6`. */
  id: string;
  kind: Kind;
  start: number;
  end: number;
  hyphenated: boolean;
}

const ID = "(KTD|AE|[RAFU])(-?)([0-9]+)([a-z]?)";
const AT = new RegExp(`${ID}(?![A-Za-z0-9_])`, "y");
const ANYWHERE = new RegExp(`(?<![A-Za-z0-9_/.#&])${ID}(?![A-Za-z0-9_]|\\.[0-9])`, "g");

/** The ID that begins exactly at an offset. */
export function identifierAt(text: string, offset: number): Mention | undefined {
  AT.lastIndex = offset;
  const match = AT.exec(text);
  return match === null ? undefined : mention(match, offset);
}

/** Every ID in a text, in order. A hyphen counts only where no everyday word looks like that (`F-16`). */
export function mentions(text: string): Mention[] {
  return [...text.matchAll(ANYWHERE)]
    .map((match) => mention(match, match.index))
    .filter((found) => !found.hyphenated || found.kind === "KTD" || found.kind === "AE");
}

function mention(match: RegExpExecArray, start: number): Mention {
  const kind = match[1] as Kind;
  return {
    id: `${kind}${match[3]}${match[4]}`,
    kind,
    start,
    end: start + match[0].length,
    hyphenated: match[2] === "-",
  };
}

/** The ID an HTML anchor stands for: `r3` and `ae-1a` give `R3` and `AE1a`. */
export function identifierOfAnchor(anchor: string): { id: string; kind: Kind } | undefined {
  const match = /^(ktd|ae|[rafu])-?([0-9]+)([a-z]?)$/.exec(anchor);
  if (match === null) return undefined;
  const kind = match[1]!.toUpperCase() as Kind;
  return { id: `${kind}${match[2]}${match[3]}`, kind };
}

/** The anchors that name an ID. */
export function anchorsOf(id: string): [string, string] {
  const match = /^([A-Z]+)(.*)$/.exec(id)!;
  return [id.toLowerCase(), `${match[1]!.toLowerCase()}-${match[2]}`];
}
