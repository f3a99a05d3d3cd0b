import {
  type Answer,
  type EndReason,
  type NoteImage,
  RESTORE_MS,
  type Reply,
} from "../../../kernel/shared/annotate-wire.ts";
import type { NoteRecord } from "../../schema.ts";
import { frame, makeStreams, type Stream, type Streams } from "../changes/streams.ts";
import type { Clock, Times } from "../config.ts";
import { type ImageStore, makeImageStore } from "../images/image-store.ts";
import { recordWithImages } from "./delivered-record.ts";
import { type Deliveries, makeDeliveries } from "./delivery.ts";
import { makeNotes, type Note, type Notes, type StartingNotes } from "./notes.ts";
import { makePresence, type PresenceTrack } from "./presence.ts";
import { makeQuestions, type Questions } from "./questions.ts";
import { makeTabs, type Tabs } from "./tabs.ts";

/** One annotate session: notes, the streams that show them, the waits that take them (docs/spec/web.md 10 to 13). */
export interface Session {
  /** Not secret; in every document. */
  readonly id: string;
  readonly notes: Notes;
  readonly deliveries: Deliveries;
  readonly tabs: Tabs;
  readonly streams: Streams;
  readonly images: ImageStore;
  /** Whether a note has this image, also one that may still be put back. */
  isNamed(id: string): boolean;
  readonly questions: Questions;
  readonly presence: PresenceTrack;
  readonly ended: { reason: EndReason } | undefined;
  readonly reply: Reply | undefined;
  /** One higher whenever the list says more than other states (docs/spec/web.md 12.1). */
  readonly rev: number;
  /** Store a note, on disk before this returns unless `persisted` is false. Why it is not taken otherwise. */
  post(input: PostedRecord, clientId: string | undefined, images: NoteImage[]): Posted | "many" | "closed";
  /** False when the change could not be written to disk. */
  edit(note: Note, comment: string, images: readonly NoteImage[]): boolean;
  remove(note: Note): boolean;
  /** Put a note back that was deleted a moment ago; undefined when there is none. */
  restore(id: string): { persisted: boolean } | undefined;
  /** A queued note is the person's again. */
  recall(note: Note): boolean;
  /** Take over where targets are now. */
  retarget(changes: readonly { note: Note; record: NoteRecord }[]): boolean;
  /** What the agent said about delivered notes. False when it could not be written to disk. */
  answer(answers: readonly { note: Note; answer: Answer }[]): boolean;
  flush(): void;
  setReply(text: string): void;
  openStream(
    document: string | null,
    signal: AbortSignal,
  ): { stream: Stream; response: Response } | undefined;
  /** The first reason wins; a later end changes nothing. */
  end(reason: EndReason): void;
  /** A session that ended because its tabs were closed goes on. False for another reason. */
  revive(): boolean;
  /** The process is about to exit. */
  close(): void;
}

export type PostedRecord = Omit<NoteRecord, "id" | "number">;

export interface Posted {
  note: Note;
  persisted: boolean;
}

export interface SessionEvents {
  /** Write the notes to disk now; false when that failed. */
  save(): boolean;
  /** Write them soon, together with what else changes. */
  saveSoon(): void;
  /** The session ended: record it before anybody is told. */
  ended(reason: EndReason): void;
  /** It goes on after all. */
  revived(): void;
  streamOpened(stream: Stream): void;
  streamClosed(): void;
}

/** Where a session keeps its images. */
export interface SessionState {
  directory: string;
  uid: number | undefined;
}

/** A deleted note, while it can be put back. */
interface Removed {
  note: Note;
  place: number;
  timer: ReturnType<typeof setTimeout>;
}

export function makeSession(
  start: StartingNotes,
  state: SessionState,
  times: Times,
  clock: Clock,
  events: SessionEvents,
): Session {
  const notes = makeNotes(start, clock);
  const removed = new Map<string, Removed>();
  let ended: { reason: EndReason } | undefined;
  let reply: Reply | undefined;
  let rev = 1;

  const images = makeImageStore(state.directory, state.uid, clock.now, () => ({
    isNamed,
    releaseOldest,
  }));
  const presence = makePresence(clock.monotonic, () => streams.broadcast(frame("agent", presence.current)));
  const questions = makeQuestions(clock.now, isUnread, () => streams.broadcast(frame("ask", questions.open)));
  const tabs = makeTabs(times.grace, clock, () => end("connection-lost"));
  const streams = makeStreams({
    opened(stream) {
      tabs.opened(stream.document);
      events.streamOpened(stream);
    },
    closed() {
      tabs.closed();
      events.streamClosed();
    },
  });
  const deliveries = makeDeliveries(notes, times.wait, clock, {
    changed: noteStatesChanged,
    took: presence.took,
    finished() {
      presence.finished();
      // What went unanswered is said by the list alone.
      changeList();
    },
    recordFor: (note) => recordWithImages(note.record, note.images, state.directory),
    parkedChanged: presence.parked,
    ended: () => ended,
  });

  const allKept = () => [...notes.all(), ...[...removed.values()].map(({ note }) => note)];

  const isNamed = (id: string) => allKept().some((note) => note.images.some((image) => image.id === id));

  function isUnread(id: string): boolean {
    const note = notes.find(id);
    return note?.state === "held" || note?.state === "queued" || note?.delivery?.leased === true;
  }

  function releaseOldest(): readonly NoteImage[] {
    const note = notes.all().find((one) => one.state === "done" && one.images.length > 0);
    if (note === undefined) return [];
    const released = note.images;
    note.images = [];
    saveAndTell();
    return released;
  }

  function noteStatesChanged() {
    announce();
    events.saveSoon();
  }

  function announce() {
    if (streams.size > 0) streams.broadcast(frame("annotations", notes.stateMap()));
  }

  function changeList() {
    rev++;
    streams.broadcast(frame("notes", { rev }));
  }

  /** Write a change of the list to disk, then tell the pages. */
  function saveAndTell(): boolean {
    const persisted = events.save();
    announce();
    changeList();
    return persisted;
  }

  function end(reason: EndReason) {
    if (ended !== undefined) return;
    ended = { reason };
    events.ended(reason);
    tabs.stop();
    questions.end();
    deliveries.finishWorking("abandoned");
    for (const note of notes.inState("held")) note.state = "queued";
    noteStatesChanged();
    deliveries.end();
    streams.end(frame("session-ended", {}));
  }

  function forget(id: string) {
    const gone = removed.get(id);
    if (gone === undefined) return;
    clearTimeout(gone.timer);
    removed.delete(id);
    for (const image of gone.note.images) images.remove(image);
  }

  images.sweep();
  return {
    id: globalThis.crypto.randomUUID(),
    notes,
    deliveries,
    tabs,
    streams,
    images,
    isNamed,
    questions,
    presence,
    get ended() {
      return ended;
    },
    get reply() {
      return reply;
    },
    get rev() {
      return rev;
    },
    post(input, clientId, named) {
      const known = clientId === undefined ? undefined : notes.ofClient(clientId);
      if (known !== undefined) return { note: known, persisted: events.save() };
      if (!questions.accepts(input.context)) return "closed";
      const note = notes.add(input, clientId);
      if (note === undefined) return "many";
      note.images = named;
      const persisted = saveAndTell();
      questions.answered(note.record.id, input.context);
      return { note, persisted };
    },
    edit(note, comment, named) {
      notes.replace(note, { ...note.record, comment });
      const dropped = note.images.filter((image) => !named.some((one) => one.id === image.id));
      note.images = named;
      const persisted = saveAndTell();
      for (const image of dropped) images.remove(image);
      return persisted;
    },
    remove(note) {
      const place = notes.remove(note);
      const { id } = note.record;
      removed.set(id, { note, place, timer: setTimeout(() => forget(id), RESTORE_MS) });
      const persisted = saveAndTell();
      questions.withdrawn(id);
      return persisted;
    },
    restore(id) {
      const gone = removed.get(id);
      if (gone === undefined) return undefined;
      clearTimeout(gone.timer);
      removed.delete(id);
      notes.putBack(gone.note, gone.place);
      return { persisted: saveAndTell() };
    },
    recall(note) {
      note.state = "held";
      const persisted = events.save();
      announce();
      questions.withdrawn(note.record.id);
      return persisted;
    },
    retarget(changes) {
      for (const { note, record } of changes) notes.replace(note, record);
      return changes.length === 0 || saveAndTell();
    },
    answer(answers) {
      for (const { note, answer } of answers) {
        deliveries.arrived(note);
        notes.answer(note, answer);
        if (answer.kind !== "reply") note.outcome = answer.kind;
      }
      return answers.length === 0 || saveAndTell();
    },
    flush() {
      const held = notes.inState("held");
      for (const note of held) {
        note.state = "queued";
        questions.answered(note.record.id, note.record.context);
      }
      if (held.length > 0) noteStatesChanged();
      deliveries.serveParked();
    },
    setReply(text) {
      const ids = notes.inState("working").map((note) => note.record.id);
      reply = { text, ids, at: new Date(clock.now()).toISOString() };
      streams.broadcast(frame("reply", reply));
    },
    openStream(document, signal) {
      const first = [
        ":ok\n\n",
        frame("annotations", notes.stateMap()),
        frame("agent", presence.current),
        reply === undefined ? "" : frame("reply", reply),
        frame("ask", questions.open),
        frame("notes", { rev }),
      ];
      return streams.open(document, signal, first.join(""));
    },
    end,
    revive() {
      if (ended === undefined) return true;
      if (ended.reason !== "connection-lost") return false;
      ended = undefined;
      events.revived();
      tabs.revive();
      return true;
    },
    close() {
      presence.stop();
      for (const id of [...removed.keys()]) forget(id);
    },
  };
}
