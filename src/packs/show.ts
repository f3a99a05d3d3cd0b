import { JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { nearest } from "../kernel/text/nearest.ts";
import { printable, printableBlock } from "../kernel/text/printable.ts";
import { splitFrontMatter } from "../kernel/yaml/frontmatter.ts";
import { under } from "./directory.ts";
import { problemLines } from "./list.ts";
import { type ResolvedPack, resolvePacks } from "./resolve.ts";
import { readRuleStart } from "./rule-file.ts";
import { packDetail } from "./rules.ts";
import type { PackShow } from "./schema.ts";

/** Characters shown of a README's first paragraph. */
const MAX_DESCRIPTION = 1_000;

/** `packs show ID` (docs/spec/packs.md section 9). Exit 1 when no published pack has the id. */
export async function showPack(host: Host, id: string): Promise<Outcome<PackShow>> {
  const resolution = await resolvePacks(host);
  const pack = resolution.packs.find((candidate) => candidate.id === id);
  if (pack === undefined) throw unknownPack(id, resolution.packs);
  const data = { ...(await packDetail(host, pack)), description: description(pack) };
  return { data, text: render(data), notes: problemLines(resolution) };
}

/** The error for an id that no published pack has. */
export function unknownPack(id: string, packs: readonly ResolvedPack[]): JigError {
  const ids = packs.map((pack) => pack.id);
  const meant = nearest(id, ids);
  const suggestion = meant === undefined ? "" : `; did you mean ${printable(meant)}?`;
  const published =
    ids.length === 0 ? "none is published here" : `published are ${printable(ids.join(", "))}`;
  return new JigError(`no pack '${printable(id)}'${suggestion}`, {
    hint: `${published}; jig packs list shows them and what is wrong`,
  });
}

/** The README's first paragraph that is no heading. */
function description(pack: ResolvedPack): string | null {
  if (pack.readme === undefined) return null;
  let text: string;
  try {
    text = readRuleStart(under(pack.dir, pack.readme));
  } catch {
    return null;
  }
  const body = splitFrontMatter(text)?.body ?? text;
  for (const block of body.split(/\r?\n[ \t]*\r?\n/)) {
    const lines = block.split(/\r?\n/).filter((line) => line.trim() !== "" && !/^#{1,6}\s/.test(line));
    if (lines.length > 0)
      return [...lines.map((line) => line.trim()).join("\n")].slice(0, MAX_DESCRIPTION).join("");
  }
  return null;
}

function render(pack: PackShow): string {
  const source = pack.ref === undefined ? pack.source : `${pack.source}@${pack.ref}`;
  const lines = [`id:      ${pack.id}`, `source:  ${source}`, `dir:     ${pack.dir}`];
  lines.push(`commit:  ${pack.commit ?? "-"}`);
  const blocks = [lines.map(printable).join("\n")];
  if (pack.description !== null) blocks.push(printableBlock(pack.description));
  const rules = pack.rules.flatMap((rule) => [
    `${rule.path}  ${rule.title ?? `(${rule.frontmatter_error ?? "no title"})`}`,
    ...rule.applies_when.map((item) => `    ${item}`),
  ]);
  blocks.push(rules.map(printable).join("\n"));
  return blocks.join("\n\n");
}
