import type { NoteImage } from "../../kernel/shared/annotate-wire.ts";
import * as wire from "../../kernel/shared/annotate-wire.ts";
import type { App } from "../app.ts";
import { textOr } from "../page/json.ts";
import { randomId } from "../page/random-id.ts";
import { saveDelay } from "../page/retry-delays.ts";
import { cancel, later } from "../page/timers.ts";
import { targetKey } from "../target/targets.ts";
import type { Anchor, Note } from "../types.ts";
import { noteBody } from "./body.ts";
import { isUnsent, isWhole, markSaved } from "./notes.ts";
import { noteName } from "./words.ts";

/** What the person does with notes, and what becomes of it at the server (15.7). */
export interface NoteActions {
  /** Save a new note; `send` also sends everything unsent once it is saved. */
  add(anchor: Anchor, words: Words, send: boolean): void;
  /** Replace the words of an unsent note; the answer says what to do with the text. */
  edit(note: Note, words: Words): Promise<"saved" | "sent" | "failed">;
  remove(note: Note): Promise<void>;
  /** Have a note back that no agent has taken yet. */
  recall(note: Note): Promise<void>;
  retry(): void;
  send(): Promise<void>;
  end(): Promise<void>;
  /** Whether a note is on its way to the server. */
  isSaving(): boolean;
  /** Unsent notes of all screens. */
  unsent(): Note[];
}

/** What the person says in a note. */
export interface Words {
  comment: string;
  images: readonly NoteImage[];
}

const LONG = "This note is too long to be saved.";
const MANY = "Too many notes in this session. Let the agent work through some first.";

/** The server keeps a deleted note this long. */
const UNDO_MS = wire.RESTORE_MS;

const pathOf = ({ id }: Note): string => `${wire.LIST_PATH}/${encodeURIComponent(id!)}`;

export function createNotes(app: App): NoteActions {
  const { model, api } = app;
  let sendWanted = false;
  const timers = new Map<string, number>();

  const changed = () => {
    app.update();
    app.remember();
  };
  const find = (key: string) => model.notes.find((note) => note.key === key);
  const patch = (key: string, change: Partial<Note>) => {
    model.notes = model.notes.map((note) => (note.key === key ? { ...note, ...change } : note));
    changed();
  };
  const isSaving = () => model.notes.some((note) => note.state === "saving");

  const save = async (key: string, attempt: number) => {
    cancel(timers.get(key));
    const note = find(key);
    if (note === undefined || note.clientId === null || note.id !== null) return;
    patch(key, { state: "saving" });
    const { status, data } = await api<wire.PostedAnswer>(
      "POST",
      wire.NOTE_PATH,
      noteBody(
        note.anchor,
        note.comment,
        note.images.map(({ id }) => id),
        note.clientId,
      ),
    );
    if (status === 200 && typeof data.id === "string") {
      const number = typeof data.number === "number" ? data.number : null;
      model.notes = markSaved(model.notes, key, { id: data.id, number });
      app.announce(`${number === null ? "Note" : `Note ${number}`} added, not sent`);
      if (data.persisted === false)
        model.notice = { text: "Saved, but the preview could not write the note to disk.", action: null };
      changed();
    } else if (status === 400) reject(key, textOr(data.detail, "The note was refused."));
    else if (status === 409) reject(key, "This question is no longer open.");
    else if (status === 413) reject(key, LONG);
    else if (status === 429) reject(key, MANY);
    else if (status === 410) {
      reject(key, null);
      app.link.refused(410, textOr(data.reason, null));
    } else {
      patch(key, { state: "unsaved" });
      if (status === 401) app.link.refused(401, null);
      const delay = saveDelay(attempt);
      if (delay !== null)
        timers.set(
          key,
          later(() => void save(key, attempt + 1), delay),
        );
    }
    settled();
  };

  /** The server will not take the note: its text goes back to the person as a draft. */
  const reject = (key: string, message: string | null) => {
    const note = find(key);
    if (note === undefined) return;
    model.notes = model.notes.filter((other) => other !== note);
    model.drafts = [
      ...model.drafts,
      {
        key: targetKey(note.anchor),
        anchor: note.anchor,
        text: note.comment,
        images: note.images,
        editOf: null,
      },
    ];
    if (message !== null && isWhole(note.anchor)) {
      // The first line of a verdict are its button's words.
      const { context } = note.anchor;
      const text = context.kind === "verdict" ? note.comment.replace(/^.*\n?/, "") : note.comment;
      app.message.reopen(text, note.images, message);
    } else if (message !== null) app.composer.reopen(note.anchor, note.comment, message);
    changed();
  };

  const settled = () => {
    if (isSaving()) return;
    app.incoming.settled();
    if (sendWanted && !model.notes.some((note) => note.state === "unsaved")) void send();
    app.reloader.check();
  };

  const send = async () => {
    if (isSaving()) {
      sendWanted = true;
      return;
    }
    const unsaved = model.notes.filter((note) => note.state === "unsaved");
    if (unsaved.length > 0) {
      sendWanted = true;
      for (const note of unsaved) void save(note.key, 0);
      return;
    }
    sendWanted = false;
    if (model.sending) return;
    model.sending = true;
    model.notice = null;
    app.update();
    const { status, data } = await api("POST", wire.SEND_PATH);
    model.sending = false;
    if (status === 401 || status === 410) app.link.refused(status, textOr(data.reason, null));
    else if (status !== 200)
      model.notice = { text: "Could not send to agent.", action: { label: "Retry", run: () => void send() } };
    app.update();
  };

  const end = async () => {
    model.confirmingEnd = false;
    model.notice = null;
    app.update();
    const { status, data } = await api<wire.EndedAnswer>("POST", wire.END_PATH);
    if (status === 200 || status === 410) app.link.refused(410, textOr(data.reason, null) ?? "user-ended");
    else if (status === 401) app.link.refused(401, null);
    else model.notice = { text: "Could not end session.", action: { label: "Retry", run: () => void end() } };
    app.update();
  };

  const forget = (note: Note) => {
    cancel(timers.get(note.key));
    model.notes = model.notes.filter((other) => other.key !== note.key);
    const undo = () => (note.id === null ? add(note.anchor, note, false) : void restore(note));
    app.toolbar.offer({ text: `${noteName(note)} deleted.`, action: { label: "Undo", run: undo } }, UNDO_MS);
    app.announce(`${noteName(note)} deleted`);
    changed();
  };

  const restore = async (note: Note) => {
    const { status } = await api("POST", `${pathOf(note)}/restore`);
    if (status === 200) {
      model.notes = [...model.notes, { ...note, state: "held", seen: false }];
      app.announce(`${noteName(note)} is back`);
      void app.incoming.refresh();
    } else if (status === 401 || status === 410) app.link.refused(status, null);
    else model.notice = { text: `${noteName(note)} could not be brought back.`, action: null };
    changed();
  };

  const recall = async (note: Note) => {
    const { status } = await api("POST", `${pathOf(note)}/recall`);
    if (status === 200) app.announce(`${noteName(note)} is not sent any more`);
    else if (status === 401 || status === 410) app.link.refused(status, null);
    else if (status === 409 || status === 404)
      model.notice = { text: `${noteName(note)} is already with the agent.`, action: null };
    else model.notice = { text: `${noteName(note)} could not be taken back.`, action: null };
    app.update();
  };

  const remove = async (note: Note) => {
    if (note.id === null) return forget(note);
    const { status } = await api("DELETE", pathOf(note));
    if (status === 200 || status === 404) return forget(note);
    if (status === 401 || status === 410) app.link.refused(status, null);
    else if (status === 409) model.notice = { text: `${noteName(note)} was already sent.`, action: null };
    else
      model.notice = {
        text: "Could not delete the note.",
        action: { label: "Retry", run: () => void remove(note) },
      };
    app.update();
  };

  const edit = async (note: Note, { comment, images }: Words) => {
    const change = { comment: comment.trim(), images };
    if (note.id === null) {
      patch(note.key, change);
      void save(note.key, 0);
      return "saved";
    }
    const body = { comment: change.comment, images: images.map(({ id }) => id) };
    const { status } = await api("PATCH", pathOf(note), body);
    if (status === 200) {
      model.notice = null;
      patch(note.key, change);
      return "saved";
    }
    if (status === 401 || status === 410) app.link.refused(status, null);
    return status === 409 || status === 404 ? "sent" : "failed";
  };

  const add = (anchor: Anchor, { comment, images }: Words, andSend: boolean) => {
    const clientId = randomId();
    model.notes = [
      ...model.notes,
      {
        key: clientId,
        id: null,
        clientId,
        number: null,
        comment: comment.trim(),
        state: "saving",
        outcome: null,
        answers: [],
        images,
        anchor,
        looked: false,
        seen: false,
        doneShown: 0,
        place: isWhole(anchor) ? null : app.pins.placeOf(anchor),
      },
    ];
    if (andSend) sendWanted = true;
    void save(clientId, 0);
  };

  return {
    add,
    edit,
    remove,
    recall,
    retry: () => {
      for (const note of model.notes) if (note.state === "unsaved") void save(note.key, 0);
    },
    send,
    end,
    isSaving,
    unsent: () => model.notes.filter(isUnsent),
  };
}
