import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure } from "../common/fail.ts";
import { containedTarget } from "../common/repo-path.ts";
import { deliverDocument } from "../common/result.ts";
import { isOneOf } from "../common/vocabulary.ts";
import { ECOSYSTEM_FILES } from "../detect/ecosystem.ts";
import { CONCERNS, type Concern } from "./store/concerns.ts";
import { fingerprint } from "./store/digest.ts";
import { type Entry, entryRecord } from "./store/entry.ts";
import { findStore, NAME, type PlaceFlags } from "./store/place.ts";
import { readStore, type StoreRead } from "./store/read-store.ts";

export interface LoadFlags extends PlaceFlags {
  concern: readonly string[];
  recheck: boolean;
  out?: string | undefined;
}

/** What `memory load` prints; the view of a run. */
export interface MemoryView {
  entries: Partial<Record<Concern, JsonObject[]>>;
  evicted: JsonObject[];
  loadNote: string | null;
  degraded: boolean;
  path: string;
  digest: string | null;
}

/** `memory load` (docs/spec/craft-run.md 5.3). Exit 0 whatever the store is like. */
export async function load(host: Host, flags: LoadFlags): Promise<Outcome<MemoryView>> {
  const wanted = concernsOf(flags.concern);
  const place = await findStore(host, flags);
  const read = await readStore(place);
  const evicted = [...read.evicted];
  if (flags.recheck) evicted.push(...(await recheck(read, place.root)));
  const entries: MemoryView["entries"] = {};
  for (const concern of wanted) entries[concern] = read.entries[concern].map(entryRecord);
  const view: MemoryView = {
    entries,
    evicted: evicted.filter(({ concern }) => isOneOf(wanted, concern)),
    loadNote: read.loadNote,
    degraded: read.degraded,
    path: place.ref,
    digest: read.digest,
  };
  return deliverDocument(host, view, { name: NAME, out: flags.out });
}

function concernsOf(words: readonly string[]): readonly Concern[] {
  const unknown = words.find((word) => !isOneOf(CONCERNS, word));
  if (unknown !== undefined) {
    throw failure(NAME, `unknown concern: ${printable(unknown)} (expected one of ${CONCERNS.join(", ")})`);
  }
  return words.length === 0 ? CONCERNS : CONCERNS.filter((concern) => words.includes(concern));
}

/** Takes out findings of files that are gone, and toolchains whose lock file is another one now. */
async function recheck({ entries }: StoreRead, root: string): Promise<JsonObject[]> {
  const lockFiles = await lockFileFingerprints(root);
  const evicted: JsonObject[] = [];
  const keep = (concern: Concern, holds: (entry: Entry) => boolean) => {
    evicted.push(...entries[concern].filter((entry) => !holds(entry)).map(entryRecord));
    entries[concern] = entries[concern].filter(holds);
  };
  keep("findings", ({ payload }) => {
    const path = containedTarget(root, String(payload["file"]));
    return path !== undefined && lookAt(path) !== undefined;
  });
  keep("toolchain", ({ payload }) => lockFiles.has(String(payload["lockfileFingerprint"])));
  return evicted;
}

const MAX_LOCK_FILE_BYTES = 64 << 20;

/** Files that pin what a repository depends on, beside those an ecosystem is told by. */
const OTHER_LOCK_FILES = [
  "Cargo.lock",
  "go.sum",
  "npm-shrinkwrap.json",
  "Pipfile.lock",
  "pdm.lock",
  "deno.lock",
];

async function lockFileFingerprints(root: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const name of [...ECOSYSTEM_FILES.map(([file]) => file), ...OTHER_LOCK_FILES]) {
    const path = containedTarget(root, name);
    if (path === undefined) continue;
    try {
      found.add(await fingerprint(readOwnedFile(path, { uid: undefined, maxBytes: MAX_LOCK_FILE_BYTES })));
    } catch (error) {
      // Most of them are not there.
      if (!(error instanceof Refused)) throw error;
    }
  }
  return found;
}
