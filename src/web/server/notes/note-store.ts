import type { NotesFile } from "../../schema.ts";
import { readNotes, setAsideNotes, writeNotes } from "../../state/notes-file.ts";
import { type Notes, type StartingNotes, storedNote } from "./notes.ts";

/** Keeps a session's notes on disk (docs/spec/web.md 11.3). */
export interface NoteStore {
  readonly start: StartingNotes;
  /** Write now. False when it failed; the notes stay in memory, and the next write tries again. */
  save(): boolean;
  /** Write within a moment, together with what else changes. */
  saveSoon(): void;
  /** Write what is still waiting to be written. */
  close(): void;
  /** The session whose notes these are, known only after the start. */
  attach(notes: Notes, session: string): void;
}

const GATHER_MS = 200;

export function openNoteStore(
  stateDir: string,
  uid: number | undefined,
  log: (line: string) => void,
): NoteStore {
  const file = load(stateDir, uid, log);
  let current: { notes: Notes; session: string } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failing = false;

  function save(): boolean {
    clearTimeout(timer);
    timer = undefined;
    if (current === undefined) return true;
    const { notes, session } = current;
    const records = notes.all().map(storedNote);
    if (records.length === 0 && file.records.length === 0 && notes.lastNumber === 0) return true;
    try {
      writeNotes(stateDir, { ...file, session, last_number: notes.lastNumber, records });
      failing = false;
    } catch (error) {
      if (!failing)
        log(`error: notes cannot be stored: ${error instanceof Error ? error.message : String(error)}`);
      failing = true;
    }
    return !failing;
  }

  return {
    start: { lastNumber: file.last_number, earlier: file.records },
    save,
    saveSoon() {
      timer ??= setTimeout(save, GATHER_MS);
    },
    close() {
      if (timer !== undefined || failing) save();
    },
    attach(notes, session) {
      current = { notes, session };
    },
  };
}

function load(stateDir: string, uid: number | undefined, log: (line: string) => void): NotesFile {
  const stored = readNotes(stateDir, uid);
  if (stored.kind === "notes") return stored.file;
  if (stored.kind === "unreadable") {
    log(`error: annotations.json (${stored.reason}) is unreadable; kept as annotations.json.bad`);
    setAsideNotes(stateDir);
  }
  return { format: 1, session: "", last_number: 0, records: [] };
}
