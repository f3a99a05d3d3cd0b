import type { Box } from "../../../kernel/shared/annotate-wire.ts";
import { button, h, handle, icon, putAt, setHidden, setText, sizeOf } from "../../page/dom.ts";
import { centre, clamp, placeBeside, type Spot } from "../../page/geometry.ts";
import type { Attachments } from "./attachments.ts";

const MAX_LENGTH = 4000;
const COUNT_FROM = 3500;

/** What the composer shows; its text is the field's own. */
export interface ComposerState {
  title: string;
  editing: boolean;
  /** Unsent notes besides this one. */
  others: number;
  /** False once nothing can be saved any more: the text can still be copied. */
  allowed: boolean;
  busy: boolean;
  error: string;
}

export interface ComposerView {
  element: HTMLElement;
  head: HTMLElement;
  draw(state: ComposerState): void;
  /** As high as its text, within bounds. */
  grow(): void;
  /** Where it was dragged to; else beside its target; above the on-screen keyboard on small screens. */
  place(dragged: Spot | null, target: () => Box | null): void;
}

/** A field to write in; Ctrl+Enter submits, with Shift to send as well. */
export function writingField(
  asks: string,
  name: string,
  input: () => void,
  submit: (send: boolean) => void,
): HTMLTextAreaElement {
  const field = h<HTMLTextAreaElement>("textarea.composer-text", {
    rows: 3,
    maxlength: MAX_LENGTH,
    dir: "auto",
    placeholder: asks,
    "aria-label": name,
  });
  handle(field, {
    input,
    keydown: (event) => {
      const key = event as KeyboardEvent;
      if (key.isComposing || key.keyCode === 229) return true;
      if (key.key !== "Enter" || !(key.ctrlKey || key.metaKey)) return false;
      key.preventDefault();
      submit(key.shiftKey);
      return true;
    },
  });
  return field;
}

export function createComposerView(
  field: HTMLTextAreaElement,
  attachments: Attachments,
  act: {
    abandon(): void;
    submit(send: boolean): void;
    copy(): void;
  },
): ComposerView {
  const title = h("div.composer-title", { id: "ce-composer-title" });
  const counter = h("div.composer-count", { "aria-live": "polite" });
  const message = h("div.composer-error", { role: "alert" });
  const keys = h("span", {}, ...keyHint());
  const late = h("span", {}, "This can no longer be sent. Copy it to keep it.");
  const hint = h("div.composer-hint", { id: "ce-composer-hint" }, keys, late);
  const cancel = button("button quiet", "Cancel", act.abandon);
  const copy = button("button", [icon("copy"), "Copy"], act.copy);
  const add = button("button primary", "", () => act.submit(false));
  const addSend = button("button", "", () => act.submit(true));
  const head = h("div.composer-head", {}, icon("comment"), title);
  const element = h(
    "div.composer panel",
    { role: "dialog", "aria-modal": "false", "aria-labelledby": "ce-composer-title", hidden: true },
    head,
    field,
    attachments.element,
    counter,
    message,
    hint,
    h("div.composer-actions", {}, cancel, attachments.button, copy, h("span.spring"), addSend, add),
  );

  return {
    element,
    head,
    draw({ title: words, editing, others, allowed, busy, error }) {
      setText(title, words);
      setText(add, busy ? "Saving…" : editing ? "Save" : "Add note");
      setText(addSend, `${editing ? "Save and send" : "Add and send"}${others > 0 ? ` ${others + 1}` : ""}`);
      for (const control of [add, addSend]) {
        control.disabled = busy || attachments.isBusy() || field.value.trim() === "";
        setHidden(control, !allowed);
      }
      setHidden(copy, allowed);
      setHidden(attachments.button, !allowed);
      setHidden(keys, !allowed);
      setHidden(late, allowed);
      setText(message, error);
      setHidden(message, error === "");
      const { length } = field.value;
      setText(counter, `${length} of ${MAX_LENGTH}`);
      setHidden(counter, length < COUNT_FROM);
    },
    grow() {
      field.style.height = "auto";
      field.style.height = `${clamp(field.scrollHeight + 2, 76, 220)}px`;
    },
    place(dragged, target) {
      const view = visualViewport;
      const area: Box = {
        x: view?.offsetLeft ?? 0,
        y: view?.offsetTop ?? 0,
        width: view?.width ?? innerWidth,
        height: view?.height ?? innerHeight,
      };
      const size = sizeOf(element);
      const right = area.x + area.width - size.width;
      const bottom = area.y + area.height - size.height;
      const docked = area.width < 480 || matchMedia("(pointer: coarse)").matches;
      if (docked) {
        // At the edge away from what it is about.
        const box = target();
        const low = box !== null && centre(box).y > area.y + (area.height * 2) / 3;
        const x = area.x + Math.max(0, (area.width - size.width) / 2);
        putAt(element, { x, y: low ? area.y + 8 : bottom - 8 });
      } else if (dragged !== null)
        putAt(element, {
          x: clamp(dragged.x, area.x + 4, right - 4),
          y: clamp(dragged.y, area.y + 4, bottom - 4),
        });
      else
        putAt(
          element,
          placeBeside(target() ?? { x: right / 2, y: bottom / 2, width: 0, height: 0 }, size, area),
        );
    },
  };
}

export const isMac: boolean = /mac|iphone|ipad/i.test(navigator.platform);

function keyHint(): (Node | string)[] {
  const [adds, sends] = isMac ? ["⌘ Enter", "⌘ ⇧ Enter"] : ["Ctrl Enter", "Ctrl Shift Enter"];
  return [h("kbd", {}, adds!), " adds, ", h("kbd", {}, sends!), " sends"];
}
