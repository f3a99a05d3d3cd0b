import type { Box } from "../../kernel/shared/annotate-wire.ts";
import type { App } from "../app.ts";
import { button, h, handle, putAt, setHidden } from "../page/dom.ts";
import { clamp, fanOut, isInside, type Spot } from "../page/geometry.ts";
import * as page from "../page/page.ts";
import { cancel, later, now } from "../page/timers.ts";
import { type Found, findTarget } from "../target/find-target.ts";
import { boxOf, viewport } from "../target/targets.ts";
import type { Anchor, Draft, Note } from "../types.ts";
import { createOutlines, marksOf } from "./outlines.ts";
import { DONE_MS, DONE_TICK_MS, decorate } from "./pin-button.ts";
import { clippers, pinSpot, placeNow, regionPlace } from "./placing.ts";

const GAP = 24;
const SIZE = 26;
/** How often a lost target is looked for again while the page changes. */
const AGAIN_MS = 250;

export interface Pins {
  element: HTMLElement;
  layer: HTMLElement;
  draw(): void;
  /** Position everything; one reading pass, then one writing pass. */
  place(): void;
  /** The page's content changed: targets that were lost are looked for again. */
  refresh(): void;
  /** Where a target is now in the viewport; null when it is not on the page or not shown. */
  boxOf(anchor: Anchor): Box | null;
  /** A region's place in its container, kept with the note. */
  placeOf(anchor: Anchor): Box | null;
  /** Whether the note's target was not found again on this screen. */
  isLost(note: Note): boolean;
  /** Scroll a note's target into view and flash it; false when it is not on the page. */
  goTo(note: Note): boolean;
  /** Pointer over the page while annotate is off. */
  pointer(event: Event): void;
  /** Whether anything on the page is being followed. */
  isTracking(): boolean;
}

interface Entry {
  key: string;
  anchor: Anchor;
  found: Found | null;
  lookedAt: number;
  place: Box | null;
  clips: Element[];
  button: HTMLButtonElement;
  note: Note | null;
  draft: Draft | null;
  spot: Spot | null;
}

export function createPins(app: App): Pins {
  const { model } = app;
  const entries = new Map<string, Entry>();
  const element = h("div.pins");
  const outlines = createOutlines();
  let doneTimer = 0;
  let flashed: { note: Note; until: number } | null = null;

  const wanted = (): (Note | Draft)[] => {
    if (app.boot.page === "/" || model.ui.pinsHidden) return [];
    const here = (one: { anchor: Anchor }) => one.anchor.page === app.boot.page;
    const notes = model.notes.filter(
      (note) => here(note) && !(note.state === "done" && note.doneShown >= DONE_MS),
    );
    const drafts = model.drafts.filter(
      (draft) => here(draft) && draft.editOf === null && draft.key !== app.composer.draftKey(),
    );
    return [...notes, ...drafts];
  };

  const entryFor = (one: Note | Draft): Entry => {
    const note = "comment" in one ? one : null;
    const draft = note === null ? (one as Draft) : null;
    const key = note === null ? `draft ${one.key}` : one.key;
    const known = entries.get(key);
    if (known !== undefined) return Object.assign(known, { note, draft });
    const entry: Entry = {
      key,
      anchor: one.anchor,
      found: null,
      lookedAt: -1,
      place: note?.place ?? null,
      clips: [],
      button: button("pin", null, () => activate(entry)),
      note,
      draft,
      spot: null,
    };
    handle(entry.button, {
      pointerover: () => {
        if (entry.note !== null) app.card.point(entry.note, entry.button);
      },
      pointerout: () => app.card.leave(),
      focusin: () => {
        if (entry.note !== null) app.card.point(entry.note, entry.button);
      },
      focusout: () => app.card.leave(),
    });
    entries.set(key, entry);
    return entry;
  };

  const activate = (entry: Entry) => {
    if (entry.draft !== null) app.composer.resume(entry.draft);
    else if (entry.note !== null) app.card.open(entry.note, entry.button);
  };

  const look = (entry: Entry) => {
    entry.lookedAt = now();
    entry.found = findTarget(entry.anchor);
    if (entry.found === null) return;
    entry.clips = clippers(entry.found.element);
    if (entry.place === null) entry.place = regionPlace(entry.anchor, entry.found.element);
  };

  /** An element that left the page is looked for again at once, a lost one when the page has changed. */
  const current = (entry: Entry): Found | null => {
    if (entry.lookedAt < 0 || (entry.found !== null && !page.isConnected(entry.found.element))) look(entry);
    return entry.found;
  };

  const draw = () => {
    const list = wanted().map(entryFor);
    const keys = new Set(list.map((entry) => entry.key));
    for (const [key, entry] of entries) {
      if (keys.has(key)) continue;
      entry.button.remove();
      entries.delete(key);
    }
    for (const entry of list) {
      if (!entry.button.isConnected) element.append(entry.button);
      current(entry);
      decorate(entry.button, entry.note, entry.draft, app.model.on);
    }
    countDone();
  };

  const countDone = () => {
    cancel(doneTimer);
    const fading = () =>
      [...entries.values()].filter(({ note, found }) => note?.state === "done" && found !== null);
    if (fading().length === 0) return;
    doneTimer = later(() => {
      if (page.visibilityOf(document) === "visible") {
        for (const { note } of fading()) note!.doneShown += DONE_TICK_MS;
        app.remember();
      }
      app.update();
    }, DONE_TICK_MS);
  };

  const place = () => {
    const view: Box = { x: 0, y: 0, ...viewport() };
    const list = [...entries.values()];
    // Read everything first: writing in between would lay the page out once per pin.
    for (const entry of list) entry.spot = current(entry) === null ? null : spotOf(entry, view);
    const subject = outlined();
    const target = subject === null ? null : resolve(subject.anchor, subject.note);
    const marks =
      subject === null || target?.found == null ? [] : marksOf(subject.anchor, target.found, target.place);
    const shown = list.filter((entry) => entry.spot !== null);
    const spread = fanOut(
      shown.map((entry) => entry.spot!),
      GAP,
      view.width,
    );
    for (const entry of list) setHidden(entry.button, entry.spot === null);
    for (const [at, entry] of shown.entries()) {
      const { x, y } = spread[at]!;
      entry.spot = { x, y };
      putAt(entry.button, {
        x: clamp(x, 2, view.width - SIZE - 2),
        y: clamp(y - SIZE, 2, view.height - SIZE - 2),
      });
    }
    outlines.draw(marks, target?.found?.range != null);
  };

  const spotOf = (entry: Entry, view: Box): Spot | null => {
    const found = entry.found!;
    const box = placeNow(entry.anchor, found, entry.place);
    if (box === null) return null;
    const spot = pinSpot(entry.anchor, box, found);
    if (!isInside(view, spot)) return null;
    return entry.clips.every((one) => isInside(boxOf(one), spot)) ? spot : null;
  };

  /** What is open, pointed at or gone to: its element, region or text is outlined. */
  const outlined = (): { anchor: Anchor; note: Note | null } | null => {
    const open = app.composer.anchor();
    if (open !== null) return { anchor: open, note: null };
    const note = app.card.note();
    if (note !== null) return { anchor: note.anchor, note };
    return flashed !== null && flashed.until > now()
      ? { anchor: flashed.note.anchor, note: flashed.note }
      : null;
  };

  /** The target of an anchor that need not have a pin: the composer's, or a hidden one. */
  const resolve = (anchor: Anchor, note: Note | null) => {
    const entry = note === null ? undefined : entries.get(note.key);
    if (entry !== undefined) return { found: current(entry), place: entry.place };
    const found = findTarget(anchor);
    return { found, place: found === null ? null : regionPlace(anchor, found.element) };
  };

  const locate = (anchor: Anchor, note: Note | null = null): Box | null => {
    const { found, place: region } = resolve(anchor, note);
    return found === null ? null : placeNow(anchor, found, region);
  };

  return {
    element,
    layer: outlines.layer,
    draw,
    place,
    refresh() {
      const moment = now();
      let changed = false;
      for (const entry of entries.values()) {
        if (entry.found !== null && page.isConnected(entry.found.element)) continue;
        if (moment - entry.lookedAt < AGAIN_MS) continue;
        const before = entry.found;
        look(entry);
        changed = changed || before !== entry.found;
      }
      if (changed) app.update();
    },
    boxOf: (anchor) => locate(anchor),
    placeOf: (anchor) => resolve(anchor, null).place,
    isLost: (note) => {
      if (note.anchor.page !== app.boot.page) return false;
      return resolve(note.anchor, note).found === null;
    },
    goTo(note) {
      const { found } = resolve(note.anchor, note);
      if (found === null) return false;
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      found.element.scrollIntoView(
        page.dict({
          block: "center" as const,
          inline: "nearest" as const,
          behavior: calm ? ("instant" as const) : ("smooth" as const),
        }),
      );
      flashed = { note, until: now() + 1600 };
      later(() => app.layout(), 1650);
      app.layout();
      return true;
    },
    pointer(event) {
      if (event.type !== "pointermove" || entries.size === 0) return;
      const { clientX, clientY } = event as PointerEvent;
      const near = [...entries.values()].find(
        ({ spot, note }) =>
          note !== null &&
          spot !== null &&
          clientX >= spot.x - 2 &&
          clientX <= spot.x + SIZE + 2 &&
          clientY >= spot.y - SIZE - 2 &&
          clientY <= spot.y + 2,
      );
      if (near?.note) app.card.point(near.note, near.button);
      else app.card.leave();
    },
    isTracking: () => entries.size > 0 || app.composer.anchor() !== null || app.card.note() !== null,
  };
}
