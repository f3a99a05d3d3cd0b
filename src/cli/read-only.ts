import { walk } from "./walk.ts";

/** Every call that may be approved beforehand, by the declarations (`Catalogue.readOnly`). */
export async function readOnlyCalls(): Promise<string[]> {
  const calls: string[] = [];
  for await (const { path, target } of walk()) {
    if ("verbs" in target) continue;
    calls.push(...(target.readOnly ?? []).map((form) => [...path, form].join(" ").trimEnd()));
  }
  return calls;
}
