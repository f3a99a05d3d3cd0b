import { join } from "node:path";
import { EXIT, JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { readConfig } from "../kernel/config/layers.ts";
import { maskPasswords, type PackEntry, shapeProblem } from "../kernel/config/packs-config.ts";
import { printable } from "../kernel/text/printable.ts";
import { readDeclarations } from "./declarations.ts";
import { type Resolution, resolveDeclarations } from "./resolve.ts";
import type { PacksRefresh } from "./schema.ts";
import { unknownPack } from "./show.ts";
import { cacheBase, cacheKey, fetchToWork, replaceCheckout, sweepParts, trustOf } from "./sources/cache.ts";
import { checkedOutCommit } from "./sources/fetch.ts";
import { classifySource, type GitSource, gitSourceName } from "./sources/source.ts";

type Refreshed = PacksRefresh[number];

/**
 * `packs refresh [ID…]` (docs/spec/packs.md section 10): fetch git sources anew and put them under the same key; the old
 * checkout stays when that fails. Exit 1 when a source failed, or, with nothing fetched, for an id that no git source
 * publishes.
 */
export async function refreshPacks(host: Host, ids: readonly string[]): Promise<Outcome<PacksRefresh>> {
  const declarations = readDeclarations(await readConfig(host));
  if (declarations.root === undefined) throw new JigError(declarations.outside);
  const current = await resolveDeclarations(host, declarations, "never");
  const published = current.packs.filter((pack) => pack.git !== undefined);
  for (const id of ids) {
    if (!published.some((pack) => pack.id === id)) throw notRefreshable(id, current);
  }
  const sources = gitSources(declarations.entries, current);
  const wanted = ids.length === 0 ? sources : sources.filter((one) => one.ids.some((id) => ids.includes(id)));
  const notes = [
    ...current.notes,
    ...current.errors.map((message) => `Pack config error: ${printable(message)}`),
  ];
  if (wanted.length === 0) return { data: [], text: "", notes: [...notes, "No git sources declared"] };
  const base = await cacheBase(host);
  if (base === undefined) {
    throw new JigError("no writable cache root for git sources", {
      hint: "let CE_PACKS_CACHE_ROOT name a directory you can write to",
    });
  }
  const data: Refreshed[] = [];
  for (const one of wanted) data.push(await refreshOne(host, base.path, one));
  sweepParts(base.path, host);
  const failed = data.some(({ status }) => status === "failed");
  return { data, text: data.map(line).join("\n"), exitCode: failed ? EXIT.failed : EXIT.done, notes };
}

function notRefreshable(id: string, current: Resolution): JigError {
  const local = current.packs.find((pack) => pack.id === id);
  if (local === undefined) return unknownPack(id, current.packs);
  return new JigError(`pack '${printable(id)}' comes from a path source, which is read live`, {
    hint: "only git sources have anything to refresh",
  });
}

interface Declared {
  source: GitSource;
  ids: string[];
}

/** The git sources, each url and ref once, with the ids their cached checkouts publish. */
function gitSources(entries: readonly PackEntry[], current: Resolution): Declared[] {
  const found = new Map<string, Declared>();
  for (const entry of entries) {
    if (entry.unusable || shapeProblem(entry) !== undefined) continue;
    const source = classifySource(entry);
    if (source.kind !== "git") continue;
    const key = `${source.url}\n${source.ref}`;
    const ids = current.packs.filter((pack) => pack.entry === entry).map((pack) => pack.id);
    const known = found.get(key);
    if (known === undefined) found.set(key, { source, ids });
    else known.ids.push(...ids);
  }
  return [...found.values()];
}

async function refreshOne(host: Host, base: string, { source, ids }: Declared): Promise<Refreshed> {
  const { url, ref } = source;
  const dir = join(base, await cacheKey(url, ref));
  const cached = trustOf(dir, host.uid) === "trusted";
  const old = cached ? await checkedOutCommit(host, dir) : null;
  const report = (status: Refreshed["status"], commit: string | null, reason: string | null): Refreshed => ({
    ids: ids.length > 0 ? ids : [gitSourceName(source)],
    source: maskPasswords(source.declared),
    url: maskPasswords(url),
    ref,
    status,
    old,
    new: commit,
    reason,
  });
  const fetched = await fetchToWork(host, dir, url, ref);
  if ("failure" in fetched) return report("failed", null, fetched.reason);
  const commit = await checkedOutCommit(host, fetched.work);
  try {
    replaceCheckout(fetched.work, dir, host.uid);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return report("failed", null, error.message);
  }
  return report(cached && old === commit ? "unchanged" : "updated", commit, null);
}

function line({ ids, status, old, new: commit, reason }: Refreshed): string {
  const what =
    status === "failed"
      ? `failed: ${reason}`
      : status === "unchanged"
        ? "unchanged"
        : `${old ?? "none"} -> ${commit ?? "unknown"}`;
  return printable(`${ids.join(",")}  ${what}`);
}
