/** From a source directory to the packs an entry installs (docs/spec/packs.md sections 7 and 8). */
import type { PackEntry } from "../../kernel/config/packs-config.ts";
import { byCodePoint } from "../../kernel/text/code-point-order.ts";
import { makeScanner, type Scan, type Scanner, under } from "../directory.ts";

/** A pack that an entry installs. */
export interface PublishedPack {
  id: string;
  /** Absolute directory to list. */
  dir: string;
  /** Names of its rule files. */
  rules: string[];
  readme: string | undefined;
  /** Rule-shaped files one level down, which nobody reads. */
  nestedRuleShaped: number;
}

export interface SourceDirectory {
  /** Real path. */
  directory: string;
  /** Real path that nothing published may lead out of. */
  boundary: string;
  /** The id when the directory itself is the one pack. */
  name: string;
  /** The source as declared, for messages. */
  declared: string;
}

export interface Publication {
  packs: PublishedPack[];
  warnings: string[];
  errors: string[];
}

interface Candidate {
  id: string;
  dir: string;
  scan: Scan;
}

/** What an entry installs from its source directory; messages come without the entry's label. */
export function publish(entry: PackEntry, source: SourceDirectory): Publication {
  const scanner = makeScanner(source.boundary);
  const result: Publication = { packs: [], warnings: [], errors: [] };
  const candidates = enumerate(source, scanner, result);
  if (candidates.length === 0) {
    result.warnings.push(...emptySource(source, scanner));
    return result;
  }
  const selected = select(entry, source, candidates, result);
  for (const candidate of selected) publishOne(candidate, scanner, result);
  return result;
}

/** The packs a directory has: itself when it holds a rule, else each subdirectory that does. */
function enumerate(source: SourceDirectory, scanner: Scanner, result: Publication): Candidate[] {
  const skip = (relative: string) => {
    result.warnings.push(`skipped \`${relative}\` in \`${source.declared}\` -- it links outside the source`);
  };
  const top = scanner.scan(source.directory);
  top.outsideFiles.forEach(skip);
  if (top.rules.length > 0) return [{ id: source.name, dir: source.directory, scan: top }];
  top.outsideDirectories.forEach(skip);
  return top.directories.flatMap((name) => {
    const dir = under(source.directory, name);
    const scan = scanner.scan(dir);
    for (const file of scan.outsideFiles) skip(`${name}/${file}`);
    return scan.rules.length > 0 ? [{ id: name, dir, scan }] : [];
  });
}

function emptySource(source: SourceDirectory, scanner: Scanner): string[] {
  const warnings = [
    `source \`${source.declared}\` publishes no packs (no directories with valid knowledge files)`,
  ];
  for (const name of scanner.scan(source.directory).directories) {
    const nested = scanner.nestedRules(under(source.directory, name));
    if (nested.length === 0) continue;
    const count = nested.reduce((sum, directory) => sum + directory.count, 0);
    const places = nested.map((directory) => `\`${directory.name}/\``).join(", ");
    warnings.push(
      `pack \`${name}\` has ${count} rule-shaped file(s) under ${places} that discovery never reads -- move rules to the pack's top level (see jig packs --help)`,
    );
  }
  return warnings;
}

function select(
  entry: PackEntry,
  source: SourceDirectory,
  candidates: readonly Candidate[],
  result: Publication,
): readonly Candidate[] {
  const selected = selectIds(entry, source, candidates, result);
  const id = entry.values.id;
  if (typeof id !== "string" || selected.length === 0) return selected;
  if (selected.length > 1) {
    result.errors.push("`id:` override requires the entry to install exactly one pack");
    return [];
  }
  return [{ ...selected[0]!, id }];
}

function selectIds(
  entry: PackEntry,
  source: SourceDirectory,
  candidates: readonly Candidate[],
  result: Publication,
): readonly Candidate[] {
  const { pack } = entry.values;
  if (pack === undefined) return candidates;
  const wanted = [...new Set(Array.isArray(pack) ? pack : [String(pack)])];
  if (wanted.length === 0) {
    result.warnings.push(`\`pack:\` lists no ids; nothing installed from \`${source.declared}\``);
    return [];
  }
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const missing = wanted.filter((id) => !byId.has(id));
  if (missing.length > 0) {
    const available = [...byId.keys()].sort(byCodePoint).join(", ");
    result.errors.push(
      `pack id(s) ${missing.join(", ")} not published by \`${source.declared}\` -- available: ${available}`,
    );
    return [];
  }
  return wanted.map((id) => byId.get(id)!);
}

function publishOne({ id, dir, scan }: Candidate, scanner: Scanner, result: Publication): void {
  const escaping = scanner.escapingLinks(dir);
  if (escaping.length > 0) {
    const links = escaping.map((path) => `\`${path}\``).join(", ");
    result.errors.push(`pack \`${id}\` not published -- ${links} link(s) outside the source`);
    return;
  }
  const nestedRuleShaped = scanner.nestedRules(dir).reduce((sum, { count }) => sum + count, 0);
  result.packs.push({ id, dir, rules: scan.rules, readme: scan.readme, nestedRuleShaped });
  for (const name of scan.others) {
    const why = name.includes("\ufffd")
      ? "its name is not valid UTF-8"
      : "missing `title`/`applies_when` frontmatter";
    result.warnings.push(`skipped pack file \`${id}/${name}\` (${why})`);
  }
}
