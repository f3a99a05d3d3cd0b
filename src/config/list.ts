import type { Host } from "../kernel/call/host.ts";
import type { Outcome, Terminal } from "../kernel/call/outcome.ts";
import { KEYS, RETIRED_KEYS } from "../kernel/config/keys.ts";
import { readConfig } from "../kernel/config/layers.ts";
import { type Resolved, valueText } from "../kernel/config/resolve.ts";
import { cutToWidth } from "../kernel/text/display-width.ts";
import { printable } from "../kernel/text/printable.ts";
import { table } from "../kernel/text/table.ts";
import { type Layers, parsedLayers, resolve, resolvedDocsRoot } from "./get.ts";
import type { ConfigList } from "./schema.ts";

/** Columns of a value on a terminal. */
const MAX_VALUE_WIDTH = 60;

/** `config list` (docs/spec/config.md 5.3): what the files set, and `docs_root`; with `all` every known key. */
export async function listConfig(host: Host, { all }: { all: boolean }): Promise<Outcome<ConfigList>> {
  const config = await readConfig(host);
  const layers = await parsedLayers(config);
  const keys = new Set([...namedKeys(layers), "packs", ...(all ? Object.keys(KEYS) : [])]);
  keys.delete("docs_root");
  const docsRoot = resolvedDocsRoot(config, layers);
  const found = [...[...keys].map((key) => resolve(key, layers)), docsRoot];
  const data = found
    .filter((one) => all || one === docsRoot || isFromFile(one))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  // Also of what is not listed: a value that is not valid would vanish without a word.
  const warnings = new Set(found.flatMap((one) => one.warnings));
  return {
    data,
    text: (terminal) => render(data, terminal),
    notes: [...warnings].map((warning) => `warning: ${warning}`),
  };
}

/** Keys that stand in a file, retired ones left out. A broken file names none: resolving a list key reports it. */
function namedKeys(layers: Layers): string[] {
  const named = [layers.repo, layers.local].flatMap((layer) => [...(layer?.entries.keys() ?? [])]);
  return layers.repo?.syntax === undefined && layers.local?.syntax === undefined
    ? named.filter((key) => !Object.hasOwn(RETIRED_KEYS, key))
    : Object.keys(KEYS);
}

function isFromFile({ layer }: Resolved): boolean {
  return layer.startsWith("config.");
}

function render(data: ConfigList, terminal: Terminal): string {
  const rows = data.map(({ key, value, layer }) => {
    const text =
      value === null ? "" : key === "packs" ? String((value as unknown[]).length) : valueText(value);
    // Escapes first, or a cut could leave half of one.
    return [key, terminal.isTerminal ? cutToWidth(printable(text), MAX_VALUE_WIDTH) : text, layer];
  });
  return table(["KEY", "VALUE", "LAYER"], rows, terminal);
}
