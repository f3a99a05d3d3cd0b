/**
 * Reads of the page's nodes that a page cannot divert. `<form><input name="id">` replaces `form.id` and
 * `<img name="body">` replaces `document.body`, so every read goes through the prototype's own accessor.
 */

/** Tag of the overlay's own element. */
export const MOUNT = "ce-annotate-host";

export type Root = Document | ShadowRoot;

function getter<T extends object, V>(prototype: object, name: string): (node: T) => V {
  let holder: object | null = prototype;
  while (holder !== null) {
    const get = Object.getOwnPropertyDescriptor(holder, name)?.get;
    if (get !== undefined) return (node) => Reflect.apply(get, node, []) as V;
    holder = Object.getPrototypeOf(holder);
  }
  return (node) => (node as Record<string, unknown>)[name] as V;
}

function method<T extends object, A extends unknown[], V>(prototype: object, name: string) {
  const own = (prototype as Record<string, unknown>)[name] as ((...args: A) => V) | undefined;
  return (node: T, ...args: A): V =>
    Reflect.apply(own ?? ((node as Record<string, unknown>)[name] as (...args: A) => V), node, args);
}

// Absent outside a browser, where the pure parts of the overlay are tested.
const prototypeOf = (name: string): object =>
  (globalThis as unknown as Record<string, { prototype: object } | undefined>)[name]?.prototype ?? {};
const elements = prototypeOf("Element");
const nodes = prototypeOf("Node");
const documents = prototypeOf("Document");
const fragments = prototypeOf("DocumentFragment");
const shadows = prototypeOf("ShadowRoot");
const frames = prototypeOf("HTMLIFrameElement");

export const tagOf = getter<Element, string>(elements, "localName");
export const attribute = method<Element, [string], string | null>(elements, "getAttribute");
export const attributeNames = method<Element, [], string[]>(elements, "getAttributeNames");
export const setAttribute = method<Element, [string, string], void>(elements, "setAttribute");
export const removeAttribute = method<Element, [string], void>(elements, "removeAttribute");
export const rectOf = method<Element, [], DOMRect>(elements, "getBoundingClientRect");
export const matches = method<Element, [string], boolean>(elements, "matches");
export const closest = method<Element, [string], Element | null>(elements, "closest");
export const shadowOf = getter<Element, ShadowRoot | null>(elements, "shadowRoot");
export const nextOf = getter<Element, Element | null>(elements, "nextElementSibling");
export const previousOf = getter<Element, Element | null>(elements, "previousElementSibling");
export const parentOf = getter<Node, (Node & ParentNode) | null>(nodes, "parentNode");
export const parentElementOf = getter<Node, Element | null>(nodes, "parentElement");
export const firstNodeOf = getter<Node, ChildNode | null>(nodes, "firstChild");
export const nextNodeOf = getter<Node, ChildNode | null>(nodes, "nextSibling");
export const contains = method<Node, [Node | null], boolean>(nodes, "contains");
export const positionOf = method<Node, [Node], number>(nodes, "compareDocumentPosition");
export const childNodesOf = getter<Node, NodeListOf<ChildNode>>(nodes, "childNodes");
export const isConnected = getter<Node, boolean>(nodes, "isConnected");
export const rootOf = method<Node, [], Node>(nodes, "getRootNode");
export const documentOf = getter<Node, Document | null>(nodes, "ownerDocument");
export const htmlOf = getter<Document, HTMLElement>(documents, "documentElement");
export const bodyOf = getter<Document, HTMLElement | null>(documents, "body");
export const currentScriptOf = getter<Document, HTMLOrSVGScriptElement | null>(documents, "currentScript");
export const windowOf = getter<Document, (Window & typeof globalThis) | null>(documents, "defaultView");
export const fullscreenOf = getter<Document, Element | null>(documents, "fullscreenElement");
export const createElement = method<Document, [string], HTMLElement>(documents, "createElement");
export const createElementNS = method<Document, [string, string], Element>(documents, "createElementNS");
export const createRange = method<Document, [], Range>(documents, "createRange");
export const selectionOf = method<Document, [], Selection | null>(documents, "getSelection");
export const visibilityOf = getter<Document, DocumentVisibilityState>(documents, "visibilityState");
export const addListener = method<
  EventTarget,
  [string, (event: Event) => void, boolean | AddEventListenerOptions],
  void
>(prototypeOf("EventTarget"), "addEventListener");
export const removeListener = method<EventTarget, [string, (event: Event) => void, boolean], void>(
  prototypeOf("EventTarget"),
  "removeEventListener",
);

const documentActive = getter<Document, Element | null>(documents, "activeElement");
const shadowActive = getter<ShadowRoot, Element | null>(shadows, "activeElement");
const documentStack = method<Document, [number, number], Element[]>(documents, "elementsFromPoint");
const shadowStack = method<ShadowRoot, [number, number], Element[]>(shadows, "elementsFromPoint");
const elementFirst = getter<Element, Element | null>(elements, "firstElementChild");
const fragmentFirst = getter<DocumentFragment, Element | null>(fragments, "firstElementChild");
const documentFirst = getter<Document, Element | null>(documents, "firstElementChild");
const documentQuery = method<Document, [string], Element | null>(documents, "querySelector");
const fragmentQuery = method<DocumentFragment, [string], Element | null>(fragments, "querySelector");
const documentQueryAll = method<Document, [string], NodeListOf<Element>>(documents, "querySelectorAll");
const fragmentQueryAll = method<DocumentFragment, [string], NodeListOf<Element>>(
  fragments,
  "querySelectorAll",
);
const elementQueryAll = method<Element, [string], NodeListOf<Element>>(elements, "querySelectorAll");
const frameDocument = getter<HTMLIFrameElement, Document | null>(frames, "contentDocument");
const nodeType = getter<Node, number>(nodes, "nodeType");

export const isElement = (node: Node | null | undefined): node is Element =>
  node !== null && node !== undefined && nodeType(node) === 1;
export const isText = (node: Node): node is Text => nodeType(node) === 3;
export const isDocument = (node: Node): node is Document => nodeType(node) === 9;

export const firstChildOf = (node: Node): Element | null =>
  isElement(node)
    ? elementFirst(node)
    : isDocument(node)
      ? documentFirst(node)
      : fragmentFirst(node as DocumentFragment);

/** First match, or null; also null for a selector the browser does not understand. */
export function query(root: Root, selector: string): Element | null {
  try {
    return isDocument(root) ? documentQuery(root, selector) : fragmentQuery(root, selector);
  } catch {
    return null;
  }
}

export function queryAll(root: Root, selector: string): Element[] {
  try {
    const found = isDocument(root) ? documentQueryAll(root, selector) : fragmentQueryAll(root, selector);
    return Array.from(found);
  } catch {
    return [];
  }
}

/** The elements below one that match, in document order. */
export const queryWithin = (element: Element, selector: string): Element[] =>
  Array.from(elementQueryAll(element, selector));

export const activeOf = (root: Root): Element | null =>
  isDocument(root) ? documentActive(root) : shadowActive(root);
export const stackAt = (root: Root, x: number, y: number): Element[] =>
  isDocument(root) ? documentStack(root, x, y) : shadowStack(root, x, y);

/** The document in a frame, or null when the element is no frame or its document may not be read. */
export function frameDocumentOf(element: Element): Document | null {
  if (tagOf(element) !== "iframe") return null;
  try {
    const inner = frameDocument(element as HTMLIFrameElement);
    return inner !== null && bodyOf(inner) !== null ? inner : null;
  } catch {
    return null;
  }
}

export const isMount = (element: Element): boolean => tagOf(element) === MOUNT;

export function classesOf(element: Element): string[] {
  return (attribute(element, "class") ?? "").split(/\s+/).filter((name) => name !== "");
}

/** Whether an element is a document's `html` or `body`. */
export function isPageRoot(element: Element): boolean {
  const tag = tagOf(element);
  if (tag !== "html" && tag !== "body") return false;
  const owner = documentOf(element);
  return owner !== null && (element === htmlOf(owner) || element === bodyOf(owner));
}

/** The element that holds this one, out of its shadow root or frame too; null at the top. */
export function holderOf(element: Element): Element | null {
  const parent = parentOf(element);
  if (parent === null) return null;
  if (isElement(parent)) return parent;
  if (isDocument(parent)) return frameElementOf(parent);
  return (parent as ShadowRoot).host ?? null;
}

/** The frame element a document is shown in, when it may be reached. */
export function frameElementOf(document: Document): Element | null {
  try {
    return windowOf(document)?.frameElement ?? null;
  } catch {
    return null;
  }
}

/** An object without a prototype: options the browser reads must not pick up what a page put on `Object.prototype`. */
export function dict<T extends object>(fields: T): T {
  return Object.assign(Object.create(null), fields) as T;
}
