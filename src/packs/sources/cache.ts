/** The cache of git checkouts (docs/spec/packs.md section 6). A directory under its final name was complete when it got it; its proof says whether it still is. */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { FileError } from "../../kernel/files/file-io.ts";
import { ensurePrivateDirectory } from "../../kernel/files/private-dir.ts";
import { chooseTempRoot } from "../../kernel/shared/choose-temp-root.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { type FetchFailure, fetchInto } from "./fetch.ts";
import { completenessOf, writeProof } from "./proof.ts";

export interface CacheBase {
  path: string;
  /** `note:` lines about where it is. */
  notes: string[];
}

/** The directory checkouts live in, made when absent; undefined when there is no usable one. */
export async function cacheBase(host: Host): Promise<CacheBase | undefined> {
  const given = host.env["CE_PACKS_CACHE_ROOT"];
  try {
    if (given) {
      const path = resolve(host.cwd, given);
      mkdirSync(path, { recursive: true });
      return { path, notes: [] };
    }
    const root = await chooseTempRoot(host, "packs");
    if (host.platform === "win32") return { path: root.path, notes: root.notes };
    const options = { uid: host.uid, platform: host.platform, repairAll: true };
    return { path: await ensurePrivateDirectory(root.path, ["ce-packs"], options), notes: root.notes };
  } catch (error) {
    if (error instanceof JigError || isSystemError(error)) return undefined;
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as { code?: unknown }).code === "string";
}

/** The name of a checkout: lower-case hex SHA-256 of url, newline, ref, as declared. */
export async function cacheKey(url: string, ref: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${url}\n${ref}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The warning when there is nowhere to keep checkouts. */
export const NO_CACHE_ROOT = "no writable cache root for git sources; source skipped";

export type Trust = "absent" | "trusted" | "untrusted";

/** Trusted: a real directory, and on POSIX ours. */
export function trustOf(path: string, uid: number | undefined): Trust {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "absent";
  return stat.isDirectory() && (uid === undefined || stat.uid === uid) ? "trusted" : "untrusted";
}

/** A checkout, or why there is none. Warnings may come with either. */
export type Checkout = { dir: string; warnings: string[] } | { dir?: never; warnings: string[] };

/** The checkout of a ref: the cached one, or a new one fetched and published under its key. */
export async function obtainCheckout(host: Host, base: string, url: string, ref: string): Promise<Checkout> {
  const dir = join(base, await cacheKey(url, ref));
  const warnings: string[] = [];
  const trust = trustOf(dir, host.uid);
  if (trust === "trusted") return renewed(host, dir, url, ref);
  if (trust === "untrusted") {
    warnings.push(`cached checkout ${dir} is a symlink or not owned by this user; refetching`);
    removeUntrusted(dir);
    if (trustOf(dir, host.uid) !== "absent") {
      warnings.push(`cannot replace untrusted cached checkout ${dir}; source skipped`);
      return { warnings };
    }
  }
  const fetched = await fetchToWork(host, dir, url, ref);
  if ("failure" in fetched) return { warnings: [...warnings, ...fetched.failure] };
  const problem = publishCheckout(fetched.work, dir, host.uid);
  return problem === undefined ? { dir, warnings } : { warnings: [...warnings, problem] };
}

/** A cached checkout as it is when it is complete, else fetched again. */
async function renewed(host: Host, dir: string, url: string, ref: string): Promise<Checkout> {
  const found = completenessOf(dir, host.uid);
  if (found === "complete") return { dir, warnings: [] };
  const lacks = found === "incomplete" ? "is incomplete" : "does not say what it should hold";
  const warnings = [`cached checkout ${dir} ${lacks}; refetching`];
  const fetched = await fetchToWork(host, dir, url, ref);
  if ("failure" in fetched) {
    warnings.push(...fetched.failure.map((text) => text.replace(SKIPPED, "")));
    // One that an earlier jig or another tool made may well be whole, and is all there is.
    const usable = found === "unproved" && trustOf(dir, host.uid) === "trusted";
    const verdict = usable ? "using it, rules may be missing" : "source skipped";
    warnings.push(`cannot renew cached checkout ${dir}; ${verdict}`);
    return usable ? { dir, warnings } : { warnings };
  }
  if (trustOf(dir, host.uid) === "trusted" && completenessOf(dir, host.uid) === "complete") {
    removeDirectory(fetched.work); // Another process was faster, and somebody may be reading its checkout.
    return { dir, warnings };
  }
  try {
    replaceCheckout(fetched.work, dir, host.uid);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return { warnings: [...warnings, `${error.message}; source skipped`] };
  }
  return { dir, warnings };
}

const SKIPPED = /; source skipped$/;

/** Fetch beside the final name. The work directory is removed unless it holds a complete checkout. */
export async function fetchToWork(
  host: Host,
  dir: string,
  url: string,
  ref: string,
): Promise<{ work: string } | { failure: string[]; reason: string }> {
  const work = `${dir}.part-${randomHex(8)}`;
  try {
    mkdirSync(work, { mode: 0o700 });
  } catch {
    return { failure: [NO_CACHE_ROOT], reason: "no writable cache root for git sources" };
  }
  let failure: FetchFailure | undefined;
  let complete = false;
  try {
    failure = await fetchInto(host, { url, ref, work });
    failure ??= proveComplete(work);
    complete = failure === undefined;
  } finally {
    if (!complete) removeDirectory(work);
  }
  return failure === undefined ? { work } : { failure: [failure.warning], reason: failure.reason };
}

/** A disk may be full for the proof alone. */
function proveComplete(work: string): FetchFailure | undefined {
  try {
    writeProof(work);
    return undefined;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { warning: `${error.message}; source skipped`, reason: error.message };
  }
}

/** Give a complete checkout its final name. Another process may have been first; then its checkout stays. */
function publishCheckout(work: string, dir: string, uid: number | undefined): string | undefined {
  try {
    renameSync(work, dir);
  } catch {
    removeDirectory(work);
  }
  const trust = trustOf(dir, uid);
  if (trust === "absent") return `could not publish the clone to ${dir}; source skipped`;
  if (trust === "trusted") return undefined;
  return `${dir} appeared during the clone and is a symlink or not owned by this user; source skipped`;
}

/**
 * Put a complete checkout under its name, in place of what is there. The old one is moved aside first, so a resolve in
 * between sees a miss and fetches for itself; whichever checkout got the name stays. Throws `JigError`, the old one back.
 */
export function replaceCheckout(work: string, dir: string, uid: number | undefined): void {
  const aside = `${dir}.part-${randomHex(8)}`;
  const moved = lstatSync(dir, { throwIfNoEntry: false }) !== undefined;
  try {
    if (moved) renameSync(dir, aside);
  } catch (error) {
    removeDirectory(work);
    throw new FileError("cannot move aside", dir, error);
  }
  const problem = publishCheckout(work, dir, uid);
  if (problem !== undefined) {
    if (moved) restore(aside, dir);
    throw new JigError(problem.replace(SKIPPED, ""));
  }
  if (moved) removeUntrusted(aside);
}

function restore(aside: string, dir: string): void {
  try {
    renameSync(aside, dir);
  } catch {
    // Something else has the name now, and that is what counts.
    removeUntrusted(aside);
  }
}

/** Remove what stands under a name: a directory without following links, a link or file by itself. */
function removeUntrusted(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) removeDirectory(path);
    else unlinkSync(path);
  } catch {
    // The caller looks again.
  }
}

/** Remove a directory and what is in it, never through a link. What resists is left; no reader takes it for a checkout. */
function removeDirectory(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Also swept by a later refresh.
  }
}

const PART = /^[0-9a-f]{64}\.part-/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Remove our work directories that a crash left more than a day ago. */
export function sweepParts(base: string, host: Pick<Host, "uid" | "now">): void {
  for (const name of readdirSync(base)) {
    if (!PART.test(name)) continue;
    const path = join(base, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || trustOf(path, host.uid) !== "trusted") continue;
    if (host.now() - stat.mtimeMs > DAY_MS) removeDirectory(path);
  }
}
