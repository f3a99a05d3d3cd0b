import type { App } from "../app.ts";
import { canAnnotate } from "../can-annotate.ts";
import { isWhole } from "../notes/notes.ts";
import { noteName, standingOf, targetLabel } from "../notes/words.ts";
import { button, h, icon, setAttribute, setHidden } from "../page/dom.ts";
import type { Note } from "../types.ts";

/** What can be done with a note: the same buttons in the list and on the card. */
export interface NoteButtons {
  element: HTMLElement;
  draw(note: Note): void;
  focus(): void;
}

export function noteButtons(app: App, leads: boolean): NoteButtons {
  let note: Note | null = null;
  const act = (run: (one: Note) => void) => () => {
    if (note !== null) run(note);
  };
  const go = button(
    "button small quiet",
    "Go to",
    act((one) => perform(app, one, "go")),
  );
  const retry = button("button small", [icon("retry"), "Retry"], () => app.notes.retry());
  const edit = button(
    "button small quiet",
    [icon("pencil"), "Edit"],
    act((one) => app.composer.edit(one)),
  );
  const remove = button(
    "button small quiet danger",
    "Delete",
    act((one) => void app.notes.remove(one)),
  );
  const reopen = button(
    "button small quiet",
    [icon("back"), "Reopen"],
    act((one) => perform(app, one, "reopen")),
  );
  const recall = button(
    "button small quiet",
    [icon("back"), "Recall"],
    act((one) => void app.notes.recall(one)),
  );
  const answer = button(
    "button small",
    [icon("comment"), "Reply"],
    act((one) => perform(app, one, "answer")),
  );
  const all = [go, answer, retry, edit, recall, reopen, remove];
  const element = h("div.note-buttons", {}, ...all);
  return {
    element,
    draw(next) {
      note = next;
      const allowed = canAnnotate(app);
      const unsent = allowed && (next.state === "held" || next.state === "unsaved");
      setHidden(go, !leads || isWhole(next.anchor) || app.pins.isLost(next));
      setHidden(retry, next.state !== "unsaved" || !allowed);
      setHidden(edit, !unsent || next.anchor.context.kind === "verdict");
      setHidden(remove, !unsent);
      setHidden(recall, next.state !== "queued" || !allowed);
      const asks = standingOf(next) === "question";
      setHidden(answer, !asks || !allowed);
      setHidden(reopen, next.state !== "done" || asks || isWhole(next.anchor) || !allowed);
      for (const one of all)
        setAttribute(one, "aria-label", `${one.textContent} ${noteName(next).toLowerCase()}`);
    },
    focus() {
      all.find((one) => !one.hidden)?.focus();
    },
  };
}

/** What needs the note's target on the page. */
export type NoteAct = "go" | "reopen" | "answer";

/** Do it; on another screen's page that is shown first (15.8). */
export function perform(app: App, note: Note, act: NoteAct): void {
  if (note.anchor.page !== app.boot.page && !isWhole(note.anchor) && note.id !== null) {
    app.model.ui.pending = { id: note.id, act };
    app.reloader.leaveFor(note.anchor.page);
  } else if (act === "reopen") app.composer.followUp(note);
  else if (act === "answer") app.composer.answer(note);
  else if (app.pins.goTo(note)) app.announce(`${noteName(note)}: ${targetLabel(note.anchor)}`);
}
