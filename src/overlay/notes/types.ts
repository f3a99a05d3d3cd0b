/** A box in CSS pixels, relative to the viewport unless said otherwise. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where the person pointed, with the viewport it was pointed in (docs/spec/web.md 15.7). */
export interface Point {
  x: number;
  y: number;
  viewportWidth: number;
  viewportHeight: number;
  scrollX: number;
  scrollY: number;
}

export type Kind = "element" | "region" | "text";

export interface Quote {
  exact: string;
  prefix: string;
  suffix: string;
}

/** What a note says about its target beyond the selector. Every field is optional for notes of other senders. */
export interface Context {
  kind?: Kind;
  label?: string;
  html?: string;
  quote?: Quote;
  covers?: string[];
  shadow?: string[];
  frame?: { selector: string; page: string };
  follow_up_of?: string;
}

/** What a note is about: enough to send it and to find its target again after an edit. */
export interface Anchor {
  /** Screen file as the server names it (`data-ce-page`). */
  page: string;
  selector: string;
  textSnippet: string | null;
  variant: string[] | null;
  rect: Box | null;
  point: Point | null;
  context: Context;
}

/** `saving` and `unsaved` are known to this tab only; the others are the server's states (10.3). */
export type NoteState = "saving" | "unsaved" | "held" | "queued" | "working" | "done";

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
  anchor: Anchor;
  /** Whether a state map has named it; only then does its absence mean that it was deleted. */
  seen: boolean;
  /** Milliseconds its done pin has been on a visible page. */
  doneShown: number;
  /** A region's place in its container, in fractions of it; null for other kinds and when unknown. */
  place: Box | null;
}

/** Text not yet added as a note. */
export interface Draft {
  key: string;
  anchor: Anchor;
  text: string;
  /** Key of the unsent note this text is to replace. */
  editOf: string | null;
}

export interface Reply {
  text: string;
  /** ISO-8601; also what a reply is known by. */
  at: string;
}

/** Connection states of 15.11. */
export type Connection = "connecting" | "live" | "offline" | "ended" | "locked" | "busy";

export type Corner = "bottom-right" | "bottom-left" | "top-left" | "top-right";
