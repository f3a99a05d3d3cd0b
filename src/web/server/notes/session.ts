import type { EndReason, Reply } from "../../../kernel/shared/annotate-wire.ts";
import type { NoteRecord } from "../../schema.ts";
import { frame, makeStreams, type Stream, type Streams } from "../changes/streams.ts";
import type { Clock, Times } from "../config.ts";
import { type Deliveries, makeDeliveries } from "./delivery.ts";
import { makeNotes, type Note, type Notes, type StartingNotes } from "./notes.ts";
import { makeTabs, type Tabs } from "./tabs.ts";

/** One annotate session: notes, the streams that show them, the waits that take them (docs/spec/web.md 10 to 13). */
export interface Session {
  /** Not secret; in every document. */
  readonly id: string;
  readonly notes: Notes;
  readonly deliveries: Deliveries;
  readonly tabs: Tabs;
  readonly streams: Streams;
  readonly ended: { reason: EndReason } | undefined;
  readonly reply: Reply | undefined;
  /** An agent waits, or did until a moment ago. */
  readonly agentWaiting: boolean;
  /** Store a note, on disk before this returns unless `persisted` is false. Undefined: too many. */
  post(input: Omit<NoteRecord, "id" | "number">, clientId: string | undefined): Posted | undefined;
  /** False when the change could not be written to disk. */
  edit(note: Note, comment: string): boolean;
  remove(note: Note): boolean;
  flush(): void;
  setReply(text: string): void;
  openStream(
    document: string | null,
    signal: AbortSignal,
  ): { stream: Stream; response: Response } | undefined;
  /** The first reason wins; a later end changes nothing. */
  end(reason: EndReason): void;
}

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
  streamOpened(stream: Stream): void;
  streamClosed(): void;
}

/** An agent between two waits counts as present this long. */
const PRESENCE_MS = 3000;

export function makeSession(
  start: StartingNotes,
  times: Times,
  clock: Clock,
  events: SessionEvents,
): Session {
  const notes = makeNotes(start, clock);
  let ended: { reason: EndReason } | undefined;
  let reply: Reply | undefined;
  let agentWaiting = false;
  let absence: ReturnType<typeof setTimeout> | undefined;

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
    parkedChanged(count) {
      clearTimeout(absence);
      if (count > 0) showAgent(true);
      else absence = setTimeout(() => showAgent(false), PRESENCE_MS);
    },
    ended: () => ended,
  });

  function noteStatesChanged() {
    announce();
    events.saveSoon();
  }

  function announce() {
    if (streams.size > 0) streams.broadcast(frame("annotations", notes.stateMap()));
  }

  function showAgent(waiting: boolean) {
    if (waiting === agentWaiting) return;
    agentWaiting = waiting;
    streams.broadcast(frame("agent", { waiting }));
  }

  function end(reason: EndReason) {
    if (ended !== undefined) return;
    ended = { reason };
    events.ended(reason);
    tabs.stop();
    deliveries.finishWorking();
    for (const note of notes.inState("held")) note.state = "queued";
    noteStatesChanged();
    deliveries.end();
    streams.end(frame("session-ended", {}));
  }

  return {
    id: globalThis.crypto.randomUUID(),
    notes,
    deliveries,
    tabs,
    streams,
    get ended() {
      return ended;
    },
    get reply() {
      return reply;
    },
    get agentWaiting() {
      return agentWaiting;
    },
    post(input, clientId) {
      const known = clientId === undefined ? undefined : notes.ofClient(clientId);
      if (known !== undefined) return { note: known, persisted: events.save() };
      const note = notes.add(input, clientId);
      if (note === undefined) return undefined;
      const persisted = events.save();
      announce();
      return { note, persisted };
    },
    edit(note, comment) {
      notes.edit(note, comment);
      const persisted = events.save();
      announce();
      return persisted;
    },
    remove(note) {
      notes.remove(note);
      const persisted = events.save();
      announce();
      return persisted;
    },
    flush() {
      const held = notes.inState("held");
      for (const note of held) note.state = "queued";
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
        frame("agent", { waiting: agentWaiting }),
        reply === undefined ? "" : frame("reply", reply),
      ];
      return streams.open(document, signal, first.join(""));
    },
    end,
  };
}
