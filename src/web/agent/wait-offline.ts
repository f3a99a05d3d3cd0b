import { EXIT, JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { withKernelLock } from "../../kernel/files/lock.ts";
import type { NotesFile, StoredNote } from "../schema.ts";
import { LIMITS } from "../server/config.ts";
import { recordWithImages } from "../server/notes/delivered-record.ts";
import { isUndelivered, recordOf } from "../server/notes/notes.ts";
import { judgeOutcomes } from "../server/notes/outcomes.ts";
import { readNotes, writeNotes } from "../state/notes-file.ts";
import { findServer } from "../state/ownership.ts";
import type { Paths } from "../state/state-files.ts";
import { LOCK_MS } from "../stop.ts";
import type { GivenOutcome } from "./words.ts";

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
  const failed = print(
    JSON.stringify(
      found.batch.map((note) => recordWithImages(recordOf(note).record, note.images ?? [], paths.state)),
    ),
  );
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

/** Keep what the agent says about notes when no server runs (docs/spec/web.md 4.6). Exit 2 when a note is not delivered. */
export async function answerStored(
  host: Host,
  paths: Paths,
  outcomes: readonly GivenOutcome[],
): Promise<void> {
  const none = readNotes(paths.state, host.uid).kind !== "notes";
  if (none) throw refused(outcomes.map(({ note }) => `note ${note}: unknown`).join("; "));
  await withKernelLock(
    paths.lock,
    async () => {
      if ((await findServer(paths, host)) !== undefined) throw refused("a server was started meanwhile");
      const stored = readNotes(paths.state, host.uid);
      if (stored.kind === "notes") writeNotes(paths.state, withAnswers(stored.file, outcomes, host.now()));
    },
    { timeoutMs: LOCK_MS },
  );
}

function withAnswers(file: NotesFile, outcomes: readonly GivenOutcome[], now: number): NotesFile {
  const find = (name: string) => {
    const note = file.records.findLast((one) => one.id === name || String(one.number) === name);
    return note && { note, delivered: !isUndelivered(note), answers: note.answers ?? [] };
  };
  const judged = judgeOutcomes(outcomes, find, new Date(now).toISOString());
  if ("detail" in judged) throw refused(judged.detail);
  if ("notes" in judged)
    throw refused(
      Object.entries(judged.notes)
        .map(([name, why]) => `note ${name}: ${why}`)
        .join("; "),
    );
  const said = new Map(judged.answers.map(({ note, answer }) => [note, answer]));
  const records = file.records.map((note) => {
    const answer = said.get(note);
    if (answer === undefined) return note;
    if ((note.answers ?? []).length >= LIMITS.answers) throw refused("too many answers");
    // The look above leaves out mere replies.
    const outcome = answer.kind as "done" | "declined" | "question";
    return { ...note, outcome, answers: [...(note.answers ?? []), answer] };
  });
  return { ...file, records };
}

const refused = (message: string): JigError => new JigError(message, { exitCode: EXIT.usage });
