import type { App } from "../app.ts";
import { canAnnotate } from "../can-annotate.ts";
import { noteName } from "../notes/words.ts";
import { button, h, icon, setAttribute, setHidden } from "../page/dom.ts";
import type { Note } from "../types.ts";

/** What can be done with a note: the same buttons in the list and on the card. */
export interface NoteButtons {
  element: HTMLElement;
  draw(note: Note): void;
  focus(): void;
}

export function noteButtons(app: App, goTo?: (note: Note) => void): NoteButtons {
  let note: Note | null = null;
  const act = (run: (one: Note) => void) => () => {
    if (note !== null) run(note);
  };
  const go = button(
    "button small quiet",
    "Go to",
    act((one) => goTo?.(one)),
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
    act((one) => app.composer.followUp(one)),
  );
  const all = [go, retry, edit, reopen, remove];
  const element = h("div.note-buttons", {}, ...all);
  return {
    element,
    draw(next) {
      note = next;
      const allowed = canAnnotate(app);
      const unsent = allowed && (next.state === "held" || next.state === "unsaved");
      setHidden(go, goTo === undefined || next.anchor.page !== app.boot.page || app.pins.isLost(next));
      setHidden(retry, next.state !== "unsaved" || !allowed);
      setHidden(edit, !unsent);
      setHidden(remove, !unsent);
      setHidden(reopen, next.state !== "done" || !allowed);
      for (const one of all)
        setAttribute(one, "aria-label", `${one.textContent} ${noteName(next).toLowerCase()}`);
    },
    focus() {
      all.find((one) => !one.hidden)?.focus();
    },
  };
}
