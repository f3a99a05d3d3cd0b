import type { Box } from "../../../kernel/shared/annotate-wire.ts";
import type { App } from "../../app.ts";
import { isWhole } from "../../notes/notes.ts";
import { standingOf } from "../../notes/words.ts";
import { button, h, handle, putAt, setAttribute, setHidden } from "../../page/dom.ts";
import { clamp, fanOut, isInside, type Spot } from "../../page/geometry.ts";
import * as page from "../../page/page.ts";
import { cancel, later, now } from "../../page/timers.ts";
import { findTarget } from "../../target/find-target.ts";
import { boxOf, viewport } from "../../target/targets.ts";
import { createTracker, type Tracked, type Tracker } from "../../target/tracker.ts";
import type { Anchor, Draft, Note } from "../../types.ts";
import { createCovers } from "./covered.ts";
import { otherMarks } from "./other-marks.ts";
import { createOutlines, marksOf } from "./outlines.ts";
import { DONE_MS, DONE_TICK_MS, decorate } from "./pin-button.ts";
import { clippers, pinSpot, placeNow, regionPlace } from "./placing.ts";

const GAP = 24;
const SIZE = 26;

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
  /** Whether it was, but may be another one. */
  isDoubtful(note: Note): boolean;
  tracker: Tracker;
  /** The person looked at what became of these notes: their pins may go. */
  looked(notes: readonly Note[]): void;
  /** Scroll a note's target into view and flash it; false when it is not on the page. */
  goTo(note: Note): boolean;
  /** Pointer over the page while annotate is off. */
  pointer(event: Event): void;
  /** Whether anything on the page is being followed. */
  isTracking(): boolean;
}

interface Entry {
  key: string;
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
  /** The target of the open composer, found once. */
  let current: Pick<Tracked, "anchor" | "found" | "place"> | null = null;
  let flashed: { note: Note; until: number } | null = null;

  const clips = new Map<string, Element[]>();
  const tracker = createTracker((tracked) => {
    const { found, anchor, key } = tracked;
    clips.set(key, clippers(found!.element));
    if (tracked.place === null) tracked.place = regionPlace(anchor, found!.element);
  });
  const covers = createCovers(app.mount.element, () => app.layout());

  const isHere = (one: { anchor: Anchor }) =>
    app.boot.page !== "/" && one.anchor.page === app.boot.page && !isWhole(one.anchor);
  const keyOf = (one: Note | Draft) => ("comment" in one ? one.key : `draft ${one.key}`);

  /** Done ones fade; what else became of a note stays until it was looked at, a question until its reply. */
  const isOver = (note: Note): boolean => {
    const standing = standingOf(note);
    if (standing === "done") return note.state === "done" && note.doneShown >= DONE_MS;
    if (standing === "question")
      return model.notes.some(({ anchor }) => anchor.context.in_reply_to?.id === note.id);
    return note.looked && (standing === "declined" || note.state === "done");
  };

  const openDrafts = () =>
    model.drafts.filter(
      (draft) => isHere(draft) && draft.editOf === null && draft.key !== app.composer.draftKey(),
    );

  const wanted = (): (Note | Draft)[] => {
    if (model.ui.pinsHidden) return [];
    return [...model.notes.filter((note) => isHere(note) && !isOver(note)), ...openDrafts()];
  };

  /** All notes of this screen are followed, those without a pin too: the list says where they are. */
  const follow = () =>
    tracker.follow(
      [...model.notes.filter(isHere), ...openDrafts()].map((one) => ({
        key: keyOf(one),
        anchor: one.anchor,
        place: "comment" in one ? one.place : null,
      })),
    );

  const entryFor = (one: Note | Draft): Entry => {
    const note = "comment" in one ? one : null;
    const draft = note === null ? (one as Draft) : null;
    const key = keyOf(one);
    const known = entries.get(key);
    if (known !== undefined) return Object.assign(known, { note, draft });
    const entry: Entry = {
      key,
      button: button("pin", null, () => activate(entry)),
      note,
      draft,
      spot: null,
    };
    const point = () => {
      if (entry.note !== null) app.card.point(entry.note, entry.button);
    };
    const { leave } = app.card;
    handle(entry.button, { pointerover: point, pointerout: leave, focusin: point, focusout: leave });
    entries.set(key, entry);
    return entry;
  };

  const activate = (entry: Entry) => {
    if (entry.draft !== null) app.composer.resume(entry.draft);
    else if (entry.note !== null) app.card.open(entry.note, entry.button);
  };

  const draw = () => {
    follow();
    const list = wanted().map(entryFor);
    const keys = new Set(list.map((entry) => entry.key));
    for (const [key, entry] of entries) {
      if (keys.has(key)) continue;
      entry.button.remove();
      entries.delete(key);
    }
    for (const entry of list) {
      if (!entry.button.isConnected) element.append(entry.button);
      const doubtful = entry.note !== null && isDoubtful(entry.note);
      decorate(entry.button, entry.note, entry.draft, doubtful);
    }
    countDone();
  };

  const countDone = () => {
    cancel(doneTimer);
    const fading = () =>
      [...entries.values()].filter(
        ({ note, key }) =>
          note?.state === "done" && standingOf(note) === "done" && tracker.found(key)?.found != null,
      );
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
    for (const entry of list) entry.spot = spotOf(entry, view);
    const subject = outlined();
    const target = subject === null ? null : resolve(subject.anchor, subject.note);
    const own =
      subject === null || target?.found == null ? [] : marksOf(subject.anchor, target.found, target.place);
    const marks = subject === null ? own : [...own, ...otherMarks(subject.anchor)];
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
      // Without annotate a pin must not block what lies under it; a draft is the person's own and stays reachable.
      const solid = model.on || entry.note === null || !covers.isControl(entry.key);
      setAttribute(entry.button, "data-solid", solid);
      putAt(entry.button, {
        x: clamp(x, 2, view.width - SIZE - 2),
        y: clamp(y - SIZE, 2, view.height - SIZE - 2),
      });
    }
    outlines.draw(marks, target?.found?.range != null);
  };

  const spotOf = ({ key }: Entry, view: Box): Spot | null => {
    const { found, anchor, place: region } = tracker.found(key) ?? {};
    if (found == null || anchor === undefined || !page.isConnected(found.element)) return null;
    const box = placeNow(anchor, found, region ?? null);
    if (box === null) return null;
    const spot = pinSpot(anchor, box, found);
    if (!isInside(view, spot)) return null;
    if (!(clips.get(key) ?? []).every((one) => isInside(boxOf(one), spot))) return null;
    return covers.isCovered(key, spot, found.element) ? null : spot;
  };

  const isDoubtful = (note: Note): boolean => {
    const found = tracker.found(note.key)?.found;
    return isHere(note) && found != null && (!found.sure || note.anchor.context.edited === true);
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

  /** The target of an anchor that need not be followed: the composer's. */
  const resolve = (anchor: Anchor, note: Note | null): Pick<Tracked, "found" | "place"> => {
    const known = note === null ? null : tracker.found(note.key);
    if (known !== null) return known;
    if (current?.anchor !== anchor || current.found === null || !page.isConnected(current.found.element)) {
      const found = findTarget(anchor);
      current = { anchor, found, place: found === null ? null : regionPlace(anchor, found.element) };
    }
    return current;
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
      if (tracker.refresh()) app.update();
      covers.again();
    },
    boxOf: (anchor) => locate(anchor),
    placeOf: (anchor) => resolve(anchor, null).place,
    isLost: (note) => isHere(note) && tracker.found(note.key)?.found == null,
    isDoubtful,
    tracker,
    looked(notes) {
      const keys = new Set(notes.filter(({ looked }) => !looked).map(({ key }) => key));
      if (keys.size === 0) return;
      model.notes = model.notes.map((note) => (keys.has(note.key) ? { ...note, looked: true } : note));
      app.remember();
      app.update();
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
      app.list.clear(boxOf(found.element));
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
