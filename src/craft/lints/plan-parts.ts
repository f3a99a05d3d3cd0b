/** One `## Part` of a craft plan. */
export interface PlanPart {
  /** The heading without `## `. */
  heading: string;
  /** `Part 3`: the heading up to its number. */
  short: string;
  /** Required sections that are not there, in their order. */
  missing: string[];
  /** Distinct backtick spans of the Context block, in order. */
  contextSpans: string[];
}

/** Sections every part needs, in the order they are asked for (docs/spec/craft-engine.md 15, `plan-lint`). */
export const PART_SECTIONS = ["Context", "TDD steps", "Gate", "Commit"] as const;

/** The parts of a plan; a part ends at the next heading of level 1 or 2. Lines are all that counts. */
export function planParts(text: string): PlanPart[] {
  const parts: PlanPart[] = [];
  let seen = new Set<string>();
  let context: string[] | undefined;
  let part: PlanPart | undefined;
  const close = () => {
    if (part === undefined) return;
    part.missing = PART_SECTIONS.filter((section) => !seen.has(section));
    part.contextSpans = [...new Set((context ?? []).flatMap(backtickSpans))];
    parts.push(part);
    part = undefined;
  };
  let inContext = false;
  for (const raw of text.split("\n")) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line.startsWith("## ") || line.startsWith("# ")) {
      close();
      inContext = false;
      if (!line.startsWith("## Part")) continue;
      seen = new Set();
      context = undefined;
      const heading = line.slice(3).trim();
      part = {
        heading,
        short: /^Part\s+[^\s:—–-]+/.exec(heading)?.[0] ?? heading,
        missing: [],
        contextSpans: [],
      };
    } else if (part !== undefined && line.startsWith("### ")) {
      const section = PART_SECTIONS.find((name) => line.startsWith(`### ${name}`));
      if (section !== undefined) seen.add(section);
      inContext = section === "Context";
    } else if (part !== undefined && inContext) {
      context ??= [];
      context.push(line);
    }
  }
  close();
  return parts;
}

/** What stands between single backticks in a line. */
function backtickSpans(line: string): string[] {
  return [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1]!.trim()).filter((span) => span !== "");
}

const ENDINGS = [".js", ".md", ".sh", ".json", ".jsonl", ".yml", ".yaml"];

/** Whether a span reads as a path, existing or not. */
export function looksLikePath(span: string): boolean {
  if (!/^[A-Za-z0-9._/*+@-]+$/.test(span)) return false;
  return span.includes("/") || ENDINGS.some((ending) => span.endsWith(ending));
}
