import { type App, canAnnotate } from "./app.ts";
import {
  button,
  draggable,
  h,
  handle,
  icon,
  putAt,
  setAttribute,
  setHidden,
  setText,
  sizeOf,
} from "./dom.ts";
import { clamp, placeBeside, type Spot } from "./geometry.ts";
import { isUnsent } from "./notes.ts";
import * as page from "./page.ts";
import { targetKey } from "./targets.ts";
import type { Anchor, Box, Draft, Note } from "./types.ts";
import { noteName, targetLabel } from "./words.ts";

const MAX_LENGTH = 4000;
const COUNT_FROM = 3500;

export interface Composer {
  element: HTMLElement;
  /** Comment on a target; text left there before comes back. */
  open(anchor: Anchor, text?: string): void;
  edit(note: Note): void;
  /** Go on with a draft, as an edit while the note it changes is still unsent. */
  resume(draft: Draft): void;
  /** Start a new note on a done note's target. */
  followUp(note: Note): void;
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

  const title = h("div.composer-title", { id: "ce-composer-title" });
  const field = h<HTMLTextAreaElement>("textarea.composer-text", {
    rows: 3,
    maxlength: MAX_LENGTH,
    dir: "auto",
    placeholder: "What should change here?",
    "aria-label": "Your comment",
    "aria-describedby": "ce-composer-hint",
  });
  const counter = h("div.composer-count", { "aria-live": "polite" });
  const message = h("div.composer-error", { role: "alert" });
  const cancel = button("button quiet", "Cancel", () => abandon());
  const add = button("button", "Add note", () => submit(false));
  const addSend = button("button primary", "Add and send", () => submit(true));
  const copy = button("button", [icon("copy"), "Copy"], () => app.list.copy(field.value));
  const hint = h("div.composer-hint", { id: "ce-composer-hint" });
  const head = h("div.composer-head", {}, icon("comment"), title);
  const actions = h("div.composer-actions", {}, cancel, copy, h("span.spring"), add, addSend);
  const element = h(
    "div.composer panel",
    { role: "dialog", "aria-modal": "false", "aria-labelledby": "ce-composer-title", hidden: true },
    head,
    field,
    counter,
    message,
    hint,
    actions,
  );

  const draft = () => model.drafts.find((one) => one.key === open?.key);
  const dropDraft = () => {
    const key = open?.key;
    model.drafts = model.drafts.filter((one) => one.key !== key);
  };

  const keep = () => {
    if (open === null) return;
    const text = field.value;
    dropDraft();
    const unchanged = open.editOf !== null && findEdited()?.comment === text.trim();
    if (text.trim() !== "" && !unchanged)
      model.drafts = [...model.drafts, { key: open.key, anchor: open.anchor, text, editOf: open.editOf }];
    app.remember();
  };

  const findEdited = () => model.notes.find((note) => note.key === open?.editOf);

  const edit = (note: Note) =>
    show({ key: `edit ${note.key}`, anchor: note.anchor, editOf: note.key }, note.comment);

  const show = (next: Open, text: string) => {
    if (open !== null) keep();
    else focusBefore = app.host.focused();
    open = next;
    busy = false;
    error = "";
    dragged = null;
    field.value = draft()?.text ?? text;
    app.card.close();
    model.panel = null;
    // Visible before focus: a hidden field cannot take it.
    draw();
    place();
    field.focus(page.dict({ preventScroll: true }));
    field.setSelectionRange(field.value.length, field.value.length);
    grow();
    app.update();
    app.layout();
  };

  const hide = () => {
    const inside = app.host.holdsFocus(element);
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
    dropDraft();
    app.remember();
    field.value = "";
    hide();
  };

  const submit = (send: boolean) => {
    if (open === null || busy || field.value.trim() === "" || !canAnnotate(app)) return;
    const text = field.value;
    const { anchor } = open;
    if (open.editOf !== null) return void submitEdit(text, send);
    dropDraft();
    field.value = "";
    // Added first: closing may reload the page, which waits for a note that is being saved.
    app.notes.add(anchor, text, send);
    hide();
  };

  const submitEdit = async (text: string, send: boolean) => {
    const note = findEdited();
    busy = true;
    error = "";
    draw();
    const outcome = note === undefined ? "sent" : await app.notes.edit(note, text);
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

  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${clamp(field.scrollHeight + 2, 76, 220)}px`;
  };

  handle(field, {
    input: () => {
      error = "";
      grow();
      keep();
      draw();
      app.update();
    },
    keydown: (event) => {
      const key = event as KeyboardEvent;
      if (key.isComposing || key.keyCode === 229) return true;
      if (key.key !== "Enter" || !(key.ctrlKey || key.metaKey)) return false;
      key.preventDefault();
      submit(key.shiftKey);
      return true;
    },
  });
  let grabbedAt: Spot | null = null;
  draggable(head, (by) => {
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
    const others = app.notes.unsent().length - (editing ? 1 : 0);
    const empty = field.value.trim() === "";
    const allowed = canAnnotate(app);
    const edited = findEdited();
    setText(
      title,
      edited === undefined
        ? `Comment on ${targetLabel(open.anchor)}`
        : `Edit ${noteName(edited).toLowerCase()}`,
    );
    setText(add, busy ? "Saving…" : editing ? "Save" : "Add note");
    setText(addSend, `${editing ? "Save and send" : "Add and send"}${others > 0 ? ` ${others + 1}` : ""}`);
    for (const control of [add, addSend]) {
      control.disabled = empty || busy;
      setHidden(control, !allowed);
    }
    setHidden(copy, allowed);
    setText(message, error);
    setHidden(message, error === "");
    const left = field.value.length >= COUNT_FROM;
    setText(counter, left ? `${field.value.length} of ${MAX_LENGTH}` : "");
    setHidden(counter, !left);
    setText(hint, "");
    hint.append(...hintFor(allowed));
    setAttribute(element, "data-dragged", dragged !== null);
  };

  const place = () => {
    if (open === null) return;
    const view = visualViewport;
    const area: Box = {
      x: view?.offsetLeft ?? 0,
      y: view?.offsetTop ?? 0,
      width: view?.width ?? innerWidth,
      height: view?.height ?? innerHeight,
    };
    const size = sizeOf(element);
    const docked = area.width < 480 || matchMedia("(pointer: coarse)").matches;
    setAttribute(element, "data-docked", docked);
    let spot: Spot;
    if (docked)
      spot = {
        x: area.x + Math.max(0, (area.width - size.width) / 2),
        y: area.y + area.height - size.height - 8,
      };
    else if (dragged !== null)
      spot = {
        x: clamp(dragged.x, area.x + 4, area.x + area.width - size.width - 4),
        y: clamp(dragged.y, area.y + 4, area.y + area.height - size.height - 4),
      };
    else spot = placeBeside(app.pins.boxOf(open.anchor) ?? middle(area), size, area);
    putAt(element, spot);
  };

  return {
    element,
    open: (anchor, text = "") => show({ key: targetKey(anchor), anchor, editOf: null }, text),
    edit,
    resume(one) {
      const edited = model.notes.find((note) => note.key === one.editOf && isUnsent(note));
      if (edited !== undefined) edit(edited);
      else show({ key: one.key, anchor: one.anchor, editOf: null }, one.text);
    },
    followUp(note) {
      const context = { ...note.anchor.context, ...(note.id === null ? {} : { follow_up_of: note.id }) };
      show(
        { key: `follow ${note.key}`, anchor: { ...note.anchor, context }, editOf: null },
        `Still open: ${note.comment}`,
      );
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
    hasText: () => open !== null && field.value.trim() !== "",
    draftKey: () => open?.key ?? null,
    draw,
    place,
  };
}

const middle = (area: Box): Box => ({
  x: area.x + area.width / 2,
  y: area.y + area.height / 3,
  width: 0,
  height: 0,
});

function hintFor(allowed: boolean): (Node | string)[] {
  if (!allowed) return ["This can no longer be sent. Copy it to keep it."];
  const mac = /mac|iphone|ipad/i.test(navigator.platform);
  return [
    h("kbd", {}, mac ? "⌘ Enter" : "Ctrl Enter"),
    " adds, ",
    h("kbd", {}, mac ? "⌘ ⇧ Enter" : "Ctrl Shift Enter"),
    " sends",
  ];
}
