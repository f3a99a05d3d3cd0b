import type { App } from "../../app.ts";
import { button, group, h, setAttribute, setHidden, setText } from "../../page/dom.ts";

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
  const comment = button("button small primary", "Comment", () => app.picker.choose());
  const element = group("strip", "Annotating", hint, comment, freeze);
  return {
    element,
    draw() {
      setHidden(element, !model.on || app.composer.anchor() !== null);
      const chosen = app.picker.collected();
      setText(
        hint,
        chosen > 0
          ? `${chosen} chosen · Enter comments`
          : matchMedia("(pointer: coarse)").matches
            ? "Tap a thing, tap again to comment"
            : "Click a thing · drag an area · Shift-click for several",
      );
      setHidden(hint, chosen === 0 && model.notes.length >= KNOWN_AFTER);
      setHidden(comment, chosen === 0);
      setAttribute(freeze, "aria-pressed", String(model.frozen));
    },
  };
}
