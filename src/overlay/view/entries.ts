import type { NoteImage } from "../../kernel/shared/annotate-wire.ts";
import type { App } from "../app.ts";
import { isOver } from "../can-annotate.ts";
import {
  noteName,
  screenName,
  standingOf,
  statusWords,
  TARGET_CHANGED,
  TARGET_DOUBTFUL,
  targetLabel,
} from "../notes/words.ts";
import { button, h, icon, setAttribute, setHidden, setText } from "../page/dom.ts";
import { ellipsis } from "../target/text.ts";
import type { Draft, Note } from "../types.ts";
import { createAnswers } from "./answers.ts";
import { type NoteButtons, noteButtons } from "./note-buttons.ts";
import { thumbnail } from "./write/attachments.ts";

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
  const doubtful = h("span.status doubtful", {}, TARGET_DOUBTFUL);
  const parent = h("p.entry-parent");
  const comment = h("p.entry-comment", { dir: "auto" });
  const pictures = h("div.attachments");
  const answers = createAnswers();
  const label = h("p.entry-label");
  const screen = h("a.entry-screen");
  const buttons: NoteButtons = noteButtons(app, true);
  const element = h(
    "li.entry",
    {},
    h("div.entry-head", {}, number, status, changed, doubtful),
    screen,
    parent,
    comment,
    pictures,
    label,
    answers.element,
    buttons.element,
  );
  return {
    element,
    draw(note) {
      const lost = app.pins.isLost(note);
      const other = note.anchor.page !== app.boot.page;
      setText(number, `${lost ? "! " : ""}${note.number ?? "•"}`);
      const standing = standingOf(note);
      setAttribute(number, "class", `badge ${lost ? "changed" : standing}`);
      setAttribute(number, "aria-label", noteName(note));
      setText(status, statusWords(note));
      setAttribute(status, "class", `status ${standing}`);
      setHidden(changed, !lost);
      setHidden(doubtful, !app.pins.isDoubtful(note));
      const { in_reply_to: asked } = note.anchor.context;
      setHidden(parent, asked === undefined);
      if (asked !== undefined)
        setText(parent, `Reply to ${asked.number === null ? "a note" : `note ${asked.number}`}`);
      setAttribute(element, "data-reply", asked !== undefined);
      drawPictures(app, pictures, note.images);
      answers.draw(note.answers);
      setText(comment, note.comment);
      setText(label, ellipsis(targetLabel(note.anchor), 90));
      setHidden(screen, !other);
      setText(screen, screenName(note.anchor.page));
      setAttribute(screen, "href", `${app.boot.origin}${note.anchor.page}`);
      buttons.draw(note);
    },
  };
}

/** Small pictures, drawn anew only when they are others. */
function drawPictures(app: App, holder: HTMLElement, images: readonly NoteImage[]): void {
  setHidden(holder, images.length === 0);
  const key = images.map(({ id }) => id).join();
  if (holder.dataset["images"] === key) return;
  holder.dataset["images"] = key;
  holder.replaceChildren(...images.map((image, at) => thumbnail(app, image, at)));
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
      setHidden(open, isOver(app));
    },
  };
}
