import type { App } from "../app.ts";
import { fullStatus, noteName, standingOf, TARGET_DOUBTFUL } from "../notes/words.ts";
import { h, handle, putAt, setAttribute, setHidden, setText, sizeOf } from "../page/dom.ts";
import { placeBeside } from "../page/geometry.ts";
import { cancel, later } from "../page/timers.ts";
import { viewport } from "../target/targets.ts";
import type { Note } from "../types.ts";
import { noteButtons } from "./note-buttons.ts";

const REST_MS = 180;
const LEAVE_MS = 250;

/** The small card beside a pin: what the note says while the pointer rests there, with actions when opened. */
export interface Card {
  element: HTMLElement;
  point(note: Note, pin: HTMLElement): void;
  leave(): void;
  open(note: Note, pin: HTMLElement): void;
  close(): boolean;
  note(): Note | null;
  draw(): void;
  place(): void;
}

export function createCard(app: App): Card {
  let shown: { key: string; pin: HTMLElement; open: boolean } | null = null;
  let pending: { key: string; timer: number } | null = null;
  let leaving = 0;
  /** Dismissed by Esc: stays away until the pointer has left the pin. */
  let dismissed: string | null = null;

  const name = h("span.card-name");
  const status = h("span.status");
  const doubt = h("span.status doubtful", { hidden: true }, TARGET_DOUBTFUL);
  const comment = h("p.card-comment", { dir: "auto" });
  const buttons = noteButtons(app, false);
  const element = h(
    "div.card panel",
    { role: "group", hidden: true },
    h("div.card-head", {}, name, h("bdi", {}, status), doubt),
    comment,
    buttons.element,
  );

  const note = () => app.model.notes.find((one) => one.key === shown?.key) ?? null;

  const show = (key: string, pin: HTMLElement, open: boolean) => {
    shown = { key, pin, open };
    draw();
    place();
    app.layout();
  };

  const hide = () => {
    const one = shown?.open === true ? note() : null;
    if (one !== null && (one.state === "done" || one.outcome !== null)) app.pins.looked([one]);
    shown = null;
    setHidden(element, true);
    app.layout();
  };

  const stay = () => cancel(leaving);

  const draw = () => {
    const one = note();
    if (one === null || shown === null || (app.model.panel !== null && !shown.open)) {
      if (shown !== null) hide();
      return;
    }
    setText(name, noteName(one));
    setText(status, fullStatus(one));
    setAttribute(status, "class", `status ${standingOf(one)}`);
    setHidden(doubt, !app.pins.isDoubtful(one));
    setText(comment, one.comment);
    setAttribute(element, "aria-label", noteName(one));
    setAttribute(element, "data-open", shown.open);
    setHidden(buttons.element, !shown.open);
    buttons.draw(one);
    setHidden(element, false);
  };

  const place = () => {
    if (shown === null) return;
    if (shown.pin.hidden || !shown.pin.isConnected) return hide();
    const { x, y, width, height } = shown.pin.getBoundingClientRect();
    const size = sizeOf(element);
    const spot = placeBeside({ x, y, width, height }, size, { x: 0, y: 0, ...viewport() }, 8);
    putAt(element, spot);
  };

  handle(element, { pointerover: stay, pointerout: () => leave(), focusin: stay });

  const leave = () => {
    dismissed = null;
    if (pending !== null) cancel(pending.timer);
    pending = null;
    if (shown === null || shown.open) return;
    stay();
    leaving = later(() => {
      if (shown !== null && !shown.open) hide();
    }, LEAVE_MS);
  };

  return {
    element,
    point(one, pin) {
      stay();
      if (shown?.key === one.key || pending?.key === one.key || shown?.open === true || dismissed === one.key)
        return;
      if (app.composer.anchor() !== null) return;
      if (pending !== null) cancel(pending.timer);
      const { key } = one;
      const timer = later(() => {
        pending = null;
        show(key, pin, false);
      }, REST_MS);
      pending = { key, timer };
    },
    leave,
    open(one, pin) {
      if (pending !== null) cancel(pending.timer);
      pending = null;
      show(one.key, pin, true);
      buttons.focus();
    },
    close() {
      if (pending !== null) cancel(pending.timer);
      pending = null;
      if (shown === null) return false;
      dismissed = shown.key;
      const { pin, open } = shown;
      const inside = app.mount.holdsFocus(element);
      hide();
      if (open && inside && pin.isConnected) pin.focus();
      return true;
    },
    note,
    draw,
    place,
  };
}
