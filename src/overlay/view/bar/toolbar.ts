import type { App, Notice } from "../../app.ts";
import { canAnnotate, isOver } from "../../can-annotate.ts";
import { presence, showsAge } from "../../notes/words.ts";
import {
  button,
  draggable,
  focusSoon,
  group,
  h,
  handle,
  icon,
  putAt,
  roam,
  setAttribute,
  setHidden,
  setText,
} from "../../page/dom.ts";
import { cancel, later, now } from "../../page/timers.ts";
import { viewport } from "../../target/targets.ts";
import { count } from "../../target/text.ts";
import type { Corner } from "../../types.ts";
import { createHelp, createMenu } from "./menu.ts";
import { createMessages, hasUnread } from "./messages.ts";
import { createStrip } from "./strip.ts";
import { createYielding } from "./yielding.ts";

export interface Toolbar {
  element: HTMLElement;
  /** Close the menu, the help or a question; true when one was open. */
  closePanel(): boolean;
  /** Say what can be undone, for so many milliseconds. */
  offer(notice: Notice, ms: number): void;
  /** Keep the bar off what cannot be got from under it. */
  look(): void;
  draw(): void;
}

/** Below this width the bar begins as its button. */
const NARROW = 620;
/** How often an age is told anew. */
const AGE_MS = 60_000;

const isNarrow = (): boolean => viewport().width < NARROW;

/** A count in a place of fixed width. */
const counted = (n: number): string => (n > 99 ? "99+" : String(n));

const CORNERS: Corner[] = ["bottom-right", "bottom-left", "top-left", "top-right"];

export function createToolbar(app: App): Toolbar {
  const { model } = app;
  /** Where the bar is while it yields, and whether it is its button only. */
  let away: Corner | null = null;
  let shrunk = false;
  /** In a small window: the bar is open until something on it was pressed. */
  let opened = false;
  let ageTimer = 0;
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
  const messageTool = button(
    "tool message-tool",
    [icon("comment"), h("span.words", {}, "Message")],
    () => (model.panel === "message" ? app.message.close() : app.message.open()),
    { "aria-expanded": "false" },
  );
  const more = button("tool more", icon("more"), () => togglePanel("menu"), {
    "aria-label": "More",
    "aria-expanded": "false",
    "aria-controls": "ce-menu",
  });
  const grip = h("div.grip", { title: "Drag to another corner" }, icon("grip"));
  const controls = [annotate, notes, messageTool, send, more];
  const bar = h("div.bar", { role: "toolbar", "aria-label": "Annotate this page" }, grip, ...controls);

  const expandCount = h("span.count");
  const expand = button("tool expand", [icon("pin"), expandCount], () => {
    opened = true;
    model.ui.collapsed = isNarrow() ? null : false;
    shrunk = false;
    app.remember();
    app.update();
    focusSoon(annotate);
  });

  const question = h("span.end-question");
  const confirmEnd = button("button small danger-solid", "End session", () => void app.notes.end());
  const cancelEnd = button("button small quiet", "Cancel", () => closeQuestion());
  const confirm = group("confirm", "End session", question, confirmEnd, cancelEnd);

  const messages = createMessages(app);
  const menu = createMenu(app, {
    move: () => moveTo(nextCorner()),
    collapse: () => collapse(),
    help: () => togglePanel("help"),
    end: () => askEnd(),
  });
  const help = createHelp(() => closePanel());
  const strip = createStrip(app);
  const dock = h("div.dock panel", {}, presenceRow, bar, expand);
  const element = h(
    "div.corner",
    {},
    messages.reply,
    messages.notice,
    menu.element,
    help,
    app.message.element,
    app.choices.element,
    strip.element,
    confirm,
    dock,
  );
  const yielding = createYielding(app, element, dock, (next) => {
    shrunk = next.shrunk;
    away = next.corner;
    app.update();
  });

  const toggleAnnotate = () => (model.on ? app.picker.stop() : app.picker.start(false));

  const askEnd = () => {
    const draft = model.drafts.find((one) => one.anchor.page === app.boot.page);
    // What was typed is shown first, to be added or left.
    if (draft !== undefined && app.composer.anchor() === null) app.composer.resume(draft);
    model.confirmingEnd = true;
    model.panel = null;
    app.update();
    if (app.composer.anchor() === null) focusSoon(cancelEnd);
  };

  const closeQuestion = () => {
    model.confirmingEnd = false;
    const inside = app.mount.holdsFocus(confirm);
    app.update();
    if (inside) focusSoon(more);
  };

  const togglePanel = (panel: "menu" | "help") => {
    model.panel = model.panel === panel ? null : panel;
    app.update();
    if (model.panel === null) return;
    queueMicrotask(() => (panel === "menu" ? menu.focus() : help.querySelector("button")?.focus()));
  };

  const closePanel = (): boolean => {
    if (model.panel === "message") return app.message.close();
    if (opened && isNarrow() && app.mount.holdsFocus(bar)) {
      opened = false;
      app.update();
      focusSoon(expand);
      return true;
    }
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
    away = null;
    shrunk = false;
    app.remember();
    app.update();
    app.layout();
  };

  const collapse = () => {
    model.ui.collapsed = true;
    model.panel = null;
    app.remember();
    app.update();
    focusSoon(expand);
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
    // Its open bar would cover much of a small window.
    click: (event) => {
      if (!isNarrow() || event.composedPath().includes(more)) return;
      opened = false;
      app.update();
    },
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

  const drawExpand = (unsent: number, collapsed: boolean) => {
    setHidden(bar, collapsed);
    setHidden(expand, !collapsed);
    setText(expandCount, counted(unsent));
    setHidden(expandCount, unsent === 0);
    setAttribute(
      expand,
      "aria-label",
      unsent === 0 ? "Show toolbar" : `Show toolbar, ${count(unsent, "note")} not sent`,
    );
    setAttribute(expand, "data-on", model.on);
  };

  const drawAnnotate = (over: boolean) => {
    setText(annotateWords, model.on ? "Annotating" : "Annotate");
    setAttribute(annotate, "aria-pressed", String(model.on));
    setHidden(annotate, over);
    const none = app.boot.page === "/";
    annotate.disabled = none;
    setAttribute(annotate, "title", none ? "No screen exists yet" : "Ctrl+A");
    setAttribute(
      annotate,
      "aria-label",
      none ? "Annotate (no screen exists yet)" : annotateWords.textContent,
    );
    setHidden(messageTool, over);
    messageTool.disabled = none;
    setAttribute(messageTool, "aria-expanded", String(model.panel === "message"));
  };

  const drawNotes = () => {
    setText(notesCount, counted(model.notes.length));
    setAttribute(notesCount, "data-none", model.notes.length === 0);
    setAttribute(notes, "aria-expanded", String(model.ui.listOpen));
    const isUnread = hasUnread(app);
    setHidden(unread, !isUnread);
    setAttribute(notes, "aria-label", `Notes ${model.notes.length}${isUnread ? ", new reply" : ""}`);
  };

  const drawSend = (unsent: number, over: boolean) => {
    setText(sendCount, counted(unsent));
    setAttribute(sendCount, "data-none", unsent === 0);
    setHidden(send, over);
    setAttribute(send, "aria-label", unsent === 0 ? "Send to agent" : `Send to agent ${unsent}`);
    send.disabled = model.sending || unsent === 0;
  };

  const drawPresence = (collapsed: boolean) => {
    const words = presence(model, now());
    setText(status, words);
    setAttribute(presenceRow, "title", words === "" ? null : words);
    setHidden(presenceRow, collapsed);
    setAttribute(dot, "class", `presence-dot ${mood(app)}`);
    cancel(ageTimer);
    // An age grows by itself; nothing else here does.
    if (showsAge(words)) ageTimer = later(() => app.update(), AGE_MS);
  };

  const draw = () => {
    const { ui } = model;
    const over = isOver(app);
    const unsent = app.notes.unsent().length;
    const collapsed = (ui.collapsed ?? (isNarrow() && !opened)) || (shrunk && !opened);
    setAttribute(element, "data-corner", away ?? ui.corner);
    drawExpand(unsent, collapsed);
    drawAnnotate(over);
    drawNotes();
    drawSend(unsent, over);
    setAttribute(more, "aria-expanded", String(model.panel === "menu"));
    rove();
    drawPresence(collapsed);

    setHidden(confirm, !model.confirmingEnd || over);
    const noted = unsent > 0;
    setText(
      question,
      noted
        ? `This ends the session; the agent still gets your ${count(unsent, "unsent note")}.`
        : "End session?",
    );
    setText(confirmEnd, noted ? `Send ${count(unsent, "note")} and end` : "End session");

    messages.draw();
    app.message.draw();
    app.choices.draw();
    strip.draw();
    setHidden(menu.element, model.panel !== "menu");
    menu.draw();
    setHidden(help, model.panel !== "help");
    if (!canAnnotate(app) && model.on) app.picker.stop();
    yielding.look();
  };

  return { element, closePanel, offer: messages.offer, look: yielding.look, draw };
}

/** The colour of the presence dot; the words beside it say the same. */
function mood(app: App): string {
  const { connection, notes, agent } = app.model;
  if (connection !== "live") return connection === "connecting" ? "idle" : "off";
  if (agent?.waiting === true) return "ready";
  return notes.some((note) => note.state === "working") ? "busy" : "idle";
}
