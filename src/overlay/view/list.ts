import type { App } from "../app.ts";
import { isUnsent } from "../notes/notes.ts";
import { toMarkdown } from "../notes/words.ts";
import { button, h, icon, setAttribute, setHidden, setText } from "../page/dom.ts";
import type { Draft, Note } from "../types.ts";
import { createDraftEntry, createEntry, type DraftEntry, type NoteEntry } from "./entries.ts";

export interface List {
  element: HTMLElement;
  toggle(open: boolean): void;
  /** Put text on the clipboard, however this browser allows it. */
  copy(text: string): void;
  copyNotes(): void;
  draw(): void;
}

type GroupName = "Not sent" | "With the agent" | "Done" | "Other screens";
const GROUPS: GroupName[] = ["Not sent", "With the agent", "Done", "Other screens"];

export function createList(app: App): List {
  const { model } = app;
  const entries = new Map<string, NoteEntry>();
  const drafts = new Map<string, DraftEntry>();
  let focusBefore: HTMLElement | null = null;

  const total = h("span.count");
  const close = button("icon-button", icon("close"), () => toggle(false), { "aria-label": "Close notes" });
  const replyText = h("div.reply-text", { dir: "auto" });
  const replyTime = h("time.reply-time");
  const reply = h(
    "section.reply",
    { "aria-label": "Latest reply" },
    h("div.reply-head", {}, icon("agent"), h("strong", {}, "Agent:"), replyTime),
    replyText,
  );
  const empty = h(
    "div.empty",
    {},
    icon("comment"),
    h("p", {}, "No notes yet"),
    h("p.muted", {}, "Choose Annotate, then click anything on the page."),
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
    setHidden(reply, model.reply === null);
    if (model.reply !== null) {
      setText(replyText, model.reply.text);
      setText(replyTime, clock(model.reply.at));
      setAttribute(replyTime, "datetime", model.reply.at);
    }
    const shownDrafts = model.drafts.filter((draft) => draft.key !== app.composer.draftKey());
    for (const name of GROUPS) {
      const { section, list } = groups.get(name)!;
      const notes = model.notes.filter((note) => groupOf(note) === name);
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
      arrange(list, elements);
      setHidden(section, elements.length === 0);
    }
    const keys = new Set(model.notes.map((note) => note.key));
    for (const key of entries.keys()) if (!keys.has(key)) entries.delete(key);
    setHidden(empty, model.notes.length + shownDrafts.length > 0 || model.reply !== null);
    setHidden(foot, model.notes.length === 0);
  };

  const toggle = (open: boolean) => {
    if (open === model.ui.listOpen) return;
    const inside = app.mount.holdsFocus(element);
    model.ui.listOpen = open;
    if (open) {
      focusBefore = app.mount.focused();
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

  return { element, toggle, copy, copyNotes, draw };
}

function clock(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? ""
    : time.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit" });
}
