import type { Host } from "../../kernel/call/host.ts";

/** Sentences as whole lines for stderr (docs/spec/flow.md 1.2). */
export function noted({ prefix }: Pick<Host, "prefix">, notes: readonly string[]): string[] {
  return notes.map((note) => prefix + note);
}
