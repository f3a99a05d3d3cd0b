import type { App } from "../../app.ts";
import { button, h, setAttribute, setHidden, setText } from "../../page/dom.ts";

/** What stands by the bar while annotate is on: the freeze, and until it is known what can be done (15.4). */
export interface Strip {
  element: HTMLElement;
  draw(): void;
}

/** Notes after which the gestures are known. */
const KNOWN_AFTER = 3;

export function createStrip(app: App): Strip {
  const { model } = app;
  const freeze = button("button small freeze", "Freeze", () => app.picker.freeze(!model.frozen), {
    "aria-pressed": "false",
  });
  const hint = h("span.hint");
  const element = h(
    "div.strip panel",
    { role: "group", "aria-label": "Annotating", hidden: true },
    hint,
    freeze,
  );
  return {
    element,
    draw() {
      setHidden(element, !model.on || app.composer.anchor() !== null);
      const touch = matchMedia("(pointer: coarse)").matches;
      setText(
        hint,
        touch
          ? "Tap a thing, tap again to comment"
          : "Click a thing · drag an area · Shift-click for several",
      );
      setHidden(hint, model.notes.length >= KNOWN_AFTER);
      setAttribute(freeze, "aria-pressed", String(model.frozen));
    },
  };
}
