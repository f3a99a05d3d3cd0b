/**
 * What the overlay in the browser and the preview server say to each other (docs/spec/web.md 8 to 12 and 15). Both
 * sides import it, so it imports nothing and names nothing that only a browser or only a server has.
 */

/** The prefix of addresses in which nothing but the overlay's own lives in annotate mode. */
export const RESERVED = "/__ce-annotate/";

export const SCRIPT_PATH = `${RESERVED}annotate.js`;
export const STYLE_PATH = `${RESERVED}annotate.css`;
export const LIST_PATH = `${RESERVED}annotations`;
export const ACKNOWLEDGE_PATH = `${RESERVED}ack`;
export const DOCUMENT_PATH = `${RESERVED}document`;
export const REPLY_PATH = `${RESERVED}reply`;
export const AUTHORIZE_PATH = `${RESERVED}authorize`;
export const STOP_PATH = `${RESERVED}control/stop`;
export const NOTE_PATH = "/annotation";
export const SEND_PATH = "/session/flush";
export const END_PATH = "/session/end";
export const EVENTS_PATH = "/events";
export const WAIT_PATH = "/wait";
export const VERSION_PATH = "/version";

/** The query that asks for a screen without the overlay: parameter and value. */
export const PLAIN_PARAMETER = "__ce-annotate";
export const PLAIN_VALUE = "off";
export const PLAIN_QUERY = `${PLAIN_PARAMETER}=${PLAIN_VALUE}`;

/** How a call says which document it comes from: a header, or for the event stream, which can have none, a parameter. */
export const DOCUMENT_HEADER = "x-ce-document";
export const DOCUMENT_QUERY = "document";

/** Attributes of the script tag that starts the overlay (8.2). */
export const SESSION_ATTRIBUTE = "data-ce-session";
export const DOCUMENT_ATTRIBUTE = "data-ce-document";
export const PAGE_ATTRIBUTE = "data-ce-page";

/** Most bytes of a posted body that the server takes, and those the overlay keeps its own below. */
export const BODY_BYTES = 65_536;
export const NOTE_BYTES = 61_440;
/** Most bytes of a note's `context` as JSON: a longer one is dropped (10.1). */
export const CONTEXT_BYTES = 8192;

/** Where a note is on its way to the agent (10.3). */
export const NOTE_STATES = ["held", "queued", "working", "done"] as const;
export type NoteState = (typeof NOTE_STATES)[number];

/** Why a session ended (13.1). */
export const END_REASONS = ["user-ended", "connection-lost", "idle", "owner-exited", "stopped"] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Events of the stream (12.1). */
export const FRAME_NAMES = ["annotations", "screen-changed", "session-ended", "agent", "reply"] as const;
export type FrameName = (typeof FRAME_NAMES)[number];

/** What each event carries. */
export interface Frames extends Record<FrameName, object> {
  annotations: StateMap;
  "screen-changed": { version: string };
  "session-ended": Record<string, never>;
  agent: { waiting: boolean };
  reply: Reply;
}

/** The state of every note of the session, by id. */
export type StateMap = Record<string, NoteState>;

/** The latest answer of the agent. */
export interface Reply {
  text: string;
  /** The notes that were being worked on when it came. */
  ids: string[];
  /** ISO-8601; also what a reply is known by. */
  at: string;
}

/** What `POST /annotation` carries (10.1 and 15.7), keys in the order shown there. */
export interface PostedNote {
  /** The screen's file as `PAGE_ATTRIBUTE` names it. */
  page: string;
  comment: string;
  selector: string;
  textSnippet: string | null;
  rect: Box | null;
  point: Point | null;
  variant?: string[];
  context: Context;
  client_id: string;
}

/** A box in CSS pixels, relative to the viewport unless said otherwise. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where the person pointed, with the viewport it was pointed in. */
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

/** The answer to a posted note. */
export interface PostedAnswer {
  ok: true;
  id: string;
  number?: number;
  /** Absent when the note could be written to disk. */
  persisted?: false;
}

/** `GET LIST_PATH`; a record has what the agent is handed, its state and its page. */
export interface NoteList {
  session: string;
  ended: boolean;
  reason?: EndReason;
  /** Asked by a document: whether it may do more with the cookie (5.3). */
  known?: boolean;
  waiting: boolean;
  reply: Reply | null;
  records: { id: string; state: NoteState; page: string }[];
}

/** The answer 410 everywhere, and that of `END_PATH`. */
export interface EndedAnswer {
  status: "session-ended";
  /** An `EndReason`, or what a file of another version names. */
  reason?: string;
}

/** `GET VERSION_PATH`: which screen is the newest. */
export interface Version {
  /** Null when there is none. */
  screen: string | null;
  mtimeMs: number;
}
