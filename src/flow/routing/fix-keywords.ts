/** Words of a text that call for a verification of its own after the work (docs/spec/flow.md 11.3). */
const KEYWORDS = ["fix", "close", "patch", "vulnerability", "bug", "defect", "corrupt"] as const;

/** The keywords that stand anywhere in a text, inside other words too, in the order of the table. */
export function fixKeywordsIn(text: string): string[] {
  const lower = text.toLowerCase();
  return KEYWORDS.filter((keyword) => lower.includes(keyword));
}
