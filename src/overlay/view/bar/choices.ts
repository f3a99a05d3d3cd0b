import type { App } from "../../app.ts";
import { canAnnotate } from "../../can-annotate.ts";
import { button, group, h, icon, putAt, setHidden, sizeOf } from "../../page/dom.ts";
import { clamp } from "../../page/geometry.ts";
import * as page from "../../page/page.ts";
import { isRendered } from "../../target/hit-test.ts";
import { boxOf, viewport } from "../../target/targets.ts";
import { choicesOf, createAsked } from "./message-panel.ts";

/** The agent's question above the bar, and a button at each part of the screen that is a choice (15.17). */
export interface Choices {
  /** In the bar's corner. */
  element: HTMLElement;
  /** On the page. */
  layer: HTMLElement;
  draw(): void;
  place(): void;
  /** Whether something on the page is followed. */
  isTracking(): boolean;
}

interface Corner {
  element: Element;
  button: HTMLButtonElement;
}

export function createChoices(app: App): Choices {
  const { model } = app;
  let corners: Corner[] = [];
  let drawnFor = "";
  const asked = createAsked(app, group("ask", "The agent asks"), (value) => app.message.choose(value));
  const layer = h("div.layer");

  const isAsked = () => model.ask !== null && canAnnotate(app);

  const findCorners = () => {
    const values = new Set(model.ask?.choices ?? []);
    const key = JSON.stringify([model.ask?.id ?? null, isAsked() && !model.on]);
    const marked =
      isAsked() && !model.on
        ? page
            .queryAll(document, "[data-ce-choice]")
            .filter((one) => values.has(page.attribute(one, "data-ce-choice") ?? ""))
        : [];
    const same = key === drawnFor && marked.length === corners.length;
    if (same && marked.every((one, at) => corners[at]!.element === one)) return;
    drawnFor = key;
    corners = marked.map((one) => {
      const value = page.attribute(one, "data-ce-choice") ?? "";
      const text = h("bdi", {}, value);
      return {
        element: one,
        button: button("choice-corner", [icon("check"), text], () => app.message.choose(value), {
          "aria-label": `Choose ${value}`,
        }),
      };
    });
    layer.replaceChildren(...corners.map((corner) => corner.button));
  };

  const place = () => {
    if (corners.length === 0) return;
    const { width, height } = viewport();
    for (const corner of corners) {
      const box = boxOf(corner.element);
      const shown = isRendered(corner.element) && box.y + box.height > 0 && box.y < height;
      setHidden(corner.button, !shown);
      if (!shown) continue;
      const size = sizeOf(corner.button);
      putAt(corner.button, {
        x: clamp(box.x + box.width - size.width - 6, 4, width - size.width - 4),
        y: clamp(box.y + 6, 4, height - size.height - 4),
      });
    }
  };

  return {
    element: asked.element,
    layer,
    draw() {
      asked.draw(isAsked() && model.panel !== "message" && !model.ui.listOpen);
      const chosen = app.message.chosen();
      findCorners();
      for (const corner of corners) {
        const value = page.attribute(corner.element, "data-ce-choice");
        corner.button.setAttribute("aria-pressed", String(value === chosen));
      }
    },
    place,
    isTracking: () => isAsked() && choicesOf(app).length > 0,
  };
}
