import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Checkout } from "./cache.ts";
import type { GitSource } from "./source.ts";

/** The checkouts of one resolution: each source and ref is looked for once, however many entries declare it. */
export interface Checkouts {
  /** Never throws for a source that cannot be had: that is a warning. */
  get(source: GitSource): Promise<Checkout>;
  /** Look again at the next `get`. */
  forget(source: GitSource): void;
  /** `note:` lines about where the cache is. */
  notes(): string[];
}

/** With `never` only what is cached already is found, without a word about the rest. */
export function makeCheckouts(
  host: Host,
  git: "available" | "missing",
  fetch: "missing" | "never",
): Checkouts {
  const found = new Map<string, Promise<Checkout>>();
  const notes: string[] = [];
  // Nothing of the cache, nor of hashing, is loaded while there are path sources only.
  const module = () => import("./cache.ts");
  let base: Promise<string | undefined> | undefined;

  return { get, forget: (source) => void found.delete(keyOf(source)), notes: () => notes };

  function get(source: GitSource): Promise<Checkout> {
    const key = keyOf(source);
    let checkout = found.get(key);
    if (checkout === undefined) {
      checkout = find(source);
      found.set(key, checkout);
    }
    return checkout.then((result) => advised(source, result));
  }

  async function find({ url, ref }: GitSource): Promise<Checkout> {
    if (git === "missing") return { warnings: ["git binary not found; source skipped"] };
    const { cacheKey, NO_CACHE_ROOT, obtainCheckout, trustOf } = await module();
    base ??= chooseBase();
    const path = await base;
    if (path === undefined) return { warnings: [NO_CACHE_ROOT] };
    if (fetch === "missing") return obtainCheckout(host, path, url, ref);
    const dir = join(path, await cacheKey(url, ref));
    return trustOf(dir, host.uid) === "trusted" ? { dir, warnings: [] } : { warnings: [] };
  }

  async function chooseBase(): Promise<string | undefined> {
    const { cacheBase } = await module();
    const chosen = await cacheBase(host);
    notes.push(...(chosen?.notes ?? []));
    return chosen?.path;
  }
}

/** A tree URL that could not be fetched may have been split in the wrong place. */
function advised(source: GitSource, checkout: Checkout): Checkout {
  const failed = checkout.warnings.some((warning) => warning.startsWith("cannot fetch "));
  if (!source.fromTree || !failed) return checkout;
  const advice =
    "if the branch name contains `/`, tree-URL parsing splits it wrong -- use explicit `ref:` and `path:` fields";
  return { ...checkout, warnings: [...checkout.warnings, advice] };
}

function keyOf({ url, ref }: GitSource): string {
  return `${url}\n${ref}`;
}
