import type { Context, NoteImage } from "../../../kernel/shared/annotate-wire.ts";
import type { App } from "../../app.ts";
import { canAnnotate } from "../../can-annotate.ts";
import type { Words } from "../../notes/actions.ts";
import { isUnsent, isWhole } from "../../notes/notes.ts";
import { noteName, outcomeText, targetLabel } from "../../notes/words.ts";
import { draggable, setAttribute, setHidden } from "../../page/dom.ts";
import type { Spot } from "../../page/geometry.ts";
import * as page from "../../page/page.ts";
import { targetKey } from "../../target/targets.ts";
import { clip } from "../../target/text.ts";
import type { Anchor, Draft, Note } from "../../types.ts";
import { createAttachments } from "./attachments.ts";
import { createComposerView, writingField } from "./composer-view.ts";

export interface Composer {
  element: HTMLElement;
  /** Comment on a target; text left there before comes back. */
  open(anchor: Anchor, text?: string, images?: readonly NoteImage[]): void;
  edit(note: Note): void;
  /** Go on with a draft, as an edit while the note it changes is still unsent. */
  resume(draft: Draft): void;
  /** Start a new note on a done note's target. */
  followUp(note: Note): void;
  /** Answer what the agent asks about a note. */
  answer(note: Note): void;
  /** Open with a text the server refused, unless the person is writing something else. */
  reopen(anchor: Anchor, text: string, message: string): void;
  /** Close; text that was not added stays as a draft. True when something was open. */
  close(): boolean;
  /** The anchor being commented on, for its outline. */
  anchor(): Anchor | null;
  hasText(): boolean;
  draftKey(): string | null;
  draw(): void;
  place(): void;
}

/** How long discarded text can be had back. */
const UNDO_MS = 10_000;
/** What an answer repeats of its question. */
const QUESTION_LENGTH = 300;

interface Open {
  key: string;
  anchor: Anchor;
  editOf: string | null;
}

export function createComposer(app: App): Composer {
  const { model } = app;
  let open: Open | null = null;
  let busy = false;
  let error = "";
  let dragged: Spot | null = null;
  let focusBefore: HTMLElement | null = null;

  const field = writingField(
    "What should change here?",
    "Your comment",
    () => {
      error = "";
      view.grow();
      keep();
      draw();
      app.update();
    },
    (send) => submit(send),
  );
  setAttribute(field, "aria-describedby", "ce-composer-hint");
  const attachments = createAttachments(
    app,
    field,
    () => element,
    (refused) => {
      error = refused;
      if (open !== null) keep();
      draw();
      app.update();
    },
  );
  const view = createComposerView(field, attachments, {
    abandon: () => abandon(),
    submit: (send) => submit(send),
    copy: () => app.list.copy(field.value),
  });
  const { element } = view;

  const draft = () => model.drafts.find((one) => one.key === open?.key);
  const dropDraft = () => {
    const key = open?.key;
    model.drafts = model.drafts.filter((one) => one.key !== key);
  };

  const keep = () => {
    if (open === null) return;
    const text = field.value;
    dropDraft();
    const images = attachments.images();
    const edited = open.editOf === null ? undefined : findEdited();
    const unchanged = edited?.comment === text.trim() && sameImages(edited.images, images);
    if ((text.trim() !== "" || images.length > 0) && !unchanged)
      model.drafts = [
        ...model.drafts,
        { key: open.key, anchor: open.anchor, text, images, editOf: open.editOf },
      ];
    app.remember();
  };

  const findEdited = () => model.notes.find((note) => note.key === open?.editOf);

  const edit = (note: Note) =>
    show({ key: `edit ${note.key}`, anchor: note.anchor, editOf: note.key }, note.comment, note.images);

  const show = (next: Open, text: string, images: readonly NoteImage[] = []) => {
    if (open !== null) keep();
    else focusBefore = app.mount.focused();
    open = next;
    busy = false;
    error = "";
    dragged = null;
    field.value = draft()?.text ?? text;
    attachments.set(draft()?.images ?? images);
    app.card.close();
    model.panel = null;
    // Visible before focus: a hidden field cannot take it.
    draw();
    place();
    field.focus(page.dict({ preventScroll: true }));
    field.setSelectionRange(field.value.length, field.value.length);
    view.grow();
    app.update();
    app.layout();
  };

  const hide = () => {
    const inside = app.mount.holdsFocus(element);
    open = null;
    setHidden(element, true);
    // Back to the overlay's control it came from, or to the page's element, which never heard of the loss.
    if (inside) app.keys.returnFocus(focusBefore);
    focusBefore = null;
    app.update();
    app.layout();
    app.reloader.check();
  };

  const abandon = () => {
    const gone = open;
    const text = field.value;
    const images = attachments.images();
    dropDraft();
    app.remember();
    field.value = "";
    attachments.set([]);
    hide();
    if (gone === null || text.trim() === "") return;
    const run = () => show(gone, text, images);
    app.toolbar.offer({ text: "Text discarded.", action: { label: "Undo", run } }, UNDO_MS);
  };

  const submit = (send: boolean) => {
    if (open === null || busy || attachments.isBusy() || field.value.trim() === "" || !canAnnotate(app))
      return;
    const words = { comment: field.value, images: attachments.images() };
    const { anchor } = open;
    if (open.editOf !== null) return void submitEdit(words, send);
    dropDraft();
    field.value = "";
    attachments.set([]);
    // Added first: closing may reload the page, which waits for a note that is being saved.
    app.notes.add(anchor, words, send);
    hide();
  };

  const submitEdit = async (words: Words, send: boolean) => {
    const note = findEdited();
    busy = true;
    error = "";
    draw();
    const outcome = note === undefined ? "sent" : await app.notes.edit(note, words);
    busy = false;
    if (open === null) return;
    if (outcome === "saved") {
      dropDraft();
      field.value = "";
      hide();
      app.announce(`${note === undefined ? "Note" : noteName(note)} changed`);
      if (send) void app.notes.send();
    } else if (outcome === "sent") {
      dropDraft();
      open = { key: targetKey(open.anchor), anchor: open.anchor, editOf: null };
      error = "This note was already sent. Add the text as a new note?";
      keep();
    } else error = "Not saved. Try again.";
    draw();
  };

  let grabbedAt: Spot | null = null;
  draggable(view.head, (by) => {
    if (by === null) {
      grabbedAt = null;
      return;
    }
    grabbedAt = grabbedAt ?? element.getBoundingClientRect();
    dragged = { x: grabbedAt.x + by.x, y: grabbedAt.y + by.y };
    place();
  });

  const draw = () => {
    setHidden(element, open === null);
    if (open === null) return;
    const editing = open.editOf !== null;
    const edited = findEdited();
    view.draw({
      title: edited === undefined ? titleOf(open.anchor) : `Edit ${noteName(edited).toLowerCase()}`,
      editing,
      others: app.notes.unsent().length - (editing ? 1 : 0),
      allowed: canAnnotate(app),
      busy,
      error,
    });
  };

  const place = () => {
    if (open !== null) view.place(dragged, () => app.pins.boxOf(open!.anchor));
  };

  return {
    element,
    open: (anchor, text = "", images = []) =>
      show({ key: targetKey(anchor), anchor, editOf: null }, text, images),
    edit,
    resume(one) {
      const edited = model.notes.find((note) => note.key === one.editOf && isUnsent(note));
      if (isWhole(one.anchor)) app.message.open();
      else if (edited !== undefined) edit(edited);
      else show({ key: one.key, anchor: one.anchor, editOf: null }, one.text, one.images);
    },
    followUp(note) {
      const context = { ...baseContext(note), ...(note.id === null ? {} : { follow_up_of: note.id }) };
      show(
        { key: `follow ${note.key}`, anchor: { ...note.anchor, context }, editOf: null },
        `Still open: ${note.comment}`,
      );
    },
    answer(note) {
      if (note.id === null) return;
      const question = clip(outcomeText(note), QUESTION_LENGTH);
      const context = { ...baseContext(note), in_reply_to: { id: note.id, number: note.number, question } };
      show({ key: `answer ${note.key}`, anchor: { ...note.anchor, context }, editOf: null }, "");
    },
    reopen(anchor, text, words) {
      if (open !== null) {
        model.notice = { text: words, action: null };
        return;
      }
      show({ key: targetKey(anchor), anchor, editOf: null }, text);
      error = words;
      draw();
    },
    close() {
      if (open === null) return false;
      keep();
      hide();
      return true;
    },
    anchor: () => open?.anchor ?? null,
    hasText: () => open !== null && (field.value.trim() !== "" || attachments.images().length > 0),
    draftKey: () => open?.key ?? null,
    draw,
    place,
  };
}

function titleOf(anchor: Anchor): string {
  const { in_reply_to: parent } = anchor.context;
  return parent === undefined ? `Comment on ${targetLabel(anchor)}` : `Answer: ${parent.question}`;
}

/** The context of a note for another on the same target: what is that note's own stays with it. */
function baseContext({ anchor }: Note): Context {
  const {
    follow_up_of: _follow,
    in_reply_to: _reply,
    retargeted: _re,
    edited: _edited,
    ...context
  } = anchor.context;
  return context;
}

const sameImages = (a: readonly NoteImage[], b: readonly NoteImage[]): boolean =>
  a.length === b.length && a.every(({ id }, at) => id === b[at]!.id);
