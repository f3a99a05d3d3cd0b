import type { App } from "../app.ts";
import { noteName, screenName, statusWords, TARGET_CHANGED, targetLabel } from "../notes/words.ts";
import { button, h, icon, setAttribute, setHidden, setText } from "../page/dom.ts";
import { ellipsis } from "../target/text.ts";
import type { Draft, Note } from "../types.ts";
import { type NoteButtons, noteButtons } from "./note-buttons.ts";

/** A note in the side list, with what can be done about it. */
export interface NoteEntry {
  element: HTMLElement;
  draw(note: Note): void;
}

/** Text not yet added, in the side list. */
export interface DraftEntry {
  element: HTMLElement;
  draw(draft: Draft): void;
}

export function createEntry(app: App): NoteEntry {
  const number = h("span.badge");
  const status = h("span.status");
  const changed = h("span.status changed", {}, TARGET_CHANGED);
  const comment = h("p.entry-comment", { dir: "auto" });
  const label = h("p.entry-label");
  const screen = h("a.entry-screen");
  const buttons: NoteButtons = noteButtons(app, (note) => {
    if (app.pins.goTo(note)) app.announce(`${noteName(note)}: ${targetLabel(note.anchor)}`);
  });
  const element = h(
    "li.entry",
    {},
    h("div.entry-head", {}, number, status, changed),
    screen,
    comment,
    label,
    buttons.element,
  );
  return {
    element,
    draw(note) {
      const lost = app.pins.isLost(note);
      const other = note.anchor.page !== app.boot.page;
      setText(number, lost ? "!" : note.number === null ? "•" : String(note.number));
      setAttribute(number, "class", `badge ${lost ? "changed" : note.state}`);
      setAttribute(number, "aria-label", noteName(note));
      setText(status, statusWords(note.state));
      setAttribute(status, "class", `status ${note.state}`);
      setHidden(changed, !lost);
      setText(comment, note.comment);
      setText(label, ellipsis(targetLabel(note.anchor), 90));
      setHidden(screen, !other);
      setText(screen, screenName(note.anchor.page));
      setAttribute(screen, "href", `${app.boot.origin}${note.anchor.page}`);
      buttons.draw(note);
    },
  };
}

export function createDraftEntry(app: App): DraftEntry {
  let draft: Draft | null = null;
  const text = h("p.entry-comment", { dir: "auto" });
  const label = h("p.entry-label");
  const open = button("button small", [icon("pencil"), "Continue"], () => {
    if (draft !== null) app.composer.resume(draft);
  });
  const copy = button("button small quiet", [icon("copy"), "Copy"], () => app.list.copy(draft?.text ?? ""));
  const remove = button("button small quiet danger", "Discard", () => {
    app.model.drafts = app.model.drafts.filter((one) => one.key !== draft?.key);
    app.update();
    app.remember();
  });
  const element = h(
    "li.entry",
    {},
    h("div.entry-head", {}, h("span.badge draft", {}, icon("pencil")), h("span.status draft", {}, "Draft")),
    text,
    label,
    h("div.note-buttons", {}, open, copy, remove),
  );
  return {
    element,
    draw(next) {
      draft = next;
      setText(text, next.text);
      setText(label, ellipsis(targetLabel(next.anchor), 90));
      setHidden(open, app.model.connection === "ended" || app.model.connection === "locked");
    },
  };
}
