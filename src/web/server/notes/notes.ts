import type {
  Answer,
  NoteImage,
  NoteOutcome,
  NoteState,
  StateMap,
} from "../../../kernel/shared/annotate-wire.ts";
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
  /** Null until the agent says something of it or moves on without (docs/spec/web.md 10.4). */
  outcome: NoteOutcome | null;
  answers: readonly Answer[];
  images: readonly NoteImage[];
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
  /** By its number or its id, of whichever server. */
  named(name: string): Note | undefined;
  ofClient(clientId: string): Note | undefined;
  /** Undefined when the session holds as much as it may. */
  add(record: Omit<NoteRecord, "id" | "number">, clientId: string | undefined): Note | undefined;
  replace(note: Note, record: NoteRecord): void;
  /** Keep an answer; false when there are as many as may be. */
  answer(note: Note, answer: Answer): boolean;
  /** Gives its place among all, where `putBack` puts it again. */
  remove(note: Note): number;
  putBack(note: Note, place: number): void;
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
    named: (name) =>
      byId.get(name) ??
      (/^\d{1,15}$/.test(name) ? notes.findLast((note) => note.record.number === Number(name)) : undefined),
    ofClient: (clientId) => byClient.get(clientId),
    add(input, clientId) {
      const size = sizeOf(input);
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
        outcome: null,
        answers: [],
        images: [],
        earlier: false,
        unknown: {},
      };
      notes.push(note);
      byId.set(record.id, note);
      if (clientId !== undefined) byClient.set(clientId, note);
      return note;
    },
    replace(note, record) {
      bytes += sizeOf(record) - sizeOf(note.record);
      note.record = record;
    },
    answer(note, answer) {
      const size = sizeOf(answer);
      if (note.answers.length >= LIMITS.answers || bytes + size > LIMITS.noteBytes) return false;
      bytes += size;
      note.answers = [...note.answers, answer];
      return true;
    },
    remove(note) {
      const place = notes.indexOf(note);
      notes.splice(place, 1);
      byId.delete(note.record.id);
      return place;
    },
    putBack(note, place) {
      notes.splice(Math.min(place, notes.length), 0, note);
      byId.set(note.record.id, note);
    },
    inState: (state) => notes.filter((note) => note.state === state && !isStale(note, clock.now())),
    stateMap() {
      const map: StateMap = {};
      for (const note of notes) if (!note.earlier) map[note.record.id] = note.state;
      return map;
    },
  };
}

const sizeOf = (value: unknown): number => byteLength(JSON.stringify(value));

/** A note another server left: what was not delivered is queued again. */
function restored(stored: StoredNote, now: number): Note {
  const { record, unknown } = recordOf(stored);
  const note: Note = {
    record,
    state: stored.state,
    createdAt: stored.created_at,
    deliveredAt: stored.delivered_at,
    delivery: undefined,
    outcome: stored.outcome ?? null,
    answers: stored.answers ?? [],
    images: stored.images ?? [],
    earlier: true,
    unknown,
  };
  if (isUndelivered(stored) && !isStale(note, now)) note.state = "queued";
  if (note.state === "working") finish(note, "abandoned");
  return note;
}

/** The agent is through with a note; one it never answered got `otherwise` (docs/spec/web.md 10.4). */
export function finish(note: Note, otherwise: "passed" | "abandoned"): void {
  note.state = "done";
  note.outcome ??= otherwise;
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
  const {
    state: _state,
    created_at: _created,
    delivered_at: _delivered,
    outcome: _outcome,
    answers: _answers,
    images: _images,
    ...unknown
  } = rest;
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
    ...answersOf(note),
  };
}

/** What a note has beyond the first edition's keys, where it has it. */
export function answersOf({
  outcome,
  answers,
  images,
}: Pick<Note, "outcome" | "answers" | "images">): Pick<StoredNote, "outcome" | "answers" | "images"> {
  return {
    ...(outcome === null ? {} : { outcome }),
    ...(answers.length === 0 ? {} : { answers: [...answers] }),
    ...(images.length === 0 ? {} : { images: [...images] }),
  };
}
