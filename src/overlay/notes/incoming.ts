import { LIST_PATH, type NoteList } from "../../kernel/shared/annotate-wire.ts";
import type { App } from "../app.ts";
import type { Unread } from "../page/json.ts";
import { isRecord, textOr } from "../page/json.ts";
import { later, now } from "../page/timers.ts";
import { count } from "../target/text.ts";
import type { Note, NoteState } from "../types.ts";
import { applyStates, mergeRecords, readRecord, readStates } from "./notes.ts";
import { fullStatus, noteName, standingOf } from "./words.ts";

/** What the server tells: state maps, lists of records, replies, questions. It decides every status (15.10). */
export interface Incoming {
  states(data: unknown): void;
  list(data: Unread<NoteList>): void;
  reply(data: unknown): void;
  agent(data: unknown): void;
  ask(data: unknown): void;
  /** The list says more than this tab knows, when its number is another. */
  rev(data: unknown): void;
  /** Ask for the full list, once nothing is being saved. */
  refresh(): Promise<void>;
  /** Saves that were under way are through. */
  settled(): void;
}

/** A tab asks for the list at most this often. */
const REFRESH_MS = 1000;

export function createIncoming(app: App): Incoming {
  const { model } = app;
  /** The last state map; a list asked for earlier may arrive after it. */
  let lastStates = new Map<string, NoteState>();
  let wanted = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let timer = 0;
  let listed: number | null = null;

  const changed = () => {
    app.update();
    app.remember();
  };

  const refresh = async () => {
    // A note being saved may be in the list already, and would be drawn twice.
    wanted = app.notes.isSaving();
    if (wanted || timer !== 0) return;
    const wait = askedAt + REFRESH_MS - now();
    if (wait > 0) {
      timer = later(() => {
        timer = 0;
        void refresh();
      }, wait);
      return;
    }
    askedAt = now();
    const { status, data } = await app.api<NoteList>("GET", LIST_PATH);
    if (status === 200) list(data);
    else if (status === 401) app.link.refused(401, null);
  };

  const list = (data: Unread<NoteList>) => {
    if (!Array.isArray(data.records)) return;
    // Another server answers at this address, and a credential another tab got from it: start anew there.
    if (data.session !== app.boot.session) return app.reloader.now();
    const live = model.connection === "live";
    if (!live) lastStates.clear();
    if (typeof data.rev === "number") listed = data.rev;
    const records = (data.records as unknown[])
      .map(readRecord)
      .filter((note): note is Note => note !== null)
      // While a stream is live its map is newer: a note it does not name is deleted, or about to be named.
      .filter((note) => !live || lastStates.has(note.id!))
      .map((note) => ({ ...note, state: lastStates.get(note.id!) ?? note.state }));
    const before = new Map(model.notes.map((note) => [note.id, note]));
    model.notes = mergeRecords(model.notes, records);
    announceOutcomes(before);
    agent(data);
    reply(data.reply);
    if ("ask" in data) ask(data.ask);
    app.list.pending();
    changed();
  };

  const states = (data: unknown) => {
    const next = readStates(data);
    lastStates = next;
    const applied = applyStates(model.notes, next);
    // That a note is done says nothing of what became of it: only the list does, so it is shown with the list.
    const settled = applied.changed.filter((note) => note.state === "done");
    model.notes = applied.notes.map((note) =>
      settled.includes(note) ? model.notes.find((one) => one.key === note.key)! : note,
    );
    if (applied.unknown.length > 0 || settled.length > 0) void refresh();
    announce(applied.changed);
    changed();
  };

  const announce = (notes: readonly Note[]) => {
    const inState = (state: NoteState) => notes.filter((note) => note.state === state).length;
    const [queued, working] = [inState("queued"), inState("working")];
    if (queued > 0) app.announce(`${count(queued, "note")} sent to the agent`);
    if (working > 0) app.announce(`Agent is working on ${count(working, "note")}`);
  };

  /** What became of notes since, each once. */
  const announceOutcomes = (before: ReadonlyMap<string | null, Note>) => {
    const said: string[] = [];
    for (const note of model.notes) {
      const known = before.get(note.id);
      if (known === undefined || note.id === null) continue;
      const more = note.answers.slice(known.answers.length).filter(({ kind }) => kind === "reply");
      for (const { text } of more) said.push(`${noteName(note)}, agent: ${text}`);
      const [was, is] = [fullStatus(known), fullStatus(note)];
      const hasOutcome = note.state === "working" || note.state === "done";
      if (was !== is && hasOutcome && standingOf(note) !== "working") said.push(`${noteName(note)}: ${is}`);
    }
    if (said.length > 0) app.announce(said.join(". "));
  };

  const reply = (data: unknown) => {
    if (!isRecord(data)) return;
    const { text, at } = data;
    if (typeof text !== "string" || typeof at !== "string") return;
    model.reply = { text, at };
    if (model.ui.replyAnnounced !== at) {
      model.ui.replyAnnounced = at;
      if (model.ui.listOpen) model.ui.replyRead = at;
      app.announce(`Agent: ${text}`);
    }
    changed();
  };

  const agent = (data: unknown) => {
    if (!isRecord(data) || typeof data["waiting"] !== "boolean") return;
    const since = (age: unknown) => (typeof age === "number" ? now() - age : null);
    model.agent = {
      waiting: data["waiting"],
      seenAt: since(data["seen_ms"]),
      takenAt: since(data["taken_ms"]),
    };
    changed();
  };

  const ask = (data: unknown) => {
    const before = model.ask;
    model.ask = null;
    if (isRecord(data) && typeof data["id"] === "string") {
      const choices = Array.isArray(data["choices"]) ? data["choices"] : [];
      model.ask = {
        id: data["id"],
        question: textOr(data["question"], ""),
        choices: choices.filter((name): name is string => typeof name === "string"),
        at: textOr(data["at"], ""),
      };
    }
    if (model.ask !== null && model.ask.id !== before?.id)
      app.announce(`The agent asks: ${model.ask.question}`);
    changed();
  };

  return {
    states,
    list,
    reply,
    agent,
    ask,
    rev(data) {
      if (isRecord(data) && data["rev"] !== listed) void refresh();
    },
    refresh,
    settled() {
      if (wanted) void refresh();
    },
  };
}
