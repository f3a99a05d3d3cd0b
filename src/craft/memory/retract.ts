import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { LockTimeout, withKernelLock } from "../../kernel/files/lock.ts";
import { hasControlCharacter, printable } from "../../kernel/text/printable.ts";
import { failure, failureLines } from "../common/fail.ts";
import { isOneOf } from "../common/vocabulary.ts";
import { LOCK_WAIT_MS, replaceStore } from "./save/save.ts";
import type { MemoryRetract } from "./schema.ts";
import { CONCERNS, type Concern, keyOf, payloadOfKey } from "./store/concerns.ts";
import { findStore, lockPath, NAME, type PlaceFlags } from "./store/place.ts";
import { readStore } from "./store/read-store.ts";

export interface RetractFlags extends PlaceFlags {
  run?: string | undefined;
  phase?: string | undefined;
  apply: boolean;
}

/** `memory retract` (docs/spec/craft-run.md 5.6): noted in the ledger, or taken out at once. */
export async function retract(
  host: Host,
  words: readonly string[],
  flags: RetractFlags,
): Promise<Outcome<MemoryRetract>> {
  const [concern = "", key = ""] = words;
  if (!isOneOf(CONCERNS, concern)) {
    throw failure(NAME, `unknown concern: ${printable(concern)} (expected one of ${CONCERNS.join(", ")})`);
  }
  const payload = hasControlCharacter(key) ? undefined : payloadOfKey(concern, key);
  if (payload === undefined) {
    const form = concern === "findings" ? "FILE PATTERN" : "a key";
    throw failure(NAME, `no merge key of ${concern}: '${printable(key)}' (expected ${form}, on one line)`);
  }
  const wanted = keyOf(concern, payload);
  if (flags.apply) {
    if (flags.run !== undefined || flags.phase !== undefined) {
      throw failure(NAME, "--apply removes the entry now, --run and --phase at the run's save; give one");
    }
    return apply(host, flags, concern, key, wanted);
  }
  const { run, phase } = flags;
  if (run === undefined || phase === undefined)
    throw failure(NAME, "needs --run RUN-ID and --phase P, or --apply");
  const record = `MEMORY-RETRACT(${concern}): ${key.trim()}`;
  const place = await findStore(host, flags);
  const appended = await host.run(["craft", "ledger", "append", `--line=${record}`, "--", run, phase]);
  const said = appended.stderr.split("\n").filter((line) => line !== "");
  if (appended.exitCode !== 0) throw failureLines(said, appended.exitCode);
  const { entries } = await readStore(place);
  const stored = entries[concern].some((entry) => keyOf(concern, entry.payload) === wanted);
  if (!stored) said.push(`${NAME}: no stored entry of ${concern} has that key`);
  return { data: { concern, key: key.trim(), stored, applied: false }, text: "", notes: said };
}

async function apply(
  host: Host,
  flags: PlaceFlags,
  concern: Concern,
  key: string,
  wanted: string,
): Promise<Outcome<MemoryRetract>> {
  const place = await findStore(host, flags);
  const lock = await lockPath(host, place.root);
  try {
    return await withKernelLock(
      lock,
      async () => {
        const { entries, degraded, loadNote } = await readStore(place);
        if (degraded) throw failure(NAME, `refusing to change a store that was not read: ${loadNote}`, 1);
        const left = entries[concern].filter((entry) => keyOf(concern, entry.payload) !== wanted);
        const stored = left.length < entries[concern].length;
        if (stored) replaceStore(place, { ...entries, [concern]: left });
        const text = stored ? "retracted" : "no such entry";
        return { data: { concern, key: key.trim(), stored, applied: stored }, text };
      },
      { timeoutMs: LOCK_WAIT_MS },
    );
  } catch (error) {
    if (error instanceof LockTimeout && error.path === lock) throw failure(NAME, "store is busy", 1);
    throw error;
  }
}
