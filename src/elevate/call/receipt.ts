import { byCodePoint } from "../../kernel/text/code-point-order.ts";

/** Which model answered, by the provider's own account (docs/spec/elevate.md 4.3). */
export interface Receipt {
  /** A model id, or `unverified`. */
  served: string;
  receipt: "matched" | "mismatch" | "unverified";
}

const FAMILY_PREFIXES: ReadonlyMap<string, string> = new Map(
  ["fable", "opus", "sonnet", "haiku"].map((family) => [family, `claude-${family}-`]),
);

/** What the id of a requested model begins with; undefined when nothing is known about it. */
export function expectedPrefix(requested: string): string | undefined {
  return FAMILY_PREFIXES.get(requested) ?? (requested.startsWith("claude-") ? requested : undefined);
}

/** Judge the keys of an event's `modelUsage`; auxiliary models appear among them. */
export function readReceipt(requested: string, usageKeys: readonly string[]): Receipt {
  const sorted = [...usageKeys].sort(byCodePoint);
  const prefix = expectedPrefix(requested);
  const expected = prefix === undefined ? undefined : sorted.find((key) => key.startsWith(prefix));
  const served = expected ?? sorted[0];
  if (served === undefined) return { served: "unverified", receipt: "unverified" };
  if (prefix === undefined) return { served, receipt: "unverified" };
  return { served, receipt: served.startsWith(prefix) ? "matched" : "mismatch" };
}

/** Whether two names mean the same model: equal, or a family on one side and an id of that family on the other. */
export function isSameModel(a: string, b: string): boolean {
  const names = (family: string, id: string) => {
    const prefix = FAMILY_PREFIXES.get(family);
    return prefix !== undefined && id.startsWith(prefix);
  };
  return a === b || names(a, b) || names(b, a);
}
