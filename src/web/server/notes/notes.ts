import type { NoteState, StateMap } from "../../../kernel/shared/annotate-wire.ts";
import type { NoteRecord, StoredNote } from "../../schema.ts";
import type { Clock } from "../config.ts";
import { LIMITS } from "../config.ts";
import { byteLength } from "./note-input.ts";

/** One handing-over of a batch; a note knows the last it was part of. */
export interface Delivery {
  readonly notes: readonly Note[];
  /** Waiting for the acknowledgement: the notes still count as undelivered (docs/spec/web.md 11.2). */
  leased: boolean;
}

export interface Note {
  record: NoteRecord;
  state: NoteState;
  readonly createdAt: string;
  deliveredAt: string | null;
  delivery: Delivery | undefined;
  /** Of an earlier server on this root: delivered like the others, but not part of this session's map. */
  readonly earlier: boolean;
  /** Fields of a stored record that this version does not know. */
  readonly unknown: Record<string, unknown>;
}

/** Every note known for the root, in POST order. */
export interface Notes {
  readonly lastNumber: number;
  /** All of them, those of earlier servers first. */
  all(): readonly Note[];
  /** This session's, what a page may know. */
  ofSession(): Note[];
  find(id: string): Note | undefined;
  ofClient(clientId: string): Note | undefined;
  /** Undefined when the session holds as much as it may. */
  add(record: Omit<NoteRecord, "id" | "number">, clientId: string | undefined): Note | undefined;
  edit(note: Note, comment: string): void;
  remove(note: Note): void;
  inState(state: NoteState): Note[];
  /** `{"<id>":"<state>",…}` of the session. */
  stateMap(): StateMap;
}

export interface StartingNotes {
  lastNumber: number;
  earlier: readonly StoredNote[];
}

/** Notes older than this are kept to be read, but not delivered again (docs/spec/web.md 11.3). */
const TOO_OLD_MS = 7 * 24 * 3600 * 1000;

export function makeNotes(start: StartingNotes, clock: Clock): Notes {
  const notes: Note[] = start.earlier.map((stored) => restored(stored, clock.now()));
  const byId = new Map(notes.map((note) => [note.record.id, note]));
  const byClient = new Map<string, Note>();
  let { lastNumber } = start;
  let count = 0;
  let bytes = 0;

  return {
    get lastNumber() {
      return lastNumber;
    },
    all: () => notes,
    ofSession: () => notes.filter((note) => !note.earlier),
    find: (id) => byId.get(id),
    ofClient: (clientId) => byClient.get(clientId),
    add(input, clientId) {
      const size = byteLength(JSON.stringify(input));
      if (count >= LIMITS.notes || bytes + size > LIMITS.noteBytes) return undefined;
      count++;
      bytes += size;
      const record: NoteRecord = { id: globalThis.crypto.randomUUID(), ...input };
      if (clientId !== undefined) record.number = ++lastNumber;
      const note: Note = {
        record,
        state: "held",
        createdAt: new Date(clock.now()).toISOString(),
        deliveredAt: null,
        delivery: undefined,
        earlier: false,
        unknown: {},
      };
      notes.push(note);
      byId.set(record.id, note);
      if (clientId !== undefined) byClient.set(clientId, note);
      return note;
    },
    edit(note, comment) {
      bytes += byteLength(comment) - byteLength(note.record.comment);
      note.record = { ...note.record, comment };
    },
    remove(note) {
      notes.splice(notes.indexOf(note), 1);
      byId.delete(note.record.id);
    },
    inState: (state) => notes.filter((note) => note.state === state && !isStale(note, clock.now())),
    stateMap() {
      const map: StateMap = {};
      for (const note of notes) if (!note.earlier) map[note.record.id] = note.state;
      return map;
    },
  };
}

/** A note another server left: what was not delivered is queued again. */
function restored(stored: StoredNote, now: number): Note {
  const { record, unknown } = recordOf(stored);
  const note: Note = {
    record,
    state: stored.state,
    createdAt: stored.created_at,
    deliveredAt: stored.delivered_at,
    delivery: undefined,
    earlier: true,
    unknown,
  };
  if (isUndelivered(stored) && !isStale(note, now)) note.state = "queued";
  if (note.state === "working") note.state = "done";
  return note;
}

function isStale(note: Note, now: number): boolean {
  return note.earlier && now - Date.parse(note.createdAt) > TOO_OLD_MS;
}

/** Whether a stored note still has to reach the agent. */
export function isUndelivered(stored: StoredNote): boolean {
  return stored.state === "held" || stored.state === "queued";
}

/** The record of a stored note with its keys in the order agents know (docs/spec/web.md 10.2). */
export function recordOf(stored: StoredNote): { record: NoteRecord; unknown: Record<string, unknown> } {
  const { id, screen, comment, selector, textSnippet, variant, rect, point, context, number, ...rest } =
    stored;
  const { state: _state, created_at: _created, delivered_at: _delivered, ...unknown } = rest;
  const record: NoteRecord = { id, screen, comment, selector, textSnippet, variant, rect, point };
  if (context !== undefined) record.context = context;
  if (number !== undefined) record.number = number;
  return { record, unknown };
}

/** A note as it is stored. Under an open lease it is not delivered yet, whatever the page shows. */
export function storedNote(note: Note): StoredNote {
  const leased = note.state === "working" && note.delivery?.leased === true;
  return {
    ...note.unknown,
    ...note.record,
    state: leased ? "queued" : note.state,
    created_at: note.createdAt,
    delivered_at: leased ? null : note.deliveredAt,
  };
}
