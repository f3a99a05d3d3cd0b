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
export const OUTCOMES_PATH = `${RESERVED}outcomes`;
export const ASK_PATH = `${RESERVED}ask`;
export const TARGETS_PATH = `${RESERVED}targets`;
export const IMAGES_PATH = `${RESERVED}images`;
export const REVIVE_PATH = `${RESERVED}revive`;
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
/** Most bytes of an image, and images of a note (15.16). */
export const IMAGE_BYTES = 5 << 20;
export const NOTE_IMAGES = 4;
/** Milliseconds a deleted note can be put back at its place (9). */
export const RESTORE_MS = 60_000;
/** Most bytes of a note's `context` as JSON: a longer one is dropped (10.1). */
export const CONTEXT_BYTES = 8192;

/** Where a note is on its way to the agent (10.3). */
export const NOTE_STATES = ["held", "queued", "working", "done"] as const;
export type NoteState = (typeof NOTE_STATES)[number];

/** What the agent says about a note (10.4). */
export const ANSWER_KINDS = ["done", "declined", "question", "reply"] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** What became of a note: its latest answer that is no mere reply, or that it went unanswered (10.4). */
export const OUTCOMES = ["done", "declined", "question", "passed", "abandoned"] as const;
export type NoteOutcome = (typeof OUTCOMES)[number];

export interface Answer {
  kind: AnswerKind;
  /** Absent for a plain `done`. */
  text?: string;
  at: string;
}

/** An image of a note; the bytes are at `IMAGES_PATH/<id>`. */
export interface NoteImage {
  id: string;
  type: string;
  bytes: number;
}

/** The answer to an uploaded image. */
export interface ImageAnswer {
  ok: true;
  id: string;
  type: string;
  width: number;
  height: number;
}

/** A question the agent asks of the whole screen (9). */
export interface Ask {
  id: string;
  question: string;
  /** Empty: whether it looks good. */
  choices: string[];
  at: string;
}

/** Choices of a question that names none, with the buttons' words. */
export const PLAIN_CHOICES = { "looks-good": "Looks good", "needs-changes": "Needs changes" } as const;

/** Why a session ended (13.1). */
export const END_REASONS = ["user-ended", "connection-lost", "idle", "owner-exited", "stopped"] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Events of the stream (12.1). */
export const FRAME_NAMES = [
  "annotations",
  "screen-changed",
  "session-ended",
  "agent",
  "reply",
  "ask",
  "notes",
] as const;
export type FrameName = (typeof FRAME_NAMES)[number];

/** What each event carries. */
export interface Frames extends Record<FrameName, object | null> {
  annotations: StateMap;
  "screen-changed": { version: string };
  "session-ended": Record<string, never>;
  agent: Presence;
  reply: Reply;
  /** The open question, or null. */
  ask: Ask | null;
  /** One higher whenever anything but a state changed in the list. */
  notes: { rev: number };
}

/** Whether an agent waits, and how long ago, in milliseconds, it was heard and took what it works on; null: never. */
export interface Presence {
  waiting: boolean;
  seen_ms: number | null;
  taken_ms: number | null;
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
  /** Ids of uploaded images, all of them. */
  images?: string[];
  client_id: string;
}

/** The fields that say where a note's target is: `TARGETS_PATH` refreshes them. */
export type TargetFields = Pick<
  PostedNote,
  "selector" | "textSnippet" | "variant" | "rect" | "point" | "context"
>;

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

/** `message` and `verdict` are about the screen as a whole. */
export type Kind = "element" | "region" | "text" | "message" | "verdict";
export const KINDS: readonly Kind[] = ["element", "region", "text", "message", "verdict"];

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
  /** `outer`, which the server adds: the screen that shows the frame, when the frame shows a screen too. */
  frame?: Frame;
  follow_up_of?: string;
  /** The question of the agent this note answers. */
  in_reply_to?: { id: string; number: number | null; question: string };
  /** What stands around the target: the innermost thing, its place among its kind, the heading before it. */
  near?: Near;
  /** The thing's opening tag. */
  item_html?: string;
  /** The other elements of a note on several. */
  targets?: OtherTarget[];
  /** What the overlay finds the target again with (15.10); its own. */
  print?: object;
  /** The target fields were refreshed after an edit, and, from the first doubtful find on, may be about another thing. */
  retargeted?: true;
  edited?: true;
  /** Of a verdict. */
  ask?: string;
  question?: string;
  choice?: string;
}

export interface Frame {
  selector: string;
  page: string;
  outer?: string;
}

export interface Near {
  item: string;
  /** `3 of 9`. */
  place: string;
  heading: string | null;
  before: string | null;
  after: string | null;
}

export interface OtherTarget {
  selector: string;
  label: string;
  text: string;
  frame?: Frame;
  shadow?: string[];
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
  seen_ms: number | null;
  taken_ms: number | null;
  reply: Reply | null;
  ask: Ask | null;
  rev: number;
  records: ListedNote[];
}

/** A record of the list, beside what the agent is handed. */
export interface ListedNote {
  id: string;
  state: NoteState;
  page: string;
  outcome: NoteOutcome | null;
  answers: Answer[];
  images: NoteImage[];
  created_at: string;
  delivered_at: string | null;
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
