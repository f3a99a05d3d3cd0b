import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { printable } from "../kernel/text/printable.ts";
import { table } from "../kernel/text/table.ts";
import { type Resolution, resolvePacks } from "./resolve.ts";
import { packDetail } from "./rules.ts";
import type { PackDetail, PacksList } from "./schema.ts";

/** `packs list` (docs/spec/packs.md section 9): the packs a skill would get here, and what is wrong with the others. */
export async function listPacks(host: Host): Promise<Outcome<PacksList>> {
  const resolution = await resolvePacks(host);
  const roots: PackDetail[] = [];
  for (const pack of resolution.packs) roots.push(await packDetail(host, pack));
  const { warnings, errors, entries } = resolution;
  return {
    data: { roots, warnings, errors, entries },
    text: (terminal) =>
      table(["ID", "RULES", "NESTED", "SOURCE", "DIR"], roots.map(row), terminal, { alignRight: [1, 2] }),
    notes: problemLines(resolution),
  };
}

function row({ id, rules, nested_rule_shaped, source, ref, dir }: PackDetail): string[] {
  return [
    id,
    String(rules.length),
    String(nested_rule_shaped),
    ref === undefined ? source : `${source}@${ref}`,
    dir,
  ];
}

/** What is wrong, a line each for stderr. */
export function problemLines({ warnings, errors, entries, notes }: Resolution): string[] {
  const nothing = entries === 0 && errors.length === 0 ? ["No packs declared"] : [];
  return [
    ...notes,
    ...warnings.map((message) => `Pack warning: ${printable(message)}`),
    ...errors.map((message) => `Pack config error: ${printable(message)}`),
    ...nothing,
  ];
}
