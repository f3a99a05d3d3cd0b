import type { App } from "../app.ts";
import type { ScrollState } from "../notes/storage.ts";
import * as page from "../page/page.ts";
import { later, now } from "../page/timers.ts";
import { selectorFor } from "../target/selector.ts";
import { loadedBy } from "./boot.ts";
import { decideReload, reloadTarget } from "./reload-decision.ts";

const MAX_BOXES = 20;

/** Reloads when the agent changed the screen, and brings the person back to where they were (15.10). */
export interface Reloader {
  /** The screen changed. */
  request(): void;
  /** What stood in the way may be over. */
  check(): void;
  now(): void;
  /** Go to another screen, as the person asked. */
  leaveFor(file: string): void;
  isLeaving(): boolean;
  /** Scroll positions as they are. */
  scroll(): ScrollState;
  restore(saved: ScrollState | null): void;
}

export function createReloader(app: App, writeNow: () => void): Reloader {
  const { model, boot } = app;
  let wanted = false;
  let leaving = false;

  const now = () => {
    if (leaving) return;
    leaving = true;
    writeNow();
    const target = reloadTarget(boot.requested, boot.page, location);
    // Replacing the address with itself, or with another fragment of it, would load nothing.
    if (target.same) location.reload();
    else location.replace(boot.origin + target.path);
  };

  const check = () => {
    if (!wanted || leaving || model.connection === "ended") return;
    const decision = decideReload({
      saving: model.notes.some((note) => note.state === "saving"),
      composing: app.composer.hasText() || app.message.hasText(),
      dragging: app.picker.isDragging(),
    });
    if (decision === "now") return now();
    const waiting = decision === "ask";
    if (model.updateWaiting !== waiting) {
      model.updateWaiting = waiting;
      app.update();
    }
  };

  return {
    request() {
      wanted = true;
      check();
    },
    check,
    now,
    leaveFor(file) {
      leaving = true;
      writeNow();
      location.assign(boot.origin + file);
    },
    isLeaving: () => leaving,
    scroll: () => ({
      page: boot.page,
      hash: location.hash,
      x: scrollX,
      y: scrollY,
      own: leaving,
      boxes: scrolledBoxes(),
    }),
    restore(saved) {
      if (saved === null || saved.page !== boot.page || saved.hash !== location.hash) return;
      if (!saved.own && loadedBy() !== "reload") return;
      let last = { x: scrollX, y: scrollY };
      const apply = () => {
        // The person has scrolled meanwhile: leave them where they are.
        if (scrollX !== last.x || scrollY !== last.y) return;
        window.scrollTo(page.dict({ left: saved.x, top: saved.y, behavior: "instant" as const }));
        last = { x: scrollX, y: scrollY };
        for (const { selector, x, y } of saved.boxes) {
          const box = page.query(document, selector);
          if (box !== null) box.scrollTo(page.dict({ left: x, top: y, behavior: "instant" as const }));
        }
      };
      apply();
      // Images and fonts may still make the page as long as it was.
      if (document.readyState !== "complete")
        window.addEventListener("load", () => later(apply, 0), { once: true });
    },
  };
}

function scrolledBoxes(): ScrollState["boxes"] {
  const boxes: ScrollState["boxes"] = [];
  for (const element of scrollable()) {
    const x = element.scrollLeft;
    const y = element.scrollTop;
    boxes.push({ selector: selectorFor(document, element, () => now()), x, y });
    if (boxes.length === MAX_BOXES) break;
  }
  return boxes;
}

function scrollable(): Element[] {
  return page
    .queryAll(document, "body *")
    .slice(0, 20_000)
    .filter((element) => element.scrollTop !== 0 || element.scrollLeft !== 0);
}
