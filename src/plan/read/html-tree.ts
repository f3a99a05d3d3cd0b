/** Small tools over a parsed HTML tree; nothing here loads the parser. */
import type { DefaultTreeAdapterTypes } from "parse5";
import { collapse, type HtmlElement } from "./document.ts";
import { once } from "./once.ts";

type Node = DefaultTreeAdapterTypes.Node;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

export function isElement(node: Node): node is HtmlElement {
  return "tagName" in node;
}

export function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === "#text";
}

export function attribute(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((candidate) => attributeName(candidate) === name)?.value;
}

/** `xlink:href` where the parser keeps prefix and name apart. */
export function attributeName(attribute: { name: string; prefix?: string }): string {
  return attribute.prefix ? `${attribute.prefix}:${attribute.name}` : attribute.name;
}

export function startLine(element: HtmlElement): number {
  return element.sourceCodeLocation?.startLine ?? 1;
}

export function endLine(element: HtmlElement): number {
  return element.sourceCodeLocation?.endLine ?? startLine(element);
}

/** The element's ancestors, nearest first. */
export function* ancestors(element: Node): Generator<HtmlElement> {
  let at = "parentNode" in element ? element.parentNode : null;
  while (at !== null && at !== undefined && isElement(at)) {
    yield at;
    at = at.parentNode;
  }
}

/** The element itself or its nearest ancestor of one of these names. */
export function closest(element: HtmlElement, names: ReadonlySet<string>): HtmlElement | undefined {
  if (names.has(element.tagName)) return element;
  for (const ancestor of ancestors(element)) if (names.has(ancestor.tagName)) return ancestor;
  return undefined;
}

const QUOTATION: ReadonlySet<string> = new Set(["blockquote"]);

/** Whether an element stands in a quotation. */
export function isQuoted(element: HtmlElement): boolean {
  return closest(element, QUOTATION) !== undefined;
}

export function contains(outer: HtmlElement, inner: HtmlElement): boolean {
  if (outer === inner) return true;
  for (const ancestor of ancestors(inner)) if (ancestor === outer) return true;
  return false;
}

/** Walk a tree without recursion, so that no depth of nesting overflows the stack. `enter` may refuse the children. */
export function walk(
  root: ParentNode,
  enter: (node: Node) => boolean | undefined,
  leave: (node: HtmlElement) => void = () => {},
): void {
  const stack: { node: ParentNode; next: number }[] = [{ node: root, next: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const child = top.node.childNodes[top.next++];
    if (child === undefined) {
      stack.pop();
      if (isElement(top.node)) leave(top.node);
      continue;
    }
    const refused = enter(child) === false;
    if (!isElement(child)) continue;
    if (refused) leave(child);
    else stack.push({ node: child, next: 0 });
  }
}

/** Elements whose text no reader sees. */
export const INVISIBLE: ReadonlySet<string> = new Set(["head", "script", "style", "template", "noscript"]);

/** What a reader sees of a node's text, blanks collapsed. */
export function visibleText(root: ParentNode): string {
  if ("tagName" in root && INVISIBLE.has(root.tagName)) return "";
  let text = "";
  walk(
    root,
    (node) => {
      if (isText(node)) text += node.value;
      if (!isElement(node)) return undefined;
      if (INVISIBLE.has(node.tagName)) return false;
      if (!INLINE.has(node.tagName)) text += " ";
      return undefined;
    },
    (node) => {
      if (!INLINE.has(node.tagName)) text += " ";
    },
  );
  return collapse(text);
}

/** Elements that run along in a line of text; every other one begins a block. */
export const INLINE: ReadonlySet<string> = new Set(
  (
    "a abbr acronym audio b bdi bdo big button canvas cite code data datalist del dfn em font i img input ins kbd " +
    "label map mark meter object output picture progress q ruby rp rt s samp select slot small span strike strong " +
    "sub sup svg time tt u var video wbr"
  ).split(" "),
);

const places = once(
  ({ childNodes }: ParentNode): ReadonlyMap<Node, number> =>
    new Map(childNodes.map((node, index) => [node, index])),
);

/** Which child of its parent a node is. */
export function placeOf(node: HtmlElement): number {
  return node.parentNode === null ? 0 : places(node.parentNode).get(node)!;
}

/** The siblings behind an element, in order. */
export function* following(element: HtmlElement): Generator<Node> {
  const siblings = element.parentNode?.childNodes ?? [];
  for (let index = placeOf(element) + 1; index < siblings.length; index++) yield siblings[index]!;
}

/** The following sibling that is an element. */
export function nextElement(element: HtmlElement): HtmlElement | undefined {
  for (const sibling of following(element)) if (isElement(sibling)) return sibling;
  return undefined;
}

/** The id that an in-page link points at; undefined for any other link and for the top of the page. */
export function fragment(element: HtmlElement): string | undefined {
  const target = attribute(element, "href")?.trim();
  if (target === undefined || !target.startsWith("#")) return undefined;
  const id = target.slice(1).replace(/:~:.*$/, "");
  if (id === "" || id.toLowerCase() === "top") return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
