import { LIST_PATH, type NoteList } from "../../kernel/shared/annotate-wire.ts";
import type { App } from "../app.ts";
import type { Unread } from "../page/json.ts";
import { isRecord } from "../page/json.ts";
import { count } from "../target/text.ts";
import type { Note, NoteState } from "../types.ts";
import { applyStates, mergeRecords, readRecord, readStates } from "./notes.ts";

/** What the server tells: state maps, lists of records, replies. It decides every status (15.10). */
export interface Incoming {
  states(data: unknown): void;
  list(data: Unread<NoteList>): void;
  reply(data: unknown): void;
  /** Ask for the full list, once nothing is being saved. */
  refresh(): Promise<void>;
  /** Saves that were under way are through. */
  settled(): void;
}

export function createIncoming(app: App): Incoming {
  const { model } = app;
  /** The last state map; a list asked for earlier may arrive after it. */
  let lastStates = new Map<string, NoteState>();
  let wanted = false;

  const changed = () => {
    app.update();
    app.remember();
  };

  const refresh = async () => {
    // A note being saved may be in the list already, and would be drawn twice.
    wanted = app.notes.isSaving();
    if (wanted) return;
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
    const records = (data.records as unknown[])
      .map(readRecord)
      .filter((note): note is Note => note !== null)
      // While a stream is live its map is newer: a note it does not name is deleted, or about to be named.
      .filter((note) => !live || lastStates.has(note.id!))
      .map((note) => ({ ...note, state: lastStates.get(note.id!) ?? note.state }));
    model.notes = mergeRecords(model.notes, records);
    if (typeof data.waiting === "boolean") model.agentWaiting = data.waiting;
    reply(data.reply);
    changed();
  };

  const states = (data: unknown) => {
    const next = readStates(data);
    const same = JSON.stringify([...next]) === JSON.stringify([...lastStates]);
    lastStates = next;
    const applied = applyStates(model.notes, next);
    model.notes = applied.notes;
    // The same map twice means that a note's words changed in another tab.
    if (applied.unknown.length > 0 || (same && next.size > 0)) void refresh();
    announce(applied.changed);
    changed();
  };

  const announce = (notes: readonly Note[]) => {
    const inState = (state: NoteState) => notes.filter((note) => note.state === state).length;
    const [queued, working, done] = [inState("queued"), inState("working"), inState("done")];
    if (queued > 0) app.announce(`${count(queued, "note")} sent to the agent`);
    if (working > 0) app.announce(`Agent is working on ${count(working, "note")}`);
    if (done > 0) app.announce(`Agent is done with ${count(done, "note")} — check the result`);
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

  return {
    states,
    list,
    reply,
    refresh,
    settled() {
      if (wanted) void refresh();
    },
  };
}
