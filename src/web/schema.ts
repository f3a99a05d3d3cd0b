import * as v from "valibot";
import { ANSWER_KINDS, END_REASONS, NOTE_STATES, OUTCOMES } from "../kernel/shared/annotate-wire.ts";

const Integer = v.pipe(v.number(), v.integer());
const JsonObject = v.record(v.string(), v.unknown());

/** Why a session ended (docs/spec/web.md 13.1). */
export const EndReasonSchema = v.picklist(END_REASONS);

/**
 * `state/display-info.json`, and what `start`, `serve` and `status` print (docs/spec/web.md 3.1). Keys an older writer did
 * not know may be missing.
 */
export const DisplayInfoSchema = v.looseObject({
  status: v.string(),
  root: v.string(),
  host: v.string(),
  port: Integer,
  url: v.string(),
  screen_dir: v.string(),
  state_dir: v.string(),
  pid: Integer,
  owner_pid: v.nullable(Integer),
  token: v.optional(v.string()),
  annotate: v.optional(v.boolean()),
  session_ended: v.optional(v.boolean()),
  session_end_reason: v.optional(v.string()),
  authorize_url: v.optional(v.string()),
  urls: v.optional(v.array(v.string())),
  pid_start: v.optional(v.string()),
  started_at: v.optional(v.string()),
  jig_version: v.optional(v.string()),
});
export type DisplayInfo = v.InferOutput<typeof DisplayInfoSchema>;

/** What `stop`, and `status` of a stopped server, print. */
export const StoppedSchema = v.object({
  status: v.literal("stopped"),
  root: v.string(),
  session_end_reason: v.optional(v.string()),
});
export type Stopped = v.InferOutput<typeof StoppedSchema>;

/** One note as it is handed to the agent (docs/spec/web.md 10.2). */
export const NoteRecordSchema = v.object({
  id: v.string(),
  screen: v.string(),
  comment: v.string(),
  selector: v.string(),
  textSnippet: v.nullable(v.string()),
  variant: v.nullable(v.array(v.string())),
  rect: v.nullable(JsonObject),
  point: v.nullable(JsonObject),
  context: v.optional(JsonObject),
  number: v.optional(v.pipe(Integer, v.minValue(1))),
});
export type NoteRecord = v.InferOutput<typeof NoteRecordSchema>;

/** What the agent said about a note (docs/spec/web.md 10.4). */
const AnswerSchema = v.object({
  kind: v.picklist(ANSWER_KINDS),
  text: v.exactOptional(v.string()),
  at: v.string(),
});

/** An image of a note; its file is `state/images/<id>.<ext>` (docs/spec/web.md 11.4). */
const NoteImageSchema = v.object({ id: v.string(), type: v.string(), bytes: Integer });

/**
 * A note with its state and times: `web annotations`, and `state/annotations.json`. What an agent never answered and has
 * no images has the keys of the first edition.
 */
export const StoredNoteSchema = v.looseObject({
  ...NoteRecordSchema.entries,
  state: v.picklist(NOTE_STATES),
  created_at: v.pipe(v.string(), v.isoTimestamp()),
  delivered_at: v.nullable(v.string()),
  outcome: v.optional(v.picklist(OUTCOMES)),
  answers: v.optional(v.array(AnswerSchema)),
  images: v.optional(v.array(NoteImageSchema)),
});
export type StoredNote = v.InferOutput<typeof StoredNoteSchema>;

/** `state/annotations.json` (docs/spec/web.md 11.3). */
export const NotesFileSchema = v.looseObject({
  format: v.literal(1),
  session: v.string(),
  last_number: v.pipe(Integer, v.minValue(0)),
  records: v.array(StoredNoteSchema),
});
export type NotesFile = v.InferOutput<typeof NotesFileSchema>;

/** The end of a session as `wait` prints it. */
export const SessionEndedSchema = v.object({
  status: v.literal("session-ended"),
  reason: v.optional(EndReasonSchema),
});

/** What `wait` prints when its `--timeout` is up. */
export const WaitingSchema = v.object({ status: v.literal("waiting") });

/** What `wait` prints when a newer one has taken its place. */
export const SupersededSchema = v.object({ status: v.literal("superseded") });

/** What `reply` prints. */
export const RepliedSchema = v.object({ ok: v.literal(true) });
export type Replied = v.InferOutput<typeof RepliedSchema>;

export const schemas: Record<string, v.GenericSchema> = {
  "web-display-info": v.pipe(
    DisplayInfoSchema,
    v.description("display-info.json, and what jig web start, serve and status print"),
  ),
  "web-stopped": v.pipe(
    StoppedSchema,
    v.description("jig web stop, and status of a server that does not run"),
  ),
  "web-batch": v.pipe(v.array(NoteRecordSchema), v.description("Notes handed over by jig web wait")),
  "web-session-ended": v.pipe(SessionEndedSchema, v.description("jig web wait after the session ended")),
  "web-waiting": v.pipe(WaitingSchema, v.description("jig web wait --timeout when nothing came")),
  "web-superseded": v.pipe(
    SupersededSchema,
    v.description("jig web wait when a newer one has taken its place"),
  ),
  "web-replied": v.pipe(RepliedSchema, v.description("jig web reply")),
  "web-annotations": v.pipe(v.array(StoredNoteSchema), v.description("jig web annotations")),
  "web-annotations-file": v.pipe(NotesFileSchema, v.description("annotations.json of a root")),
};
