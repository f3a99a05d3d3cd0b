/** The store's text, and its size without making it (docs/spec/craft-run.md 5.1). */
import { CONCERNS, type Concern } from "./concerns.ts";
import type { Entries, Entry } from "./entry.ts";
import { noEntries } from "./entry.ts";
import { yamlScalar } from "./plain-scalar.ts";

const HEAD = "# craft memory store\n> Machine-maintained. Edit the YAML frontmatter above, not this body.\n";

/** The whole file: the data as front matter, and a body for people that nobody reads back. */
export function storeText(entries: Entries): string {
  const data = CONCERNS.map((concern) => {
    const list = entries[concern];
    return list.length === 0 ? `${concern}: []\n` : `${concern}:\n${list.map(entryYaml).join("")}`;
  });
  const body = CONCERNS.map((concern) => {
    const list = entries[concern];
    return `\n## ${concern}\n${list.length === 0 ? "_(none)_\n" : list.map(bodyLine).join("")}`;
  });
  return `---\n${data.join("")}---\n\n${HEAD}${body.join("")}`;
}

function entryYaml({ concern, payload, confidence, provenance }: Entry): string {
  const lines = [`concern: ${concern}`];
  for (const [field, value] of Object.entries(payload)) lines.push(`${field}: ${yamlScalar(value)}`);
  lines.push(`confidence: ${confidence}`);
  const parts = Object.entries(provenance);
  lines.push(parts.length === 0 ? "provenance: {}" : "provenance:");
  for (const [field, value] of parts) lines.push(`  ${field}: ${yamlScalar(value)}`);
  return lines.map((line, index) => `${index === 0 ? "  - " : "    "}${line}\n`).join("");
}

function bodyLine({ confidence, provenance }: Entry): string {
  const { commit = "?", date = "?" } = provenance;
  return `- confidence: ${confidence} | provenance: ${oneLine(commit)} / ${oneLine(date)}\n`;
}

/** Nothing in a value may become a heading or a fence. */
const oneLine = (value: unknown) =>
  String(value).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ");

const bytes = (text: string) => new TextEncoder().encode(text).length;

/** Bytes that an entry adds to the file of its concern's others. */
export function entryBytes(entry: Entry): number {
  return bytes(entryYaml(entry)) + bytes(bodyLine(entry));
}

/** Bytes of the file without any entry of some concerns, which are `[]` and `_(none)_` then. */
export function emptyBytes(isEmpty: (concern: Concern) => boolean): number {
  const none = bytes(" []") + bytes("_(none)_\n");
  return bytes(storeText(noEntries())) - none * CONCERNS.filter((concern) => !isEmpty(concern)).length;
}
