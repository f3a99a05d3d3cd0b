import { isRecord, textOr, toJson } from "../page/json.ts";
import type { Corner, Draft, Note } from "../types.ts";
import { readAnchor, readImages, readNote } from "./notes.ts";

/** What the tab remembers of the overlay's look. */
export interface Ui {
  corner: Corner;
  /** Null until the person says so: small windows begin with the button alone. */
  collapsed: boolean | null;
  pinsHidden: boolean;
  /** What to do with a note once its screen is shown. */
  pending: { id: string; act: string } | null;
  listOpen: boolean;
  /** `at` of the reply that was announced, and of the one that was read. */
  replyAnnounced: string | null;
  replyRead: string | null;
}

export interface ScrollState {
  page: string;
  hash: string;
  x: number;
  y: number;
  /** Whether the overlay itself reloaded the page. */
  own: boolean;
  boxes: { selector: string; x: number; y: number }[];
}

/** The stored state of one session (15.14). */
export interface Saved {
  on: boolean;
  pins: Note[];
  drafts: Draft[];
  scroll: ScrollState | null;
  ui: Ui;
  /** Unsent notes left with an earlier server at this address; null: there was none with notes. */
  left: number | null;
}

const PREFIX = "ce-annotate-state:";
const MAX_BYTES = 512 * 1024;

export const emptyUi = (): Ui => ({
  corner: "bottom-right",
  collapsed: null,
  pending: null,
  pinsHidden: false,
  listOpen: false,
  replyAnnounced: null,
  replyRead: null,
});

export const emptySaved = (): Saved => ({
  on: false,
  pins: [],
  drafts: [],
  scroll: null,
  ui: emptyUi(),
  left: null,
});

/** The stored form, with the oldest done pins dropped until it fits. */
export function serialise(saved: Omit<Saved, "left">): string {
  const drafts: Record<string, Draft[]> = Object.create(null);
  for (const draft of saved.drafts) drafts[draft.anchor.page] = [...(drafts[draft.anchor.page] ?? []), draft];
  let pins = saved.pins;
  for (;;) {
    const text = toJson({ v: 1, on: saved.on, pins, drafts, scroll: saved.scroll ?? {}, ui: saved.ui });
    // UTF-16 units are what the browser's quota counts.
    if (text.length * 2 <= MAX_BYTES) return text;
    const oldest = pins.find((pin) => pin.state === "done") ?? pins.find((pin) => pin.id !== null);
    if (oldest === undefined) return text;
    pins = pins.filter((pin) => pin !== oldest);
  }
}

/** Stored text as state; whatever is damaged is left out, the server still has the notes. */
export function parse(text: string | null): Saved {
  const saved = emptySaved();
  let data: unknown;
  try {
    data = JSON.parse(text ?? "null");
  } catch {
    return saved;
  }
  if (!isRecord(data) || data["v"] !== 1) return saved;
  saved.on = data["on"] === true;
  if (Array.isArray(data["pins"])) for (const pin of data["pins"]) pushIf(saved.pins, readPin(pin));
  if (isRecord(data["drafts"]))
    for (const name of Object.keys(data["drafts"])) {
      const list = data["drafts"][name];
      if (Array.isArray(list)) for (const draft of list) pushIf(saved.drafts, readDraft(draft));
    }
  saved.scroll = readScroll(data["scroll"]);
  saved.ui = readUi(data["ui"]);
  return saved;
}

function pushIf<T>(list: T[], item: T | null): void {
  if (item !== null) list.push(item);
}

function readPin(value: unknown): Note | null {
  const note = isRecord(value) ? readNote(value, readAnchor(value["anchor"])) : null;
  if (note === null || (note.id === null && note.clientId === null)) return null;
  // A save the reload cut off is tried again with the same client id.
  return note.id === null ? { ...note, state: "unsaved", seen: false } : note;
}

function readDraft(value: unknown): Draft | null {
  if (!isRecord(value)) return null;
  const anchor = readAnchor(value["anchor"]);
  const { key, text } = value;
  if (anchor === null || typeof key !== "string" || typeof text !== "string") return null;
  const images = readImages(value["images"]);
  if (text.trim() === "" && images.length === 0) return null;
  return { key, anchor, text, images, editOf: textOr(value["editOf"], null) };
}

function readScroll(value: unknown): ScrollState | null {
  if (!isRecord(value) || typeof value["page"] !== "string") return null;
  const { page, hash, x, y, own, boxes } = value;
  if (typeof x !== "number" || typeof y !== "number") return null;
  const list = Array.isArray(boxes) ? (boxes as unknown[]) : [];
  return {
    page,
    hash: textOr(hash, ""),
    x,
    y,
    own: own === true,
    boxes: list.filter(
      (box): box is { selector: string; x: number; y: number } =>
        isRecord(box) &&
        typeof box["selector"] === "string" &&
        typeof box["x"] === "number" &&
        typeof box["y"] === "number",
    ),
  };
}

function readUi(value: unknown): Ui {
  const ui = emptyUi();
  if (!isRecord(value)) return ui;
  const corner = value["corner"];
  if (corner === "bottom-left" || corner === "top-left" || corner === "top-right") ui.corner = corner;
  for (const name of ["pinsHidden", "listOpen"] as const) ui[name] = value[name] === true;
  if (typeof value["collapsed"] === "boolean") ui.collapsed = value["collapsed"];
  const { pending } = value as { pending?: unknown };
  if (isRecord(pending) && typeof pending["id"] === "string")
    ui.pending = { id: pending["id"], act: String(pending["act"]) };
  for (const name of ["replyAnnounced", "replyRead"] as const) ui[name] = textOr(value[name], null);
  return ui;
}

/**
 * The tab's state of this session. Texts of an earlier session at this address come along as drafts: their
 * notes are the old server's, but what was typed and not saved exists nowhere else.
 */
export function load(storage: Storage | null, session: string): Saved {
  if (storage === null) return emptySaved();
  try {
    const saved = parse(storage.getItem(PREFIX + session));
    for (const key of storedKeys(storage)) {
      if (key === PREFIX + session) continue;
      const earlier = parse(storage.getItem(key));
      for (const draft of earlier.drafts) takeOver(saved, { ...draft, editOf: null });
      for (const pin of earlier.pins) {
        if (pin.id !== null) saved.left = (saved.left ?? 0) + (pin.state === "held" ? 1 : 0);
        else
          takeOver(saved, {
            key: pin.key,
            anchor: pin.anchor,
            text: pin.comment,
            images: pin.images,
            editOf: null,
          });
      }
      storage.removeItem(key);
    }
    return saved;
  } catch {
    return emptySaved();
  }
}

function takeOver(saved: Saved, draft: Draft): void {
  const { follow_up_of: _, ...context } = draft.anchor.context;
  if (saved.drafts.every((other) => other.key !== draft.key))
    saved.drafts.push({ ...draft, anchor: { ...draft.anchor, context } });
}

function storedKeys(storage: Storage): string[] {
  const keys: string[] = [];
  for (let at = 0; at < storage.length; at++) {
    const key = storage.key(at);
    if (key?.startsWith(PREFIX)) keys.push(key);
  }
  return keys;
}

/** Write the state; a full or forbidden storage is no error. */
export function store(storage: Storage | null, session: string, saved: Omit<Saved, "left">): void {
  try {
    storage?.setItem(PREFIX + session, serialise(saved));
  } catch {
    // The server has the notes; only drafts and places are lost with the tab.
  }
}

/** The tab's session storage, or null where the browser refuses it. */
export function openStorage(): Storage | null {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}
