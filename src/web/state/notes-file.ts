import { renameSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { osReason } from "../../kernel/call/errors.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { type NotesFile, NotesFileSchema, type StoredNote } from "../schema.ts";
import { insideState, UnsafeState } from "./state-directory.ts";

/** Delivered notes kept for `web annotations`; the oldest go first. */
const DELIVERED_KEPT = 1000;

/** The largest file read: notes of one session, and as many delivered ones of the largest size. */
const LARGEST_FILE = 128 << 20;

export function notesPath(stateDir: string): string {
  return join(stateDir, "annotations.json");
}

/** What is stored for a root: the file, nothing yet, or something this version cannot read. */
export type StoredNotes =
  | { kind: "notes"; file: NotesFile }
  | { kind: "none" }
  | { kind: "unreadable"; reason: string };

/** Read `annotations.json` without changing anything. Throws `UnsafeState`. */
export function readNotes(stateDir: string, uid: number | undefined): StoredNotes {
  let text: string;
  try {
    const found = insideState(stateDir, uid, (state) =>
      readOwnedText(notesPath(state), { uid, maxBytes: LARGEST_FILE }),
    );
    if (found === undefined) return { kind: "none" };
    text = found;
  } catch (error) {
    if (error instanceof UnsafeState) throw error;
    if ((error as { reason?: unknown }).reason === "absent") return { kind: "none" };
    return { kind: "unreadable", reason: error instanceof Refused ? error.why : osReason(error) };
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { kind: "unreadable", reason: "is not JSON" };
  }
  const parsed = v.safeParse(NotesFileSchema, data);
  if (parsed.success) return { kind: "notes", file: parsed.output };
  return { kind: "unreadable", reason: v.getDotPath(parsed.issues[0]) ?? parsed.issues[0].message };
}

/** Put an unreadable file out of the way under a name that says so. */
export function setAsideNotes(stateDir: string): void {
  renameSync(notesPath(stateDir), `${notesPath(stateDir)}.bad`);
}

/** Rewrite the file; a reader, and a crash, leaves the old or the new. Fields of a newer writer are kept. */
export function writeNotes(stateDir: string, file: NotesFile): void {
  writeFileAtomic(notesPath(stateDir), `${JSON.stringify({ ...file, records: kept(file.records) })}\n`, {
    mode: 0o600,
  });
}

function kept(records: readonly StoredNote[]): StoredNote[] {
  let surplus = records.filter(isDelivered).length - DELIVERED_KEPT;
  return records.filter((note) => !isDelivered(note) || surplus-- <= 0);
}

function isDelivered(note: StoredNote): boolean {
  return note.delivered_at !== null;
}
