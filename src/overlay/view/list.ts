import type { Box } from "../../kernel/shared/annotate-wire.ts";
import type { App } from "../app.ts";
import { canAnnotate } from "../can-annotate.ts";
import { isUnsent } from "../notes/notes.ts";
import { presence, standingOf, toMarkdown } from "../notes/words.ts";
import { button, h, icon, setAttribute, setHidden, setText } from "../page/dom.ts";
import { centre } from "../page/geometry.ts";
import * as page from "../page/page.ts";
import { now } from "../page/timers.ts";
import { viewport } from "../target/targets.ts";
import type { Draft, Note } from "../types.ts";
import { agentHead, createReply } from "./answers.ts";
import { createAsked } from "./bar/message-panel.ts";
import { createDraftEntry, createEntry, type DraftEntry, type NoteEntry } from "./entries.ts";
import { type NoteAct, perform } from "./note-buttons.ts";

export interface List {
  element: HTMLElement;
  toggle(open: boolean): void;
  /** Put text on the clipboard, however this browser allows it. */
  copy(text: string): void;
  copyNotes(): void;
  /** Get off what is being gone to, or out of the way where there is no other side. */
  clear(target: Box): void;
  /** Go on with what led to this screen. */
  pending(): void;
  draw(): void;
}

type GroupName = "The agent asks" | "Not sent" | "With the agent" | "Done" | "Other screens";
// Questions lead: only their answer gets the agent on.
const GROUPS: GroupName[] = ["The agent asks", "Not sent", "With the agent", "Done", "Other screens"];

export function createList(app: App): List {
  const { model } = app;
  const entries = new Map<string, NoteEntry>();
  const drafts = new Map<string, DraftEntry>();
  let focusBefore: HTMLElement | null = null;

  const total = h("span.count");
  const close = button("icon-button", icon("close"), () => toggle(false), { "aria-label": "Close notes" });
  const presenceLine = h("p.list-presence");
  const said = createReply();
  const replyTime = h("time.reply-time");
  const reply = h(
    "section.reply",
    { "aria-label": "Latest reply" },
    agentHead("Agent:", replyTime),
    said.text,
    said.more,
  );
  const asked = createAsked(app, h("li.entry"), (value) => app.message.choose(value));
  const empty = h(
    "div.empty",
    {},
    icon("comment"),
    h("p", {}, "No notes yet"),
    h("p.muted", {}, "Choose Annotate, then click a thing on the page."),
    h("p.muted", {}, "Annotate off: select text to comment on it."),
    h("p.muted", {}, "Comments take pasted pictures."),
  );
  const groups = new Map(
    GROUPS.map((name) => {
      const list = h("ul.entries");
      const section = h("section.group", {}, h("h3", {}, name), list);
      return [name, { section, list }] as const;
    }),
  );
  const copyButton = button("button small quiet", [icon("copy"), "Copy as Markdown"], () => copyNotes());
  const foot = h("div.list-foot", {}, copyButton);
  const fallback = h<HTMLTextAreaElement>("textarea.copy-fallback", {
    readonly: true,
    "aria-label": "Notes as Markdown",
    hidden: true,
  });
  const body = h(
    "div.list-body",
    {},
    presenceLine,
    reply,
    ...GROUPS.map((name) => groups.get(name)!.section),
    empty,
    fallback,
  );
  const heading = h("h2", {}, "Notes");
  const element = h(
    "div.list panel",
    { role: "region", "aria-label": "Notes", hidden: true, tabindex: -1 },
    h("div.list-head", {}, heading, total, h("span.spring"), close),
    body,
    foot,
  );

  const groupOf = (note: Note): GroupName => {
    const isAnswered = model.notes.some(({ anchor }) => anchor.context.in_reply_to?.id === note.id);
    if (standingOf(note) === "question" && !isAnswered) return "The agent asks";
    if (note.anchor.page !== app.boot.page && app.boot.page !== "/") return "Other screens";
    if (isUnsent(note)) return "Not sent";
    return note.state === "done" ? "Done" : "With the agent";
  };

  const entryFor = (note: Note): NoteEntry => {
    const known = entries.get(note.key);
    if (known !== undefined) return known;
    const entry = createEntry(app);
    entries.set(note.key, entry);
    return entry;
  };

  const draftFor = (draft: Draft) => {
    const known = drafts.get(draft.key);
    if (known !== undefined) return known;
    const made = createDraftEntry(app);
    drafts.set(draft.key, made);
    return made;
  };

  /** Put elements in order with as few moves as possible: a moved element loses focus. */
  const arrange = (list: HTMLElement, wanted: readonly HTMLElement[]) => {
    for (const child of Array.from(list.children)) if (!wanted.includes(child as HTMLElement)) child.remove();
    for (const [at, child] of wanted.entries())
      if (list.children[at] !== child) list.insertBefore(child, list.children[at] ?? null);
  };

  const draw = () => {
    setHidden(element, !model.ui.listOpen);
    if (!model.ui.listOpen) return;
    setText(total, String(model.notes.length));
    setHidden(total, model.notes.length === 0);
    const words = presence(model, now());
    setText(presenceLine, words);
    setHidden(presenceLine, words === "");
    setHidden(reply, model.reply === null);
    if (model.reply !== null) {
      said.draw(model.reply.text);
      setText(replyTime, clock(model.reply.at));
      setAttribute(replyTime, "datetime", model.reply.at);
    }
    const isAsked = model.ask !== null && canAnnotate(app);
    asked.draw(isAsked);
    const shownDrafts = model.drafts.filter((draft) => draft.key !== app.composer.draftKey());
    for (const name of GROUPS) {
      const { section, list } = groups.get(name)!;
      const notes = underParents(model.notes.filter((note) => groupOf(note) === name));
      const elements = notes.map((note) => {
        const entry = entryFor(note);
        entry.draw(note);
        return entry.element;
      });
      if (name === "Not sent")
        elements.unshift(
          ...shownDrafts.map((draft) => {
            const entry = draftFor(draft);
            entry.draw(draft);
            return entry.element;
          }),
        );
      if (name === "The agent asks" && isAsked) elements.unshift(asked.element);
      arrange(list, elements);
      setHidden(section, elements.length === 0);
    }
    const keys = new Set(model.notes.map((note) => note.key));
    for (const key of entries.keys()) if (!keys.has(key)) entries.delete(key);
    setHidden(empty, model.notes.length + shownDrafts.length > 0 || model.reply !== null || isAsked);
    setHidden(foot, model.notes.length === 0);
  };

  const toggle = (open: boolean) => {
    if (open === model.ui.listOpen) return;
    const inside = app.mount.holdsFocus(element);
    model.ui.listOpen = open;
    // Opening the list is looking at what became of the notes; their pins go when it is closed.
    if (!open)
      app.pins.looked(model.notes.filter(({ state, outcome }) => state === "done" || outcome !== null));
    if (open) {
      focusBefore = app.mount.focused();
      // Where a line begins the page's text is read first.
      setAttribute(
        element,
        "data-left",
        getComputedStyle(page.bodyOf(document) ?? element).direction === "rtl",
      );
      model.ui.replyRead = model.reply?.at ?? model.ui.replyRead;
    } else {
      setHidden(fallback, true);
      if (inside) app.keys.returnFocus(focusBefore);
    }
    app.update();
    app.remember();
    app.layout();
  };

  const copyNotes = () => copy(toMarkdown(model.notes));

  const copy = (text: string) => {
    const done = () => {
      model.notice = { text: "Copied.", action: null };
      app.announce("Copied");
      app.update();
    };
    const byHand = () => {
      toggle(true);
      setHidden(element, false);
      fallback.value = text;
      setHidden(fallback, false);
      fallback.focus();
      fallback.select();
      // Where nothing may write the clipboard the text stays in view, to be copied by hand.
      if (!document.execCommand("copy")) return;
      setHidden(fallback, true);
      done();
    };
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard?.writeText === undefined) byHand();
    else clipboard.writeText(text).then(done, byHand);
  };

  const pending = () => {
    const { pending: wanted } = model.ui;
    const note = wanted === null ? undefined : model.notes.find(({ id }) => id === wanted.id);
    if (wanted === null || note === undefined || note.anchor.page !== app.boot.page) return;
    model.ui.pending = null;
    app.remember();
    queueMicrotask(() => perform(app, note, wanted.act as NoteAct));
  };

  const clear = (target: Box) => {
    const { left, width } = element.getBoundingClientRect();
    const { x } = centre(target);
    const all = viewport().width;
    if (width * 2 > all) toggle(false);
    else if (x > left && x < left + width) setAttribute(element, "data-left", x * 2 > all);
  };

  return { element, toggle, clear, copy, copyNotes, pending, draw };
}

/** Replies stand below the note they answer. */
function underParents(notes: readonly Note[]): Note[] {
  const repliesTo = (id: string | null) =>
    notes.filter(({ anchor }) => id !== null && anchor.context.in_reply_to?.id === id);
  const ids = new Set(notes.map(({ id }) => id));
  const isReply = ({ anchor }: Note) => ids.has(anchor.context.in_reply_to?.id ?? "");
  return notes.filter((note) => !isReply(note)).flatMap((note) => [note, ...repliesTo(note.id)]);
}

function clock(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? ""
    : time.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit" });
}
