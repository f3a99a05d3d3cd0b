import {
  fullStatus,
  noteName,
  type Standing,
  standingOf,
  TARGET_DOUBTFUL,
  targetLabel,
} from "../../notes/words.ts";
import { type IconName, icon, setAttribute } from "../../page/dom.ts";
import { clip, fold } from "../../target/text.ts";
import type { Draft, Note } from "../../types.ts";

/** How long a done pin stays on a visible page, and in what steps that is counted. */
export const DONE_MS = 4000;
export const DONE_TICK_MS = 500;

/** Signs that stand for a number, where the state says more than it. */
const SIGNS: Partial<Record<Standing, IconName | "–" | "?" | "•">> = {
  saving: "retry",
  unsaved: "retry",
  done: "check",
  declined: "–",
  question: "?",
  passed: "•",
  abandoned: "•",
};

/** Give a pin the looks and the name of its note or draft (15.8). */
export function decorate(pin: HTMLElement, note: Note | null, draft: Draft | null, doubtful: boolean): void {
  setAttribute(pin, "data-doubtful", doubtful);
  if (note === null) {
    setAttribute(pin, "class", "pin draft");
    setAttribute(pin, "aria-label", `Draft on ${targetLabel(draft!.anchor)}`);
    drawGlyph(pin, "pencil");
    return;
  }
  const standing = standingOf(note);
  const fades = standing === "done" && note.doneShown >= DONE_MS - DONE_TICK_MS;
  setAttribute(pin, "class", `pin ${standing}${fades ? " fading" : ""}`);
  const status = fullStatus(note);
  const words = `${status[0]!.toLowerCase()}${status.slice(1)}${doubtful ? `, ${TARGET_DOUBTFUL.toLowerCase()}` : ""}`;
  setAttribute(pin, "aria-label", `${noteName(note)}, ${words}: ${clip(fold(note.comment), 80)}`);
  drawGlyph(pin, SIGNS[standing] ?? (note.number === null ? "•" : String(note.number)));
}

const ICONS = new Set<string>(["pencil", "check", "retry"]);

function drawGlyph(pin: HTMLElement, want: string): void {
  if (pin.dataset["glyph"] === want) return;
  pin.dataset["glyph"] = want;
  pin.replaceChildren(ICONS.has(want) ? icon(want as IconName) : want);
}
