import { noteName, statusWords, targetLabel } from "../notes/words.ts";
import { icon, setAttribute } from "../page/dom.ts";
import { clip, fold } from "../target/text.ts";
import type { Draft, Note } from "../types.ts";

/** How long a done pin stays on a visible page, and in what steps that is counted. */
export const DONE_MS = 4000;
export const DONE_TICK_MS = 500;

/** Give a pin the looks and the name of its note or draft (15.8). */
export function decorate(pin: HTMLElement, note: Note | null, draft: Draft | null, solid: boolean): void {
  const state = note?.state ?? "draft";
  const fades = note !== null && note.doneShown >= DONE_MS - DONE_TICK_MS;
  setAttribute(pin, "class", `pin ${state}${fades ? " fading" : ""}`);
  // Without annotate a pin must not block what lies under it; a draft is the person's own and stays reachable.
  setAttribute(pin, "data-solid", solid || note === null);
  if (note === null) {
    setAttribute(pin, "aria-label", `Draft on ${targetLabel(draft!.anchor)}`);
    drawGlyph(pin, "pencil", "");
    return;
  }
  const words = statusWords(note.state).toLowerCase();
  setAttribute(pin, "aria-label", `${noteName(note)}, ${words}: ${clip(fold(note.comment), 80)}`);
  if (state === "done") drawGlyph(pin, "check", "");
  else if (state === "saving" || state === "unsaved") drawGlyph(pin, "retry", "");
  else drawGlyph(pin, null, note.number === null ? "•" : String(note.number));
}

function drawGlyph(pin: HTMLElement, name: "pencil" | "check" | "retry" | null, text: string): void {
  const want = name ?? text;
  if (pin.dataset["glyph"] === want) return;
  pin.dataset["glyph"] = want;
  pin.replaceChildren(name === null ? text : icon(name));
}
