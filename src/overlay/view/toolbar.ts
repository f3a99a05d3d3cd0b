import type { App } from "../app.ts";
import { canAnnotate } from "../can-annotate.ts";
import { presence } from "../notes/words.ts";
import {
  button,
  draggable,
  h,
  handle,
  icon,
  putAt,
  roam,
  setAttribute,
  setHidden,
  setText,
} from "../page/dom.ts";
import { viewport } from "../target/targets.ts";
import { count } from "../target/text.ts";
import type { Corner } from "../types.ts";
import { createHelp, createMenu } from "./menu.ts";
import { createMessages, hasUnread } from "./messages.ts";

export interface Toolbar {
  element: HTMLElement;
  /** Close the menu, the help or a question; true when one was open. */
  closePanel(): boolean;
  draw(): void;
}

const CORNERS: Corner[] = ["bottom-right", "bottom-left", "top-left", "top-right"];

export function createToolbar(app: App): Toolbar {
  const { model } = app;
  const status = h("span.presence-text");
  const dot = h("span.presence-dot");
  const presenceRow = h("div.presence", {}, dot, status);

  const annotateWords = h("span.words", {}, "Annotate");
  const annotate = button("tool annotate", [icon("pin"), annotateWords], () => toggleAnnotate(), {
    "aria-pressed": "false",
    "aria-keyshortcuts": "Control+A",
  });
  const notesCount = h("span.count");
  const unread = h("span.unread", { hidden: true });
  const notes = button("tool", [icon("list"), h("span.words", {}, "Notes"), notesCount, unread], () =>
    app.list.toggle(!model.ui.listOpen),
  );
  const sendCount = h("span.count");
  const send = button(
    "tool send",
    [icon("send"), h("span.words", {}, "Send to agent"), sendCount],
    () => void app.notes.send(),
  );
  const end = button("tool end", [icon("end"), h("span.words", {}, "End session")], () => askEnd());
  const more = button("tool more", icon("more"), () => togglePanel("menu"), {
    "aria-label": "More",
    "aria-expanded": "false",
    "aria-controls": "ce-menu",
  });
  const grip = h("div.grip", { title: "Drag to another corner" }, icon("grip"));
  const controls = [annotate, notes, send, end, more];
  const bar = h("div.bar", { role: "toolbar", "aria-label": "Annotate this page" }, grip, ...controls);

  const expandCount = h("span.count");
  const expand = button("tool expand", [icon("pin"), expandCount], () => {
    model.ui.collapsed = false;
    app.remember();
    app.update();
    queueMicrotask(() => annotate.focus());
  });

  const question = h("span.question");
  const confirmEnd = button("button small danger-solid", "End session", () => void app.notes.end());
  const cancelEnd = button("button small quiet", "Cancel", () => closeQuestion());
  const confirm = h(
    "div.confirm",
    { role: "group", "aria-label": "End session", hidden: true },
    question,
    confirmEnd,
    cancelEnd,
  );

  const messages = createMessages(app);
  const menu = createMenu(app, {
    move: () => moveTo(nextCorner()),
    collapse: () => collapse(),
    help: () => togglePanel("help"),
  });
  const help = createHelp(() => closePanel());
  const dock = h("div.dock panel", {}, presenceRow, confirm, bar, expand);
  const element = h("div.corner", {}, messages.reply, messages.notice, menu.element, help, dock);

  const toggleAnnotate = () => (model.on ? app.picker.stop() : app.picker.start(false));

  const askEnd = () => {
    const draft = model.drafts.find((one) => one.anchor.page === app.boot.page);
    // What was typed is shown first, to be added or left.
    if (draft !== undefined && app.composer.anchor() === null) app.composer.resume(draft);
    model.confirmingEnd = true;
    model.panel = null;
    app.update();
    if (app.composer.anchor() === null) queueMicrotask(() => cancelEnd.focus());
  };

  const closeQuestion = () => {
    model.confirmingEnd = false;
    const inside = app.mount.holdsFocus(confirm);
    app.update();
    if (inside) queueMicrotask(() => end.focus());
  };

  const togglePanel = (panel: "menu" | "help") => {
    model.panel = model.panel === panel ? null : panel;
    app.update();
    if (model.panel === null) return;
    queueMicrotask(() => (panel === "menu" ? menu.focus() : help.querySelector("button")?.focus()));
  };

  const closePanel = (): boolean => {
    if (model.panel === null && !model.confirmingEnd) return false;
    if (model.panel === null) {
      closeQuestion();
      return true;
    }
    const inside = app.mount.holdsFocus(menu.element) || app.mount.holdsFocus(help);
    model.panel = null;
    app.update();
    if (inside) more.focus();
    return true;
  };

  const nextCorner = (): Corner => CORNERS[(CORNERS.indexOf(model.ui.corner) + 1) % CORNERS.length]!;

  const moveTo = (corner: Corner) => {
    model.ui.corner = corner;
    app.remember();
    app.update();
    app.layout();
  };

  const collapse = () => {
    model.ui.collapsed = true;
    model.panel = null;
    app.remember();
    app.update();
    queueMicrotask(() => expand.focus());
  };

  draggable(grip, (by, at) => {
    setAttribute(element, "data-dragging", by !== null);
    if (by !== null) return putAt(dock, by);
    dock.style.transform = "";
    const { width, height } = viewport();
    moveTo(`${at.y < height / 2 ? "top" : "bottom"}-${at.x < width / 2 ? "left" : "right"}`);
  });

  // One tab stop for the bar; arrows move within it.
  let stop = 0;
  roam(bar, ["ArrowLeft", "ArrowRight"], controls, app.mount.focused);
  handle(bar, {
    // A click leaves focus with the page, where the keys of annotate work and open menus stay open.
    mousedown: (event) => event.preventDefault(),
    focusin: (event) => {
      const at = controls.indexOf(event.composedPath()[0] as HTMLButtonElement);
      if (at !== -1) stop = at;
      rove();
    },
  });

  const rove = () => {
    if (controls[stop]!.hidden) stop = controls.findIndex((control) => !control.hidden);
    for (const [at, control] of controls.entries()) setAttribute(control, "tabindex", at === stop ? 0 : -1);
  };

  const draw = () => {
    const { connection, ui } = model;
    const over = connection === "ended" || connection === "locked";
    const unsent = app.notes.unsent().length;
    setAttribute(element, "data-corner", ui.corner);
    setHidden(bar, ui.collapsed);
    setHidden(expand, !ui.collapsed);
    setText(expandCount, unsent === 0 ? "" : String(unsent));
    setHidden(expandCount, unsent === 0);
    setAttribute(
      expand,
      "aria-label",
      unsent === 0 ? "Show toolbar" : `Show toolbar, ${count(unsent, "note")} not sent`,
    );

    setText(annotateWords, model.on ? "Annotating" : "Annotate");
    setAttribute(annotate, "aria-pressed", String(model.on));
    setHidden(annotate, over);
    const none = app.boot.page === "/";
    annotate.disabled = none;
    setAttribute(annotate, "title", none ? "No screen exists yet" : "Ctrl+A");
    setAttribute(
      annotate,
      "aria-label",
      none ? "Annotate (no screen exists yet)" : model.on ? "Annotating" : "Annotate",
    );

    setText(notesCount, String(model.notes.length));
    setHidden(notesCount, model.notes.length === 0);
    setAttribute(notes, "aria-expanded", String(ui.listOpen));
    const isUnread = hasUnread(app);
    setHidden(unread, !isUnread);
    setAttribute(notes, "aria-label", `Notes ${model.notes.length}${isUnread ? ", new reply" : ""}`);

    setText(sendCount, String(unsent));
    setHidden(send, over || unsent === 0);
    setAttribute(send, "aria-label", `Send to agent ${unsent}`);
    send.disabled = model.sending;
    setHidden(end, over);
    setAttribute(more, "aria-expanded", String(model.panel === "menu"));
    rove();

    const words = presence(model);
    setText(status, words);
    setHidden(presenceRow, words === "" || ui.collapsed);
    setAttribute(dot, "class", `presence-dot ${mood(app)}`);

    setHidden(confirm, !model.confirmingEnd || over);
    const noted = unsent > 0;
    setText(question, noted ? "" : "End session?");
    setHidden(question, noted);
    setText(confirmEnd, noted ? `Send ${count(unsent, "note")} and end` : "End session");

    messages.draw();
    setHidden(menu.element, model.panel !== "menu");
    menu.draw();
    setHidden(help, model.panel !== "help");
    if (!canAnnotate(app) && model.on) app.picker.stop();
  };

  return { element, closePanel, draw };
}

/** The colour of the presence dot; the words beside it say the same. */
function mood(app: App): string {
  const { connection, notes, agentWaiting } = app.model;
  if (connection !== "live") return connection === "connecting" ? "idle" : "off";
  if (notes.some((note) => note.state === "working")) return "busy";
  return agentWaiting === true ? "ready" : "idle";
}
