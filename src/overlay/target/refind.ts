import * as page from "../page/page.ts";
import { hashOf } from "./hash.ts";
import type { Print, ThingPrint } from "./print.ts";
import type { Pool, Sight } from "./sight.ts";

/** Where a thing or target is now, how sure that is, and what told. */
export interface Refound {
  element: Element;
  sure: boolean;
  by: "text" | "key" | "head" | "place" | "only";
}

/** A target and the thing around it, as found. */
export interface RefoundTarget extends Refound {
  thing: Element;
}

/**
 * Find a target again by its print: the first row that applies of the table in docs/spec/web.md 15.10. Null: lost. A wrong
 * element is worse than none, so whatever two elements could mean is no answer.
 */
export function refind(
  print: Print,
  variant: string | null,
  sight: Sight,
  region: boolean,
): RefoundTarget | null {
  const pool = sight.pool(variant);
  const things = new Map<number, Refound | null>();
  const thing = locate(print, 0, pool, sight, things);
  if (thing === null) return null;
  const found = targetIn(thing, print, pool, sight, region);
  return found === null ? null : { ...found, thing: thing.element };
}

/** The thing alone, for a text note: its quote says where in it. */
export function refindThing(print: Print, variant: string | null, sight: Sight): Refound | null {
  return locate(print, 0, sight.pool(variant), sight, new Map());
}

function locate(
  print: Print,
  at: number,
  pool: Pool,
  sight: Sight,
  known: Map<number, Refound | null>,
): Refound | null {
  const before = known.get(at);
  if (before !== undefined) return before;
  const thing = print.things[at]!;
  const outer = at + 1 < print.things.length ? () => locate(print, at + 1, pool, sight, known) : null;
  const found = locateThing(thing, outer, pool, sight);
  known.set(at, found);
  return found;
}

/** A text this long is not two things' by chance. */
const TELLING_LENGTH = 24;

function locateThing(
  thing: ThingPrint,
  outer: (() => Refound | null) | null,
  pool: Pool,
  sight: Sight,
): Refound | null {
  const same = pool.withText(thing.tag, thing.length, thing.text);
  if (same.length > 0) {
    const found = byText(thing, same, outer, pool, sight);
    if (found !== "elsewhere") return found;
  }
  if (thing.key !== null) {
    const keyed = pool.withKey(thing.tag, thing.key);
    if (keyed.length === 1) return { element: keyed[0]!, sure: false, by: "key" };
  }
  const around = outer?.() ?? null;
  if (outer !== null && around === null) return null;
  const scope = around?.element ?? null;
  if (thing.head !== "" && thing.heads === 1) {
    const headed = pool
      .inside(scope, thing.tag)
      .filter((element) => hashOf(sight.headOf(element, null)) === thing.head);
    if (headed.length === 1) return { element: headed[0]!, sure: false, by: "head" };
  }
  const between = betweenUnchanged(thing, scope, pool, sight);
  if (between !== null) return { element: between, sure: false, by: "place" };
  const all = pool.of(thing.tag);
  return thing.only && all.length === 1 ? { element: all[0]!, sure: false, by: "only" } : null;
}

/** `elsewhere`: others read like it, but none where it was; its own text has changed then. */
function byText(
  thing: ThingPrint,
  same: readonly Element[],
  outer: (() => Refound | null) | null,
  pool: Pool,
  sight: Sight,
): Refound | null | "elsewhere" {
  const around = outer?.() ?? null;
  const inner =
    around === null ? [] : pool.inside(around.element, thing.tag).filter((one) => same.includes(one));
  if (same.length === 1 && thing.count === 1) {
    const isHome = outer === null || inner.length === 1;
    const isIt = isHome || thing.length >= TELLING_LENGTH;
    return isIt ? { element: same[0]!, sure: true, by: "text" } : null;
  }
  if (around !== null && inner.length === 0) return "elsewhere";
  const [here, then, nth] =
    outer === null ? [same, thing.count, thing.nth] : [inner, thing.inner, thing.innerNth];
  const element = here[nth];
  if (element === undefined || here.length !== then) return null;
  if (here.length > 1 && !hasOldNeighbour(thing, element, sight)) return null;
  return { element, sure: around?.sure ?? true, by: "text" };
}

/** Of several that read the same, one counts only beside what it stood beside. */
function hasOldNeighbour({ before, after }: ThingPrint, element: Element, sight: Sight): boolean {
  const [previous, next] = [page.previousOf(element), page.nextOf(element)];
  const reads = (one: Element | null, then: string | null) =>
    one !== null && then !== null && sight.hashOf(one) === then;
  const isAlone = before === null && after === null && previous === null && next === null;
  return isAlone || reads(previous, before) || reads(next, after);
}

/** The one at the old place between siblings that did not change. */
function betweenUnchanged(
  thing: ThingPrint,
  scope: Element | null,
  pool: Pool,
  sight: Sight,
): Element | null {
  const then = thing.siblings.match(/.{8}/g) ?? [];
  const old = new Set(then);
  old.delete(thing.text);
  const then1 = countOf(then);
  let best: { family: Element[]; now: string[]; kept: number } | null = null;
  let tied = false;
  for (const family of pool.families(scope, thing.tag)) {
    const now = family.map((one) => sight.hashOf(one));
    const now1 = countOf(now);
    const kept = now.filter((hash) => old.has(hash) && now1.get(hash) === 1 && then1.get(hash) === 1).length;
    if (kept === 0) continue;
    if (best === null || kept > best.kept) {
      best = { family, now, kept };
      tied = false;
    } else if (kept === best.kept) tied = true;
  }
  if (best === null || tied) return null;
  const { family, now } = best;
  const now1 = countOf(now);
  const isKept = (hash: string) => hash !== thing.text && then1.get(hash) === 1 && now1.get(hash) === 1;
  const before = then.slice(0, thing.place).findLastIndex(isKept);
  const afterAt = then.slice(thing.place + 1).findIndex(isKept);
  if (before < 0 && afterAt < 0) return null;
  // An end of the list stands for an unchanged one only where the list was seen to its end.
  if ((before < 0 && thing.cut[0]) || (afterAt < 0 && thing.cut[1])) return null;
  const after = afterAt < 0 ? then.length : thing.place + 1 + afterAt;
  const first = before < 0 ? -1 : now.indexOf(then[before]!);
  const last = afterAt < 0 ? now.length : now.indexOf(then[after]!);
  if (last - first !== after - before) return null;
  const at = first + (thing.place - before);
  const element = family[at];
  return element === undefined || old.has(now[at]!) ? null : element;
}

function countOf(hashes: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return counts;
}

function targetIn(thing: Refound, print: Print, pool: Pool, sight: Sight, region: boolean): Refound | null {
  // A region is about a place: what its container says may change without a word.
  if (print.path.length === 0) return region ? { ...thing, sure: true } : thing;
  const all = pool.inside(thing.element, print.tag);
  if (!region) {
    const isSame = (element: Element) => hashOf(sight.ownOf(element)) === print.own;
    const same = all.filter(isSame);
    if (same.length > 0) {
      const element = same[print.nth];
      if (same.length !== print.count || element === undefined) return null;
      const isOnlyOne = () =>
        !print.empty && print.all === 1 && pool.of(print.tag).filter(isSame).length === 1;
      const told = (thing.by === "key" || thing.by === "head") && isOnlyOne();
      return { element, sure: thing.sure || told, by: thing.by };
    }
  }
  const { key } = print;
  const keyed = key === null ? [] : all.filter((element) => page.attribute(element, key[0]) === key[1]);
  const element = keyed.length === 1 ? keyed[0]! : alongPath(thing.element, print.path);
  return element === null ? null : { element, sure: region, by: thing.by };
}

function alongPath(thing: Element, path: Print["path"]): Element | null {
  let element: Element = thing;
  for (const [tag, place, count] of path) {
    const parents: Node[] = [page.shadowOf(element), element].filter((one) => one !== null);
    let next: Element | undefined;
    for (const parent of parents) {
      const children: Element[] = [];
      for (let child = page.firstChildOf(parent); child !== null; child = page.nextOf(child))
        if (page.tagOf(child) === tag) children.push(child);
      if (children.length !== count) continue;
      next = children[place];
      break;
    }
    if (next === undefined) return null;
    element = next;
  }
  return element;
}
