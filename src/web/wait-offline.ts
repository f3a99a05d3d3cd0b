import { EXIT, JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import { withKernelLock } from "../kernel/files/lock.ts";
import type { NotesFile, StoredNote } from "./schema.ts";
import { isUndelivered, recordOf } from "./server/notes/notes.ts";
import { readNotes, writeNotes } from "./state/notes-file.ts";
import { findServer } from "./state/ownership.ts";
import type { Paths } from "./state/state-files.ts";
import { LOCK_MS } from "./stop.ts";

/**
 * Deliver the notes a server left behind, when none runs (docs/spec/web.md 11.3). `print` writes them and gives an exit code
 * when it cannot; only then do they stay undelivered. Undefined when there are none.
 */
export async function deliverStored(
  host: Host,
  paths: Paths,
  print: (batch: string) => number | undefined,
): Promise<number | undefined> {
  // Nothing is made where nothing is stored, not even the lock.
  if (undelivered(host, paths) === undefined) return undefined;
  return withKernelLock(paths.lock, () => deliver(host, paths, print), { timeoutMs: LOCK_MS });
}

async function deliver(
  host: Host,
  paths: Paths,
  print: (batch: string) => number | undefined,
): Promise<number | undefined> {
  if ((await findServer(paths, host)) !== undefined) {
    throw new JigError("a server was started meanwhile", { exitCode: EXIT.usage, hint: "run wait again" });
  }
  const found = undelivered(host, paths);
  if (found === undefined) return undefined;
  const failed = print(JSON.stringify(found.batch.map((note) => recordOf(note).record)));
  if (failed !== undefined) return failed;
  const at = new Date(host.now()).toISOString();
  const records = found.file.records.map((note) =>
    found.batch.includes(note) ? { ...note, state: "working" as const, delivered_at: at } : note,
  );
  try {
    writeNotes(paths.state, { ...found.file, records });
  } catch (error) {
    // They were printed; they will come again.
    host.stderr(`${host.prefix}the notes cannot be marked as delivered: ${(error as Error).message}\n`);
  }
  return EXIT.done;
}

function undelivered(host: Host, paths: Paths): { file: NotesFile; batch: StoredNote[] } | undefined {
  const stored = readNotes(paths.state, host.uid);
  if (stored.kind !== "notes") return undefined;
  const batch = stored.file.records.filter(isUndelivered);
  return batch.length === 0 ? undefined : { file: stored.file, batch };
}
