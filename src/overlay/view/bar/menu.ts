import { PLAIN_QUERY } from "../../../kernel/shared/annotate-wire.ts";
import type { App } from "../../app.ts";
import { isOver } from "../../can-annotate.ts";
import {
  button,
  group,
  h,
  handle,
  type IconName,
  icon,
  roam,
  setAttribute,
  setHidden,
  setText,
} from "../../page/dom.ts";

export interface Menu {
  element: HTMLElement;
  /** Focus its first item. */
  focus(): void;
  draw(): void;
}

interface MenuActions {
  move(): void;
  collapse(): void;
  help(): void;
  end(): void;
}

/** The … menu: a disclosure of plain buttons (15.12). */
export function createMenu(app: App, actions: MenuActions): Menu {
  const { model } = app;
  const close = () => {
    model.panel = null;
    app.update();
  };
  const item = (name: IconName, text: string, run: () => void) =>
    button("menu-item", [icon(name), h("span", {}, text)], () => {
      close();
      run();
    });
  const copy = item("copy", "Copy notes as Markdown", () => app.list.copyNotes());
  const pins = item("eye", "Hide pins", () => {
    model.ui.pinsHidden = !model.ui.pinsHidden;
    app.remember();
    app.update();
    app.layout();
  });
  const pinsWords = pins.querySelector("span")!;
  const move = item("move", "Move toolbar", actions.move);
  const collapse = item("collapse", "Collapse", actions.collapse);
  const plain = h(
    "a.menu-item",
    { target: "_blank", rel: "noopener" },
    icon("open"),
    h("span", {}, "Open without overlay"),
  );
  handle(plain, { click: () => queueMicrotask(close) });
  const help = item("keyboard", "Keyboard help", actions.help);
  const end = item("end", "End session", actions.end);
  end.classList.add("danger");
  const items = [end, copy, pins, move, collapse, plain, help];
  const element = h("div.menu panel", { id: "ce-menu", hidden: true }, ...items);
  roam(element, ["ArrowUp", "ArrowDown"], items, app.mount.focused);
  return {
    element,
    focus: () => items.find((one) => !one.hidden)?.focus(),
    draw() {
      setText(pinsWords, model.ui.pinsHidden ? "Show pins" : "Hide pins");
      setHidden(copy, model.notes.length === 0);
      setHidden(end, isOver(app));
      const search = location.search === "" ? "?" : `${location.search}&`;
      setAttribute(plain, "href", `${app.boot.origin}${plainPath(app)}${search}${PLAIN_QUERY}`);
    },
  };
}

const plainPath = (app: App): string => (app.boot.page === "/" ? app.boot.requested : app.boot.page);

const KEYS: [string[], string][] = [
  [["Ctrl", "A"], "Annotate on or off; freezes what the pointer shows"],
  [["↑", "↓", "←", "→"], "Move to parent, child or sibling"],
  [["Shift", "↑ ↓"], "Element above or below at this spot"],
  [["Tab"], "Follow the page’s focus"],
  [["Enter"], "Comment on the highlighted element"],
  [["Shift", "Enter"], "Collect it: one note for several"],
  [["Ctrl", "Enter"], "Add the note"],
  [["Ctrl", "Shift", "Enter"], "Add it and send everything"],
  [["Esc"], "Close the innermost, then leave annotate"],
];

export function createHelp(close: () => void): HTMLElement {
  const rows = KEYS.map(([keys, text]) =>
    h("div.help-row", {}, h("dt", {}, ...keys.map((key) => h("kbd", {}, key))), h("dd", {}, text)),
  );
  return group(
    "help",
    "Keyboard help",
    h(
      "div.list-head",
      {},
      h("h2", {}, "Keyboard"),
      h("span.spring"),
      button("icon-button", icon("close"), close, { "aria-label": "Close keyboard help" }),
    ),
    h("dl", {}, ...rows),
  );
}
