import * as wire from "../../kernel/shared/annotate-wire.ts";
import { isRecord, textOr } from "../page/json.ts";
import type { Anchor, Note, NoteState } from "../types.ts";

const isServerState = (state: unknown): state is wire.NoteState =>
  (wire.NOTE_STATES as readonly unknown[]).includes(state);

/** What a state map means for the notes this tab knows. */
export interface Applied {
  notes: Note[];
  /** Ids the map has and this tab does not: their records must be fetched. */
  unknown: string[];
  /** Notes whose state the map changed, with the new one. */
  changed: Note[];
}

/**
 * The server's map decides every status (15.10 step 4): a note it no longer names was deleted elsewhere,
 * one without an id is still ours to save.
 */
export function applyStates(notes: readonly Note[], states: ReadonlyMap<string, NoteState>): Applied {
  const known = new Set<string>();
  const changed: Note[] = [];
  const kept: Note[] = [];
  for (const note of notes) {
    if (note.id === null) {
      kept.push(note);
      continue;
    }
    known.add(note.id);
    const state = states.get(note.id);
    // A frame sent before the save was answered does not name the note yet.
    if (state === undefined) {
      if (!note.seen) kept.push(note);
      continue;
    }
    const next = note.state === state && note.seen ? note : { ...note, state, seen: true };
    if (note.state !== state) changed.push(next);
    kept.push(next);
  }
  return { notes: kept, changed, unknown: [...states.keys()].filter((id) => !known.has(id)) };
}

/** Put the server's records beside the notes of this tab; the record's words win, the order is the server's. */
export function mergeRecords(notes: readonly Note[], records: readonly Note[]): Note[] {
  const local = new Map(notes.filter((note) => note.id !== null).map((note) => [note.id, note]));
  const merged = records.map((record) => {
    const known = local.get(record.id);
    return known === undefined
      ? record
      : {
          ...known,
          comment: record.comment,
          number: record.number ?? known.number,
          state: record.state,
          outcome: record.outcome,
          answers: record.answers,
          images: record.images,
          anchor: record.anchor.context.retargeted ? record.anchor : known.anchor,
          // A new answer is one the person has not looked at.
          looked: known.looked && known.answers.length === record.answers.length,
          seen: true,
        };
  });
  const listed = new Set(records.map((record) => record.id));
  // A note saved while the list was on its way is in neither the list nor a state map yet.
  return [...merged, ...notes.filter((note) => note.id === null || (!note.seen && !listed.has(note.id)))];
}

/** A saved note: it takes the server's id, and replaces a copy another path already fetched. */
export function markSaved(
  notes: readonly Note[],
  key: string,
  saved: { id: string; number: number | null },
): Note[] {
  const copy = notes.find((note) => note.id === saved.id && note.key !== key);
  return notes
    .filter((note) => note !== copy)
    .map((note) =>
      note.key !== key
        ? note
        : {
            ...note,
            id: saved.id,
            number: saved.number ?? copy?.number ?? null,
            state: copy?.state ?? "held",
            seen: copy?.seen ?? false,
          },
    );
}

/** A box read from a record or from storage. */
export const readBox = (value: unknown): Anchor["rect"] => numbers(value, ["x", "y", "width", "height"]);

/** The numbers of a box or point, or null when one is missing: records may come from any sender. */
function numbers<T extends object>(value: unknown, names: readonly (keyof T & string)[]): T | null {
  if (!isRecord(value)) return null;
  const out: Record<string, number> = {};
  for (const name of names) {
    const number = value[name];
    if (typeof number !== "number" || !Number.isFinite(number)) return null;
    out[name] = number;
  }
  return out as T;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isTrue = (value: unknown): boolean => value === true;
const has =
  (...names: string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.every((name) => isText(value[name]));
const isFrame = has("selector", "page");
const isOther = (value: unknown): boolean =>
  has("selector", "label", "text")(value) &&
  isRecord(value) &&
  (value["frame"] === undefined || isFrame(value["frame"])) &&
  (value["shadow"] === undefined || isTexts(value["shadow"]));

/** What each field of a context must be to be kept: records may come from any sender. */
const FITS: Record<keyof wire.Context, (value: unknown) => boolean> & { __proto__: null } = {
  __proto__: null,
  kind: (value) => (wire.KINDS as readonly unknown[]).includes(value),
  label: isText,
  html: isText,
  item_html: isText,
  follow_up_of: isText,
  ask: isText,
  question: isText,
  choice: isText,
  retargeted: isTrue,
  edited: isTrue,
  covers: isTexts,
  shadow: isTexts,
  quote: has("exact", "prefix", "suffix"),
  frame: isFrame,
  in_reply_to: has("id", "question"),
  near: isRecord,
  print: isRecord,
  targets: (value) => Array.isArray(value) && value.every(isOther),
};

function readContext(value: unknown): wire.Context {
  const context: Record<string, unknown> = {};
  if (isRecord(value))
    for (const name of Object.keys(FITS) as (keyof wire.Context)[])
      if (FITS[name](value[name])) context[name] = value[name];
  return context as wire.Context;
}

/** Answers and images of a record or of storage; what is none of them is left out. */
function readAnswers(value: unknown): wire.Answer[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap(({ kind, text, at }) =>
    (wire.ANSWER_KINDS as readonly unknown[]).includes(kind)
      ? [
          {
            kind: kind as wire.AnswerKind,
            at: textOr(at, ""),
            ...(typeof text === "string" ? { text } : {}),
          },
        ]
      : [],
  );
}

export function readImages(value: unknown): wire.NoteImage[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isRecord)
    .flatMap(({ id, type, bytes }) =>
      typeof id === "string" && typeof type === "string" ? [{ id, type, bytes: Number(bytes) || 0 }] : [],
    );
}

/** An anchor from a record or from storage; null when it has no selector. */
export function readAnchor(value: unknown): Anchor | null {
  if (!isRecord(value)) return null;
  const selector = textOr(value["selector"], "");
  if (selector === "") return null;
  const variant = value["variant"];
  return {
    page: textOr(value["page"], "/"),
    selector,
    textSnippet: textOr(value["textSnippet"], null),
    variant:
      Array.isArray(variant) && variant.every((name) => typeof name === "string")
        ? (variant as string[])
        : null,
    rect: readBox(value["rect"]),
    point: readPoint(value["point"]),
    context: readContext(value["context"]),
  };
}

function readPoint(value: unknown): Anchor["point"] {
  const spot = numbers<{ x: number; y: number }>(value, ["x", "y"]);
  if (spot === null) return null;
  const rest = numbers<{ viewportWidth: number; viewportHeight: number; scrollX: number; scrollY: number }>(
    value,
    ["viewportWidth", "viewportHeight", "scrollX", "scrollY"],
  );
  return { ...spot, ...(rest ?? { viewportWidth: 0, viewportHeight: 0, scrollX: 0, scrollY: 0 }) };
}

/** What a record of the server and a stored pin have in common; null when a value is neither. */
export function readNote(value: unknown, anchor: Anchor | null): Note | null {
  if (anchor === null || !isRecord(value)) return null;
  const { id, state, number, outcome } = value;
  if (!isServerState(state) && state !== "saving" && state !== "unsaved") return null;
  return {
    key: textOr(value["key"], String(id)),
    id: textOr(id, null),
    clientId: textOr(value["clientId"], null),
    number: typeof number === "number" ? number : null,
    comment: textOr(value["comment"], ""),
    state,
    outcome: (wire.OUTCOMES as readonly unknown[]).includes(outcome) ? (outcome as wire.NoteOutcome) : null,
    answers: readAnswers(value["answers"]),
    images: readImages(value["images"]),
    anchor,
    looked: value["looked"] === true,
    seen: true,
    doneShown: Number(value["doneShown"]) || 0,
    place: readBox(value["place"]),
  };
}

/** A note from an entry of the list of notes; null for an entry that is none. */
export function readRecord(value: unknown): Note | null {
  const note = readNote(value, readAnchor(value));
  return note === null || note.id === null || !isServerState(note.state) ? null : { ...note, key: note.id };
}

/** The state map of an `annotations` frame, in its order; entries that are no states are left out. */
export function readStates(data: unknown): Map<string, NoteState> {
  const states = new Map<string, NoteState>();
  if (!isRecord(data)) return states;
  for (const id of Object.keys(data)) {
    const state = data[id];
    if (isServerState(state)) states.set(id, state);
  }
  return states;
}

export const isUnsent = (note: Note): boolean =>
  note.state === "held" || note.state === "saving" || note.state === "unsaved";

/** About the screen as a whole: it has no place on the page. */
export const isWhole = ({ context }: Anchor): boolean =>
  context.kind === "message" || context.kind === "verdict";
