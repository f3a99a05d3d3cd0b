import type { Catalogue } from "../kernel/call/host.ts";
import { dropInNames } from "./names/names.ts";
import { walk } from "./walk.ts";

/** What this program offers, by the declarations of its rooms (`Host.catalogue`). */
export const catalogue: Catalogue = { dropInNames, readOnlyCalls };

async function readOnlyCalls(): Promise<string[]> {
  const calls: string[] = [];
  for await (const { path, target } of walk()) {
    if ("verbs" in target) continue;
    calls.push(...(target.readOnly ?? []).map((form) => [...path, form].join(" ").trimEnd()));
  }
  return calls;
}
