import { type Handler, on } from "./events.ts";
import * as page from "./page.ts";

export type Child = Node | string | null;

/** Attribute values; false leaves one out, true writes it empty. */
export type Attributes = Record<string, string | number | boolean | null | undefined>;

/** An element of the overlay, named `tag.its classes`. Text only ever enters as text. */
export function h<T extends HTMLElement = HTMLElement>(
  name: string,
  attributes: Attributes = {},
  ...children: Child[]
): T {
  const [tag, classes] = name.split(".") as [string, string?];
  const element = page.createElement(document, tag) as T;
  setAttribute(element, "class", classes);
  for (const key of Object.keys(attributes)) setAttribute(element, key, attributes[key]);
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** A panel that says what it is for; hidden until it is drawn. */
export const group = (classes: string, label: string, ...children: Child[]): HTMLElement =>
  h(`div.${classes} panel`, { role: "group", "aria-label": label, hidden: true }, ...children);

/** Focus, once what was just changed is drawn. */
export const focusSoon = (element: HTMLElement | null): void => queueMicrotask(() => element?.focus());

/** Write one attribute, and only when it differs: rendering again must not disturb focus or screen readers. */
export function setAttribute(element: Element, name: string, value: Attributes[string]): void {
  const text =
    value === false || value === null || value === undefined ? null : value === true ? "" : String(value);
  if (text === null) {
    if (page.attribute(element, name) !== null) page.removeAttribute(element, name);
  } else if (page.attribute(element, name) !== text) page.setAttribute(element, name, text);
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** A button with its handler; `name` is its accessible name when the content is only an icon. */
export function button(
  className: string,
  content: Child | Child[],
  onClick: (event: Event) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const children = Array.isArray(content) ? content : [content];
  const element = h<HTMLButtonElement>(
    "button",
    { type: "button", class: className, ...attributes },
    ...children,
  );
  on(element, "click", (event) => onClick(event));
  return element;
}

/** Move an element of a layer to a spot, on whole pixels. */
export function putAt(element: HTMLElement, { x, y }: { x: number; y: number }): void {
  element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}

/** Put a layer element on a box; transforms cost no layout of their own. */
export function moveTo(
  element: HTMLElement,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): void {
  element.style.transform = `translate(${x}px, ${y}px)`;
  element.style.width = `${width}px`;
  element.style.height = `${height}px`;
}

export const sizeOf = (element: HTMLElement) => ({
  width: element.offsetWidth,
  height: element.offsetHeight,
});

export function handle(element: Element, handlers: Record<string, Handler>): void {
  for (const type of Object.keys(handlers)) on(element, type, handlers[type]!);
}

/** Let a part be dragged by its handle. `moved` hears how far it went and where the pointer is; null at the end. */
export function draggable(
  grip: HTMLElement,
  moved: (by: { x: number; y: number } | null, at: { x: number; y: number }) => void,
): void {
  let from: { x: number; y: number } | null = null;
  const end = (event: Event) => {
    const { clientX: x, clientY: y } = event as PointerEvent;
    if (from !== null) moved(null, { x, y });
    from = null;
  };
  handle(grip, {
    pointerdown: (event) => {
      const { pointerId, clientX: x, clientY: y, button: pressed } = event as PointerEvent;
      if (pressed !== 0) return;
      from = { x, y };
      grip.setPointerCapture(pointerId);
    },
    pointermove: (event) => {
      const { clientX: x, clientY: y } = event as PointerEvent;
      if (from !== null) moved({ x: x - from.x, y: y - from.y }, { x, y });
    },
    pointerup: end,
    pointercancel: end,
    // Focus stays where it is.
    mousedown: (event) => event.preventDefault(),
  });
}

/** Arrow keys, Home and End move focus among buttons; the one that got it is answered. */
export function roam(
  holder: HTMLElement,
  keys: readonly [back: string, forth: string],
  buttons: readonly HTMLElement[],
  focused: () => HTMLElement | null,
): void {
  handle(holder, {
    keydown: (event) => {
      const { key } = event as KeyboardEvent;
      const shown = buttons.filter((one) => !one.hidden);
      const at = shown.indexOf(focused()!);
      const to = { [keys[0]]: at - 1, [keys[1]]: at + 1, Home: 0, End: -1 }[key];
      if (at < 0 || to === undefined) return false;
      event.preventDefault();
      shown[(to + shown.length) % shown.length]!.focus();
      return true;
    },
  });
}

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  pin: "M4 20v-8.5A7.5 7.5 0 1 1 11.5 19H5M8.4 10.2h6.6M8.4 13.4h4",
  list: "M8.5 6.5H20M8.5 12H20M8.5 17.5H20M4.2 6.5h.1M4.2 12h.1M4.2 17.5h.1",
  send: "M12 19V5.5M6 11.2l6-6 6 6",
  more: "M5.5 12h.1M12 12h.1M18.5 12h.1",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  grip: "M9 6h.1M15 6h.1M9 12h.1M15 12h.1M9 18h.1M15 18h.1",
  end: "M6.5 6.5h11v11h-11z",
  copy: "M9 9h10v10H9zM5 15V5h10",
  eye: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  move: "M12 4v16M4 12h16M9 7l3-3 3 3M9 17l3 3 3-3",
  collapse: "M4.5 12h15",
  open: "M10 5H5v14h14v-5M13.5 5H19v5.5M19 5l-8 8",
  keyboard: "M3.5 7h17v10h-17zM7 10.3h.1M10.3 10.3h.1M13.6 10.3h.1M17 10.3h.1M8.5 13.7h7",
  check: "M5 12.6l4.6 4.6L19 7.4",
  retry: "M19.2 8.2A8 8 0 1 0 20 12M19.8 4v4.6h-4.6",
  pencil: "M5 19l.9-3.8L16 5.1l2.9 2.9L8.8 18.1 5 19z",
  comment: "M4.5 5.5h15v11h-8l-4 3.4v-3.4h-3z",
  agent: "M12 3.5l2.2 6.3 6.3 2.2-6.3 2.2L12 20.5l-2.2-6.3L3.5 12l6.3-2.2z",
  alert: "M12 4l9 15.5H3zM12 10v4.5M12 16.8h.1",
  image: "M4 5.5h16v13H4zM8.5 10.5h.1M4.5 17l4.5-4 3 2.5 3.5-3.5 4 4",
  back: "M4.5 5.5v6h6M5.2 11.2a7.6 7.6 0 1 1 1.4 5.6",
} as const;

export type IconName = keyof typeof ICONS;

/** A line icon, 24 units square, drawn in the current colour. */
export function icon(name: IconName): Element {
  const svg = page.createElementNS(document, SVG, "svg");
  for (const [key, value] of [
    ["viewBox", "0 0 24 24"],
    ["class", "icon"],
    ["aria-hidden", "true"],
  ] as const)
    page.setAttribute(svg, key, value);
  const path = page.createElementNS(document, SVG, "path");
  page.setAttribute(path, "d", ICONS[name]);
  svg.appendChild(path);
  return svg;
}
