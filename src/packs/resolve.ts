/** The declarations of both config files turned into directories (docs/spec/packs.md sections 3, 5, 6 and 8). */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { errorCode, JigError, osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import { readConfig } from "../kernel/config/layers.ts";
import { maskPasswords, type PackEntry, shapeProblem } from "../kernel/config/packs-config.ts";
import { absoluteFrom, isInside, resolveReal } from "../kernel/files/contain.ts";
import { isInGitDirectory } from "../kernel/repository/repository.ts";
import { type Declarations, readDeclarations } from "./declarations.ts";
import { expandHome } from "./home.ts";
import { type Checkouts, makeCheckouts } from "./sources/checkouts.ts";
import { type PublishedPack, publish, type SourceDirectory } from "./sources/publish.ts";
import { classifySource, type GitSource, gitSourceName, type PathSource } from "./sources/source.ts";

/** A published pack with where it came from. */
export interface ResolvedPack extends PublishedPack {
  entry: PackEntry;
  /** Set for a git source; the url has no tree part. */
  git: { url: string; ref: string; checkout: string } | undefined;
}

export interface Resolution {
  packs: ResolvedPack[];
  /** Whole messages, passwords masked, in the order in which they arose. */
  warnings: string[];
  errors: string[];
  /** Parsed entries, broken ones included. */
  entries: number;
  /** `note:` lines for stderr. */
  notes: string[];
}

/** Entries resolved side by side: a hanging remote holds up its own entry alone. */
const PARALLEL_ENTRIES = 4;

/** Resolve what the working directory's repository declares; outside one there is a warning and nothing else. */
export async function resolvePacks(host: Host): Promise<Resolution> {
  const declarations = readDeclarations(await readConfig(host));
  if (declarations.root === undefined) {
    return { packs: [], warnings: [declarations.outside], errors: [], entries: 0, notes: [] };
  }
  return resolveDeclarations(host, declarations, "missing");
}

/**
 * Resolve every entry; what is wrong with one is a message and leaves the others alone. `fetch` says whether sources
 * that are not cached are fetched, or left out without a word.
 */
export async function resolveDeclarations(
  host: Host,
  declarations: Declarations,
  fetch: "missing" | "never",
): Promise<Resolution> {
  const checkouts = makeCheckouts(host, declarations.git, fetch);
  const results = await mapSome(declarations.entries, (entry) =>
    resolveEntry({ host, declarations, checkouts }, entry),
  );
  const { packs, errors } = withoutDuplicates(results.flatMap((result) => result.packs));
  return {
    packs,
    warnings: [...declarations.warnings, ...results.flatMap((result) => result.warnings)].map(maskPasswords),
    errors: [...declarations.errors, ...results.flatMap((result) => result.errors), ...errors].map(
      maskPasswords,
    ),
    entries: declarations.entries.length,
    notes: checkouts.notes(),
  };
}

interface EntryResult {
  packs: ResolvedPack[];
  warnings: string[];
  errors: string[];
}

interface Context {
  host: Host;
  declarations: Declarations;
  checkouts: Checkouts;
}

async function resolveEntry(context: Context, entry: PackEntry): Promise<EntryResult> {
  const label = (message: string) => `${entry.file}:${entry.line}: ${message}`;
  const result: EntryResult = { packs: [], warnings: [], errors: [] };
  try {
    await installEntry(context, entry, result);
  } catch (error) {
    if (error instanceof JigError && error.exitCode >= 128) throw error;
    result.errors.push(`unexpected error resolving entry: ${osReason(error)}`);
  }
  return { ...result, warnings: result.warnings.map(label), errors: result.errors.map(label) };
}

/** Fills the result, so that what was found before an unexpected error is kept. */
async function installEntry(context: Context, entry: PackEntry, result: EntryResult): Promise<void> {
  const shape = shapeProblem(entry);
  if (shape !== undefined) result.errors.push(shape.message);
  if (shape !== undefined || entry.unusable) return;
  const source = classifySource(entry);
  if (source.kind === "refused") result.errors.push(source.error);
  else if (source.kind === "git") await installFromGit(context, entry, source, result);
  else install(entry, pathDirectory(context, source), undefined, result);
}

function install(
  entry: PackEntry,
  found: SourceDirectory | { error: string },
  git: ResolvedPack["git"],
  result: EntryResult,
): void {
  if ("error" in found) {
    result.errors.push(found.error);
    return;
  }
  const published = publish(entry, found);
  result.packs.push(...published.packs.map((pack) => ({ ...pack, entry, git })));
  result.warnings.push(...published.warnings);
  result.errors.push(...published.errors);
}

/** How often a checkout that is exchanged while it is read is read again. */
const MOST_READS = 5;

async function installFromGit(
  context: Context,
  entry: PackEntry,
  source: GitSource,
  result: EntryResult,
): Promise<void> {
  const { url, ref } = source;
  for (let read = 1; read <= MOST_READS; read++) {
    const { dir, warnings } = await context.checkouts.get(source);
    if (dir === undefined) {
      result.warnings.push(...warnings);
      return;
    }
    const identity = identityOf(dir);
    const found: EntryResult = { packs: [], warnings: [...warnings], errors: [] };
    if (identity !== undefined) {
      const checkout = realpathSync.native(dir);
      install(entry, directoryInCheckout(source, checkout), { url, ref, checkout }, found);
      if (identityOf(dir) === identity) {
        Object.assign(result, found);
        return;
      }
    }
    // A refresh put another checkout in its place meanwhile: half of what was read may be of either.
    context.checkouts.forget(source);
  }
  throw new Error(`the checkout of ${url}@${ref} was exchanged again and again`);
}

function identityOf(path: string): bigint | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

function directoryInCheckout(source: GitSource, checkout: string): SourceDirectory | { error: string } {
  const { declared, path, url, ref } = source;
  const name = gitSourceName(source);
  if (path === undefined) return { directory: checkout, boundary: checkout, name, declared };
  const directory = isAbsolute(path) ? undefined : resolveReal(absoluteFrom(checkout, path));
  if (directory === undefined || !isInside(checkout, directory)) {
    return { error: `path \`${path}\` escapes the source checkout` };
  }
  if (!leadsToDirectory(directory)) return { error: `path \`${path}\` does not exist in ${url}@${ref}` };
  return { directory, boundary: checkout, name, declared };
}

function pathDirectory(
  { host, declarations }: Context,
  { declared }: PathSource,
): SourceDirectory | { error: string } {
  const { root } = declarations;
  const expanded = expandHome(declared, host);
  const absolute = isAbsolute(expanded);
  let directory: string;
  try {
    directory = resolveReal(absoluteFrom(root, expanded));
  } catch (error) {
    return { error: `source directory \`${declared}\` cannot be looked at: ${osReason(error)}` };
  }
  if (!absolute && (!isInside(root, directory) || isInGitDirectory(root, directory))) {
    return { error: `repo-relative source \`${declared}\` resolves outside the repository` };
  }
  if (!leadsToDirectory(directory)) return { error: `source directory \`${declared}\` does not exist` };
  return { directory, boundary: absolute ? directory : root, name: basename(directory), declared };
}

/** As the kernel's `isDirectory`, but a system that refuses to look is an error: it is reported. */
function leadsToDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

/** Of packs with one id the first declared stays, so a personal entry cannot displace the team's. */
function withoutDuplicates(all: readonly ResolvedPack[]): { packs: ResolvedPack[]; errors: string[] } {
  const kept = new Map<string, ResolvedPack>();
  const errors: string[] = [];
  for (const pack of all) {
    const first = kept.get(pack.id);
    if (first === undefined) {
      kept.set(pack.id, pack);
      continue;
    }
    const label = ({ entry }: ResolvedPack) => `${entry.file}:${entry.line}`;
    errors.push(
      `duplicate pack id \`${pack.id}\`: ${label(pack)} ignored, ${label(first)} kept -- rename one with \`id:\``,
    );
  }
  return { packs: [...kept.values()], errors };
}

/** Map in order, a few at a time. */
async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await map(items[index]!);
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL_ENTRIES }, worker));
  // Only an interruption gets here; every worker has cleaned up after itself by now.
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return results;
}
