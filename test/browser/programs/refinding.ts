/**
 * Re-finding as it runs in a page, for tests: bundled and put into an empty document. Pages are made of items that know
 * who they are, so that a test knows of every element which item it belongs to.
 */
import { createSearch } from "../../../src/overlay/target/find-target.ts";
import { printOf } from "../../../src/overlay/target/print.ts";
import { refind } from "../../../src/overlay/target/refind.ts";
import { createSight } from "../../../src/overlay/target/sight.ts";
import { thingsAround } from "../../../src/overlay/target/things.ts";

interface Item {
  /** Never the same for two items that were made apart. */
  who: number;
  name: string;
  value: string;
  text: string;
  className: string;
  id: string | null;
}

interface Page {
  kind: "table" | "list" | "cards";
  items: Item[];
  /** A second list of the same kind below. */
  others: Item[];
}

type Random = () => number;

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const NAMES = "Latency,Queue,Error rate,Disk,Logins,Jobs,Mail,CPU,Memory,Backups".split(",");
const WORDS = "bright,oak,soft,wide,red,in stock,sold out,new,used,rare".split(",");
const ACTIONS = ["Mute", "Edit", "Buy"];

let made = 0;

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

function makeItem(random: Random): Item {
  return {
    who: ++made,
    name: pick(random, NAMES),
    value: `${upTo(random, 9)} ${pick(random, ["%", "ms", "€"])}`,
    text: pick(random, WORDS),
    className: "",
    id: null,
  };
}

function makePage(random: Random): Page {
  const kind = pick(random, ["table", "list", "cards"] as const);
  const list = (most: number) => Array.from({ length: 1 + upTo(random, most) }, () => makeItem(random));
  const page: Page = { kind, items: list(11), others: random() < 0.4 ? list(4) : [] };
  const ids = random();
  if (ids < 0.2) for (const item of page.items) item.id = `item-${item.who}`;
  else if (ids < 0.35)
    for (const item of page.items) item.id = `${item.name.toLowerCase().replace(" ", "-")}-${item.text[0]}`;
  return page;
}

/** One change as an agent makes it. */
function edit(page: Page, random: Random): void {
  const { items } = page;
  const at = upTo(random, items.length - 1);
  const item = items[at];
  switch (pick(random, ["insert", "delete", "move", "rename", "value", "style", "copy", "append"] as const)) {
    case "insert":
      items.splice(at, 0, makeItem(random));
      break;
    case "append":
      items.push(makeItem(random));
      break;
    case "delete":
      items.splice(at, 1);
      break;
    case "move":
      if (item !== undefined) items.splice(upTo(random, items.length - 1), 0, ...items.splice(at, 1));
      break;
    case "rename":
      if (item !== undefined) items[at] = { ...item, name: `${pick(random, NAMES)} ${upTo(random, 3)}` };
      break;
    case "value":
      if (item !== undefined) items[at] = { ...item, value: `${upTo(random, 99)} %` };
      break;
    case "style":
      if (item !== undefined) items[at] = { ...item, className: "featured" };
      break;
    case "copy":
      if (item !== undefined) items.splice(at, 0, { ...item, who: ++made, id: null });
      break;
  }
}

const owners = new WeakMap<Element, Item>();

function element(tag: string, ...children: (Node | string)[]): HTMLElement {
  const one = document.createElement(tag);
  one.append(...children);
  return one;
}

function drawItem(kind: Page["kind"], item: Item): HTMLElement {
  const actions = ACTIONS.slice(0, 2).map((name) => element("button", name));
  const drawn =
    kind === "table"
      ? element("tr", element("td", item.name), element("td", item.value), element("td", ...actions))
      : kind === "list"
        ? element("li", `${item.name} ${item.value} `, element("small", item.text), ...actions)
        : element(
            "div",
            element("div", item.name),
            element("p", item.value),
            element("p", item.text),
            ...actions,
          );
  if (kind === "cards") drawn.className = `card ${item.className}`;
  else if (item.className !== "") drawn.className = item.className;
  if (item.id !== null) drawn.id = item.id;
  for (const one of [drawn, ...drawn.querySelectorAll("*")]) owners.set(one, item);
  return drawn;
}

function drawList(kind: Page["kind"], items: readonly Item[]): HTMLElement {
  const drawn = items.map((item) => drawItem(kind, item));
  if (kind === "list") return element("ul", ...drawn);
  if (kind === "cards") return element("section", ...drawn);
  return element("table", element("tbody", ...drawn));
}

function draw(page: Page): void {
  document.body.replaceChildren(element("h1", "Board"), drawList(page.kind, page.items));
  if (page.others.length > 0) document.body.append(element("h2", "Older"), drawList(page.kind, page.others));
}

const saysNow = (one: Element): string => (one.textContent ?? "").replace(/\s+/g, " ");

/** What is wrong with one generated page and its edits; null when nothing is. */
function judge(seed: number): string | null {
  const random = randomFrom(seed);
  const page = makePage(random);
  draw(page);
  const inside = [...document.querySelectorAll("table *,ul *,section *")].filter((one) => owners.has(one));
  const targets = Array.from({ length: Math.min(6, inside.length) }, () => pick(random, inside));
  const sight = createSight(document);
  const notes = targets.map((target) => ({
    item: owners.get(target)!,
    tag: target.localName,
    place: [...(target.closest("tr,li,.card")?.querySelectorAll(target.localName) ?? [])].indexOf(target),
    content: saysNow(thingsAround(target)[0]!),
    own: saysNow(target),
    print: JSON.stringify(printOf(target, null, sight)),
  }));
  const before = new Map([...page.items, ...page.others].map((item) => [item.who, item]));
  const edits = upTo(random, 4);
  for (let count = 0; count < edits; count++) edit(page, random);
  draw(page);
  const now = createSight(document);
  for (const note of notes) {
    if (note.print.length > 2048) return `a print of ${note.print.length} characters`;
    const found = refind(JSON.parse(note.print), null, now, false);
    const where = `seed ${seed}, ${edits} edits, ${note.tag} of item ${note.item.who} "${note.content}"`;
    if (edits === 0 && found?.sure !== true) return `${where}: not sure without an edit`;
    if (found === null) continue;
    const item = owners.get(found.element);
    const thing = found.element.closest("tr,li,.card");
    if (item === undefined) return `${where}: found outside every item`;
    if (item.who === note.item.who) {
      const places = [...(thing?.querySelectorAll(note.tag) ?? [])].indexOf(found.element);
      if (places !== note.place && saysNow(found.element) !== note.own)
        return `${where}: another element of its item`;
      continue;
    }
    // A row in the place of another of the same name is that row, edited, to any reader.
    const isNamesake = (found.by === "head" || found.by === "key") && item.name === note.item.name;
    if (found.sure && !isNamesake && saysNow(found.thing) !== note.content)
      return `${where}: surely on item ${item.who} "${saysNow(found.thing)}"`;
    const then = before.get(item.who);
    const unchanged =
      then !== undefined && then.name === item.name && then.value === item.value && then.text === item.text;
    if (!found.sure && unchanged && saysNow(found.thing) !== note.content)
      return `${where}: perhaps on item ${item.who}, which did not change`;
  }
  return null;
}

/** How often the text of each node is read when all notes of a page are found at once. */
function readsPerText(notes: number): number {
  draw(makePage(randomFrom(7)));
  const sight = createSight(document);
  const targets = [...document.querySelectorAll("button")].slice(0, notes);
  const anchors = targets.map((target) => ({
    page: "/",
    selector: "button",
    textSnippet: null,
    variant: null,
    rect: null,
    point: null,
    context: { kind: "element" as const, print: printOf(target, null, sight) },
  }));
  const own = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data")!;
  const reads = new Map<Node, number>();
  Object.defineProperty(CharacterData.prototype, "data", {
    ...own,
    get(this: CharacterData) {
      reads.set(this, (reads.get(this) ?? 0) + 1);
      return own.get!.call(this);
    },
  });
  const search = createSearch();
  for (const anchor of anchors) search.find(anchor);
  Object.defineProperty(CharacterData.prototype, "data", own);
  return Math.max(...reads.values());
}

/** A note on `selector` of one body, found in another: the element it should be on, and what became of it. */
function tryCase(
  before: string,
  selector: string,
  after: string,
  expected: string | null,
): { right: boolean; found: string | null; sure: boolean } {
  document.body.innerHTML = before;
  const print = JSON.stringify(printOf(document.querySelector(selector)!, null, createSight(document)));
  document.body.innerHTML = after;
  const found = refind(JSON.parse(print), null, createSight(document), false);
  const wanted = expected === null ? null : document.querySelector(expected);
  return {
    right: (found?.element ?? null) === wanted,
    found: found === null ? null : found.element.outerHTML.slice(0, 80),
    sure: found?.sure ?? false,
  };
}

Object.assign(window, { refinding: { judge, readsPerText, tryCase } });
