import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { writeFileAtomic } from "../../../kernel/files/atomic.ts";
import { LockTimeout, withKernelLock } from "../../../kernel/files/lock.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { isoSeconds, parseIsoSeconds } from "../../../kernel/text/time.ts";
import { failure, reasonOf } from "../../common/fail.ts";
import { documentOutcome } from "../../common/result.ts";
import type { Dropped, MemorySave } from "../schema.ts";
import type { Entries, Provenance } from "../store/entry.ts";
import { findStore, lockPath, NAME, type PlaceFlags, type StorePlace } from "../store/place.ts";
import { readStore } from "../store/read-store.ts";
import { storeText } from "../store/write-store.ts";
import { evictOverCap } from "./cap.ts";
import { guardDelta, readDelta, readView } from "./delta.ts";
import { deltaFromLedger } from "./from-ledger.ts";
import { mergeRun, type Observation } from "./merge.ts";

export interface SaveFlags extends PlaceFlags {
  delta?: string | undefined;
  ledger?: string | undefined;
  view?: string | undefined;
  run?: string | undefined;
  commit?: string | undefined;
  date?: string | undefined;
  "max-entries"?: number | undefined;
  "max-bytes"?: number | undefined;
}

const DEFAULT_MAX_ENTRIES = 1_000;
export const LOCK_WAIT_MS = 10_000;

/** `memory save` (docs/spec/craft-run.md 5.4). Exit 0 whether it was written or not. */
export async function save(host: Host, flags: SaveFlags): Promise<Outcome<MemorySave>> {
  checkFlags(flags);
  const { delta, ledger } = flags;
  if (delta === undefined && ledger === undefined)
    throw failure(NAME, "needs --delta FILE or --ledger RUN-ID");
  const items = delta === undefined ? [] : await readDelta(host, delta);
  const derived = ledger === undefined ? { items: [], notes: [] } : await deltaFromLedger(host, ledger);
  const view = flags.view === undefined ? undefined : await readView(host, flags.view);
  const place = await findStore(host, flags);
  const { observations, dropped } = guardDelta([...items, ...derived.items], {
    root: place.root,
    home: host.home,
  });
  const run: RunOfSave = {
    observations,
    view: view?.entries,
    provenance: await provenanceOf(host, flags, place.root),
    caps: {
      maxEntries: flags["max-entries"] ?? DEFAULT_MAX_ENTRIES,
      maxBytes: flags["max-bytes"] ?? Infinity,
    },
  };
  const report = view?.degraded ? skipped("load was degraded") : await saveUnderLock(host, place, run);
  return documentOutcome({ ...report, dropped }, derived.notes);
}

interface RunOfSave {
  observations: readonly Observation[];
  /** The store when the run began; what it is now without. */
  view: Entries | undefined;
  provenance: Provenance;
  caps: { maxEntries: number; maxBytes: number };
}

type Report = Omit<MemorySave, "dropped"> & { dropped?: Dropped[] };

const NOTHING = { added: 0, refreshed: 0, decayed: 0, retracted: 0, evicted: 0 };

const skipped = (why: string): Report => ({ written: false, writeNote: `save skipped: ${why}`, ...NOTHING });
const failed = (why: string): Report => ({ written: false, writeNote: `save failed: ${why}`, ...NOTHING });

async function saveUnderLock(host: Host, place: StorePlace, run: RunOfSave): Promise<Report> {
  if (place.custom) return skipped("load was degraded");
  if (place.path() === undefined) return skipped("store path outside repo");
  let lock: string;
  try {
    lock = await lockPath(host, place.root);
  } catch (error) {
    return failed(reasonOf(error));
  }
  try {
    return await withKernelLock(lock, () => readMergeWrite(place, run), { timeoutMs: LOCK_WAIT_MS });
  } catch (error) {
    if (error instanceof LockTimeout && error.path === lock) return skipped("store is busy");
    return failed(reasonOf(error));
  }
}

async function readMergeWrite(place: StorePlace, run: RunOfSave): Promise<Report> {
  const now = await readStore(place);
  if (now.degraded) {
    return skipped(now.loadNote === "store path outside repo" ? now.loadNote : "load was degraded");
  }
  const { entries, ...counts } = mergeRun(
    now.entries,
    run.view ?? now.entries,
    run.observations,
    run.provenance,
  );
  counts.evicted += evictOverCap(entries, run.caps);
  const problem = writeStore(place, entries);
  return problem === undefined ? { written: true, writeNote: null, ...counts } : problem;
}

/** One atomic replacement; undefined when it is done. */
function writeStore(place: StorePlace, entries: Entries): Report | undefined {
  // Looked at again: a link may stand there now.
  const path = place.path();
  if (path === undefined) return skipped("store path outside repo");
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (place.path() === undefined) return skipped("store path outside repo");
    writeFileAtomic(path, storeText(entries), { keepMode: true });
    return undefined;
  } catch (error) {
    return failed(reasonOf(error));
  }
}

/** Replace a store's content under its lock. Throws (exit 1) when it cannot be. */
export function replaceStore(place: StorePlace, entries: Entries): void {
  const problem = writeStore(place, entries);
  if (problem !== undefined) throw failure(NAME, problem.writeNote!, 1);
}

async function provenanceOf(host: Host, flags: SaveFlags, root: string): Promise<Provenance> {
  return {
    run: flags.run ?? flags.ledger ?? "unknown",
    commit: flags.commit ?? (await headCommit(host, root)) ?? "unknown",
    date: flags.date ?? isoSeconds(host.now()).slice(0, 10),
  };
}

async function headCommit(host: Host, root: string): Promise<string | undefined> {
  const { git, gitText, GitError } = await import("../../../kernel/repository/git.ts");
  try {
    const result = await git(host, ["rev-parse", "--short", "--verify", "--quiet", "HEAD"], { cwd: root });
    return result.exitCode === 0 ? gitText(result) : undefined;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** Provenance is committed, so it is only what its fields are for. */
function checkFlags({ run, commit, date }: SaveFlags): void {
  const check = (flag: string, value: string | undefined, form: RegExp, what: string) => {
    if (value === undefined || form.test(value)) return;
    throw failure(NAME, `invalid --${flag}: ${printable(value.slice(0, 200))} (expected ${what})`);
  };
  check("run", run, /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/, "a run-id");
  check("commit", commit, /^(?:[0-9a-f]{4,64}|unknown)$/, "a commit, in hex");
  check("date", date, /^\d{4}-\d\d-\d\d$/, "YYYY-MM-DD");
  if (date !== undefined && parseIsoSeconds(`${date}T00:00:00Z`) === undefined) {
    throw failure(NAME, `invalid --date: ${date} is no day of the calendar`);
  }
}
