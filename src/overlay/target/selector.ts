import * as page from "../page/page.ts";
import { escapeIdentifier, isGenerated, isPlainClass, quoteValue } from "./names.ts";

/** What naming an element needs to know of it. */
export interface Described {
  tag: string;
  id: string | null;
  classes: readonly string[];
  attribute(name: string): string | null;
}

const TEST_ATTRIBUTES = ["data-testid", "data-test", "data-cy", "data-qa"];
const ATTRIBUTES = [
  ...TEST_ATTRIBUTES,
  ..."data-id name aria-label for href alt placeholder title type".split(" "),
];

const MAX_LENGTH = 512;
const BUDGET_MS = 20;

function usable(value: string | null): value is string {
  return value !== null && value.length >= 1 && value.length <= 60 && !isGenerated(value);
}

function byAttribute(element: Described, name: string): string | null {
  const value = element.attribute(name);
  // `type` tells inputs apart; on buttons it is boilerplate.
  if (!usable(value) || (name === "type" && element.tag !== "input")) return null;
  const tag = name.startsWith("data-") ? "" : escapeIdentifier(element.tag);
  return `${tag}[${name}=${quoteValue(value)}]`;
}

/** Simple selectors for one element, best first; `:nth-of-type` is left to the caller (15.6). */
export function candidates(element: Described): string[] {
  const found: string[] = [];
  if (element.id !== null && element.id !== "" && !isGenerated(element.id))
    found.push(`#${escapeIdentifier(element.id)}`);
  for (const name of ATTRIBUTES) {
    const selector = byAttribute(element, name);
    if (selector !== null) found.push(selector);
  }
  const tag = escapeIdentifier(element.tag);
  const classes = element.classes.filter(isPlainClass).slice(0, 4).map(escapeIdentifier);
  for (const name of classes) found.push(`${tag}.${name}`);
  for (const [at, first] of classes.entries())
    for (const second of classes.slice(at + 1)) found.push(`${tag}.${first}.${second}`);
  found.push(tag);
  return found;
}

/** Selectors that make an ancestor a good place to stop: an id, a test attribute, a variant. */
export function landmarks(element: Described): string[] {
  const found: string[] = [];
  if (element.id !== null && element.id !== "" && !isGenerated(element.id))
    found.push(`#${escapeIdentifier(element.id)}`);
  for (const name of TEST_ATTRIBUTES) {
    const selector = byAttribute(element, name);
    if (selector !== null) found.push(selector);
  }
  const variant = element.attribute("data-ce-variant");
  if (variant !== null && variant !== "") found.push(`[data-ce-variant=${quoteValue(variant)}]`);
  return found;
}

function describe(element: Element): Described {
  return {
    tag: page.tagOf(element),
    id: page.attribute(element, "id"),
    classes: page.classesOf(element),
    attribute: (name) => page.attribute(element, name),
  };
}

function nthOfType(element: Element): string {
  const tag = page.tagOf(element);
  let place = 1;
  for (let before = page.previousOf(element); before !== null; before = page.previousOf(before))
    if (page.tagOf(before) === tag) place++;
  return `${escapeIdentifier(tag)}:nth-of-type(${place})`;
}

function uniqueAmongSiblings(element: Element, selector: string): boolean {
  const parent = page.parentOf(element);
  if (parent === null) return true;
  for (let other = page.firstChildOf(parent); other !== null; other = page.nextOf(other))
    if (other !== element && page.matches(other, selector)) return false;
  return true;
}

function isUnique(root: page.Root, selector: string, element: Element): boolean {
  const found = page.queryAll(root, selector);
  return found.length === 1 && found[0] === element;
}

/** One step of a path, and whether it leans on its parent (`>`) or on any ancestor. */
interface Step {
  selector: string;
  direct: boolean;
}

function join(steps: readonly Step[]): string {
  return steps
    .map((step, at) => (at === 0 ? step.selector : `${step.direct ? " > " : " "}${step.selector}`))
    .join("");
}

/** Leave out middle steps while the path still names only this element. */
function shorten(root: page.Root, steps: Step[], element: Element, expired: () => boolean): Step[] {
  let kept = steps;
  for (let at = kept.length - 2; at > 0 && !expired(); at--) {
    const next = kept[at + 1]!;
    const shorter = [...kept.slice(0, at), { ...next, direct: false }, ...kept.slice(at + 2)];
    if (isUnique(root, join(shorter), element)) kept = shorter;
  }
  return kept;
}

function fullPath(root: page.Root, element: Element): string {
  const steps: string[] = [];
  let current: Element | null = element;
  while (current !== null) {
    const tag = page.tagOf(current);
    if (tag === "body" || tag === "html") {
      steps.unshift(tag);
      break;
    }
    steps.unshift(nthOfType(current));
    const path = steps.join(" > ");
    // A deep path need not start at the body when its tail already is unique.
    if (path.length > MAX_LENGTH - 40 && isUnique(root, path, element)) return path;
    current = page.parentElementOf(current);
  }
  return steps.join(" > ");
}

/**
 * A selector for an element within a document or shadow root: the same for the same page, and
 * `querySelector` of it is that element when it is made. At most 512 characters; an element too deep
 * even for that is named by its nearest ancestor that can be.
 */
export function selectorFor(root: page.Root, element: Element, now: () => number): string {
  const tag = page.tagOf(element);
  if (page.isPageRoot(element)) return tag;
  const deadline = now() + BUDGET_MS;
  const expired = () => now() > deadline;
  const short = climb(root, element, expired);
  if (short !== null && short.length <= MAX_LENGTH && page.query(root, short) === element) return short;
  const full = fullPath(root, element);
  if (full.length <= MAX_LENGTH && page.query(root, full) === element) return full;
  const parent = page.parentElementOf(element);
  return parent === null ? tag : selectorFor(root, parent, now);
}

function climb(root: page.Root, element: Element, expired: () => boolean): string | null {
  const steps: Step[] = [];
  let current: Element | null = element;
  while (current !== null && !page.isPageRoot(current) && !expired()) {
    const here: Element = current;
    if (here !== element) {
      for (const landmark of landmarks(describe(here))) {
        if (!isUnique(root, landmark, here)) continue;
        const anchored = [{ selector: landmark, direct: true }, ...steps];
        if (isUnique(root, join(anchored), element)) return join(shorten(root, anchored, element, expired));
      }
    }
    const selector = candidates(describe(here)).find((candidate) => uniqueAmongSiblings(here, candidate));
    steps.unshift({ selector: selector ?? nthOfType(here), direct: true });
    if (isUnique(root, join(steps), element)) return join(shorten(root, steps, element, expired));
    current = page.parentElementOf(here);
  }
  return null;
}
