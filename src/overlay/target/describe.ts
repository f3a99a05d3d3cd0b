import * as page from "../page/page.ts";
import { clip, ellipsis, fold, orNull } from "./text.ts";
import { STANDS_IN_TEXT } from "./things.ts";

/** Elements whose text is not shown, or is something the person typed and must never leave the page (15.7). */
const SILENT = /^(?:script|style|noscript|template|textarea|select|option|datalist|head)$/;
/** What elements are called where their tag is no word. */
const ROLES: Record<string, string> = page.dict({
  div: "box",
  td: "cell",
  th: "header cell",
  tr: "row",
  dl: "list",
  fieldset: "group",
  body: "page",
  html: "page",
  nav: "navigation",
  img: "image",
  ul: "list",
  ol: "list",
  li: "list item",
  textarea: "text field",
  p: "paragraph",
  svg: "graphic",
  iframe: "frame",
  summary: "disclosure",
});
const INPUT_ROLES: Record<string, string> = {
  checkbox: "checkbox",
  radio: "radio button",
  range: "slider",
  button: "button",
  submit: "button",
  reset: "button",
  image: "button",
  search: "search field",
  file: "file field",
};

export const isField = (element: Element): boolean => /^(?:input|textarea|select)$/.test(page.tagOf(element));

function isBlock(element: Element): boolean {
  const { display } = getComputedStyle(element);
  return !display.startsWith("inline") && display !== "contents";
}

function isShown(element: Element): boolean {
  if (typeof element.checkVisibility !== "function") return page.rectOf(element).width > 0;
  return element.checkVisibility(page.dict({ visibilityProperty: true }));
}

/** The text an element shows, whitespace folded, up to `limit`. Never the value of a field. */
export function shownText(element: Element, limit: number): string {
  const parts: string[] = [];
  let length = 0;
  const visit = (node: Node) => {
    if (length > limit * 2) return;
    if (page.isText(node)) {
      parts.push(node.data);
      length += fold(node.data).length;
    } else if (page.isElement(node)) {
      const tag = page.tagOf(node);
      if (SILENT.test(tag) || !isShown(node)) return;
      if (tag === "br") return void parts.push(" ");
      const block = isBlock(node);
      if (block) parts.push(" ");
      for (const child of Array.from(page.childNodesOf(node))) visit(child);
      if (block) parts.push(" ");
    }
  };
  if (SILENT.test(page.tagOf(element))) return "";
  for (const child of Array.from(page.childNodesOf(element))) visit(child);
  return clip(fold(parts.join("")), limit);
}

function labelledBy(element: Element): string {
  const root = page.rootOf(element) as page.Root;
  const texts = (page.attribute(element, "aria-labelledby") ?? "")
    .split(/\s+/)
    .filter((id) => id !== "")
    .map((id) => page.queryAll(root, "[id]").find((other) => page.attribute(other, "id") === id))
    .map((other) => (other === undefined ? "" : shownText(other, 120)));
  return fold(texts.join(" "));
}

function fieldLabel(element: Element): string {
  const id = page.attribute(element, "id");
  const root = page.rootOf(element) as page.Root;
  const outer = page.closest(element, "label");
  const own =
    outer ?? page.queryAll(root, "label[for]").find((label) => page.attribute(label, "for") === id) ?? null;
  return own === null ? "" : shownText(own, 120);
}

/** The id a label is for. */
export const labelFor = (label: Element): string | null => page.attribute(label, "for");

/** What an element that says nothing is called by what is written at it; `labelOf` gives the label for an id. */
export function attributeName(element: Element, labelOf: (id: string) => Element | undefined): string {
  for (const name of ["aria-label", "alt", "title", "placeholder"]) {
    const words = attributeText(element, name);
    if (words !== "") return words;
  }
  if (!isField(element)) return "";
  const id = page.attribute(element, "id");
  const label = page.closest(element, "label") ?? (id === null ? undefined : labelOf(id));
  return label === undefined ? "" : fold(label.textContent ?? "");
}

const attributeText = (element: Element, name: string): string => fold(page.attribute(element, name) ?? "");

/** The accessible name, as far as it can be told without the browser's own tree. Field values never count. */
export function nameOf(element: Element, limit = 120): string {
  const explicit = labelledBy(element) || attributeText(element, "aria-label");
  if (explicit !== "") return clip(explicit, limit);
  const tag = page.tagOf(element);
  if (isField(element)) {
    const button =
      tag === "input" && /^(?:submit|reset|button)$/i.test(page.attribute(element, "type") ?? "");
    const words = button ? attributeText(element, "value") : "";
    return clip(
      words ||
        fieldLabel(element) ||
        attributeText(element, "placeholder") ||
        attributeText(element, "title"),
      limit,
    );
  }
  if (tag === "img") return clip(attributeText(element, "alt") || attributeText(element, "title"), limit);
  if (tag === "svg") {
    const title = page.firstChildOf(element);
    if (title !== null && page.tagOf(title) === "title") return clip(fold(title.textContent ?? ""), limit);
  }
  return isNamedByText(element) ? shownText(element, limit) : attributeText(element, "title");
}

/** Whether what an element contains is short enough to call it by. */
function isNamedByText(element: Element): boolean {
  if (
    /^(?:a|button|h[1-6]|summary|label|li|td|th|option|legend|figcaption|caption|dt|dd)$/.test(
      page.tagOf(element),
    )
  )
    return true;
  if (
    /^(?:button|link|heading|tab|menuitem|option|switch|checkbox|radio)$/.test(
      page.attribute(element, "role") ?? "",
    )
  )
    return true;
  return page.firstChildOf(element) === null;
}

function roleOf(element: Element): string {
  const explicit = page.attribute(element, "role");
  if (explicit !== null && /^[a-z]+$/.test(explicit)) return explicit;
  const tag = page.tagOf(element);
  if (tag === "a") return page.attribute(element, "href") === null ? tag : "link";
  if (tag === "input")
    return INPUT_ROLES[(page.attribute(element, "type") ?? "text").toLowerCase()] ?? "text field";
  if (/^h[1-6]$/.test(tag)) return "heading";
  // `b`, `em` and their like are text to a reader.
  return ROLES[tag] ?? (STANDS_IN_TEXT.has(tag) && tag !== "label" ? "text" : tag);
}

/** The longest text an element without a name is called by. */
const CALLED_LENGTH = 40;

/** What to call an element: role or kind, and its name or text, at most 120 characters. */
export function labelOf(element: Element): string {
  const role = roleOf(element);
  const name = nameOf(element) || calledBy(element);
  return name === "" ? role : `${role} "${ellipsis(name, 120 - role.length - 3)}"`;
}

function calledBy(element: Element): string {
  if (page.isPageRoot(element) || isField(element)) return "";
  return ellipsis(shownText(element, CALLED_LENGTH + 1), CALLED_LENGTH);
}

/** The text kept with a note on an element (15.7): an image's alt text, a field's label, else what it shows. */
export function snippetOf(element: Element): string | null {
  const tag = page.tagOf(element);
  if (tag === "img") return orNull(clip(attributeText(element, "alt"), 240));
  if (isField(element)) return orNull(clip(nameOf(element, 240), 240));
  return orNull(shownText(element, 240));
}

/** The opening tag, without values, data, handlers and styles; at most 300 characters. */
export function openingTag(element: Element): string {
  let html = `<${page.tagOf(element)}`;
  for (const name of page.attributeNames(element)) {
    const value = page.attribute(element, name) ?? "";
    if (name === "value" || name === "style" || name === "srcdoc" || /^on/i.test(name)) continue;
    if (name === "ce-annotate-hover") continue;
    if (/^\s*data:/i.test(value)) continue;
    html += ` ${name}="${value.replace(/&/g, "&amp;").replace(/"/g, "&quot;")}"`;
  }
  return clip(`${html}>`, 300);
}
