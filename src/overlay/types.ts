import type * as wire from "../kernel/shared/annotate-wire.ts";

/** What a note is about: enough to send it and to find its target again after an edit. */
export interface Anchor {
  /** Screen file as the server names it. */
  page: string;
  selector: string;
  textSnippet: string | null;
  variant: string[] | null;
  rect: wire.Box | null;
  point: wire.Point | null;
  context: wire.Context;
}

/** `saving` and `unsaved` are known to this tab only; the others are the server's states. */
export type NoteState = "saving" | "unsaved" | wire.NoteState;

export interface Note {
  /** Stable within this tab: the client id, or the server's id for a note of another tab. */
  key: string;
  /** Server id; null until the note is saved. */
  id: string | null;
  clientId: string | null;
  /** The number on the pin; null when the server gave none. */
  number: number | null;
  comment: string;
  state: NoteState;
  /** What the agent said of it, as the server's list has it. */
  outcome: wire.NoteOutcome | null;
  answers: readonly wire.Answer[];
  images: readonly wire.NoteImage[];
  anchor: Anchor;
  /** Whether a state map has named it; only then does its absence mean that it was deleted. */
  seen: boolean;
  /** Milliseconds its done pin has been on a visible page. */
  doneShown: number;
  /** Whether the person has looked at what became of it. */
  looked: boolean;
  /** A region's place in its container, in fractions of it; null for other kinds and when unknown. */
  place: wire.Box | null;
}

/** Text not yet added as a note. */
export interface Draft {
  key: string;
  anchor: Anchor;
  text: string;
  images: readonly wire.NoteImage[];
  /** Key of the unsent note this text is to replace. */
  editOf: string | null;
}

/** Connection states of 15.11. */
export type Connection = "connecting" | "live" | "offline" | "ended" | "locked" | "busy";

export type Corner = "bottom-right" | "bottom-left" | "top-left" | "top-right";
