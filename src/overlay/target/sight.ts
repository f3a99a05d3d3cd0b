import * as page from "../page/page.ts";
import { attributeName, labelFor } from "./describe.ts";
import { hashOf } from "./hash.ts";
import { fold } from "./text.ts";
import { headOf, type Key, keyNames, numbered, SILENT, STANDS_IN_TEXT } from "./things.ts";

/**
 * A document as it is in one moment, read as little as possible: each text node once, however many notes ask
 * (docs/spec/web.md 15.10). Good for one pass; a page that changes needs another.
 */
export interface Sight {
  readonly document: Document;
  /** The elements that count: all, or those in a variant. */
  pool(variant: string | null): Pool;
  textOf(element: Element): string;
  hashOf(element: Element): string;
  /** What an element says, else what it is called. */
  ownOf(element: Element): string;
  headOf(thing: Element, target: Element | null): string;
}

/** Some elements of a document in their order, found by what they are and say. */
export interface Pool {
  of(tag: string): readonly Element[];
  /** Those of a tag inside an element, the shadow roots in it included; all without one. */
  inside(scope: Element | null, tag: string): readonly Element[];
  withText(tag: string, length: number, hash: string): readonly Element[];
  withKey(tag: string, key: Key): readonly Element[];
  /** A key that no other element of the tag has, even with all numbers replaced. */
  keyOf(element: Element): Key | null;
  /** The same elements by their parents. */
  families(scope: Element | null, tag: string): readonly Element[][];
}

export function createSight(document: Document): Sight {
  const texts = new Map<Element, string>();
  const raws = new Map<Node, string>();
  const hashes = new Map<Element, string>();
  const heads = new Map<Element, string>();
  const pools = new Map<string | null, Pool>();
  const { byTag, hasShadow } = everything(document);
  let labels: Map<string, Element> | undefined;

  const rawOf = (node: Node): string => {
    const known = raws.get(node);
    if (known !== undefined) return known;
    let text = "";
    if (page.isElement(node)) {
      const tag = page.tagOf(node);
      if (SILENT.has(tag) || page.isMount(node)) return "";
      const shadow = page.shadowOf(node);
      const border = STANDS_IN_TEXT.has(tag) ? "" : " ";
      text = border + (shadow === null ? "" : rawOf(shadow)) + childrenOf(node) + border;
    } else text = childrenOf(node);
    raws.set(node, text);
    return text;
  };
  const childrenOf = (node: Node): string => {
    let text = "";
    for (let child = page.firstNodeOf(node); child !== null; child = page.nextNodeOf(child))
      if (page.isText(child)) text += child.data;
      else if (page.isElement(child)) text += rawOf(child);
    return text;
  };

  const textOf = (element: Element): string => {
    const known = texts.get(element);
    if (known !== undefined) return known;
    const text = fold(rawOf(element));
    texts.set(element, text);
    return text;
  };
  const hash = (element: Element): string => {
    const known = hashes.get(element);
    if (known !== undefined) return known;
    const made = hashOf(textOf(element));
    hashes.set(element, made);
    return made;
  };
  const labelOf = (id: string): Element | undefined => {
    if (labels === undefined) {
      labels = new Map();
      for (const label of byTag.get("label") ?? []) {
        const target = labelFor(label);
        if (target !== null && !labels.has(target)) labels.set(target, label);
      }
    }
    return labels.get(id);
  };

  const inVariant = (element: Element, variant: string): boolean => {
    for (let holder: Element | null = element; holder !== null; holder = page.holderOf(holder))
      if (page.attribute(holder, "data-ce-variant") === variant) return true;
    return false;
  };
  const contains = (scope: Element, element: Element): boolean => {
    if (!hasShadow) return scope !== element && page.contains(scope, element);
    for (let holder = page.holderOf(element); holder !== null; holder = page.holderOf(holder))
      if (holder === scope) return true;
    return false;
  };

  const createPool = (variant: string | null): Pool => {
    const lists = new Map<string, readonly Element[]>();
    const scopes = new Map<Element, Map<string, readonly Element[]>>();
    const byText = new Map<string, Map<number, Element[]>>();
    const keys = new Map<string, Map<string, number>>();
    const grouped = new Map<readonly Element[], Element[][]>();

    const of = (tag: string): readonly Element[] => {
      const known = lists.get(tag);
      if (known !== undefined) return known;
      const all = byTag.get(tag) ?? [];
      const made = variant === null ? all : all.filter((element) => inVariant(element, variant));
      lists.set(tag, made);
      return made;
    };
    const inside = (scope: Element | null, tag: string): readonly Element[] => {
      if (scope === null) return of(tag);
      const tags = scopes.get(scope) ?? new Map<string, readonly Element[]>();
      scopes.set(scope, tags);
      const known = tags.get(tag);
      if (known !== undefined) return known;
      const made = of(tag).filter((element) => contains(scope, element));
      tags.set(tag, made);
      return made;
    };
    /** How often the elements of a tag have each value of an attribute, numbers aside. */
    const valuesOf = (tag: string, name: string): Map<string, number> => {
      const index = `${tag} ${name}`;
      const known = keys.get(index);
      if (known !== undefined) return known;
      const made = new Map<string, number>();
      for (const element of of(tag)) {
        const value = page.attribute(element, name);
        if (value === null) continue;
        const plain = numbered(value);
        made.set(plain, (made.get(plain) ?? 0) + 1);
      }
      keys.set(index, made);
      return made;
    };

    return {
      of,
      inside,
      withText(tag, length, wanted) {
        let lengths = byText.get(tag);
        if (lengths === undefined) {
          lengths = new Map();
          byText.set(tag, lengths);
          for (const element of of(tag)) {
            const size = textOf(element).length;
            const same = lengths.get(size);
            if (same === undefined) lengths.set(size, [element]);
            else same.push(element);
          }
        }
        return (lengths.get(length) ?? []).filter((element) => hash(element) === wanted);
      },
      withKey: (tag, [name, value]) => of(tag).filter((element) => page.attribute(element, name) === value),
      keyOf(element) {
        for (const name of keyNames(element)) {
          const value = page.attribute(element, name) ?? "";
          if (value === "" || value.length > 60) continue;
          if (valuesOf(page.tagOf(element), name).get(numbered(value)) === 1) return [name, value];
        }
        return null;
      },
      families(scope, tag) {
        const list = inside(scope, tag);
        const known = grouped.get(list);
        if (known !== undefined) return known;
        const parents = new Map<Node | null, Element[]>();
        for (const element of list) {
          const parent = page.parentOf(element);
          const family = parents.get(parent);
          if (family === undefined) parents.set(parent, [element]);
          else family.push(element);
        }
        const made = [...parents.values()];
        grouped.set(list, made);
        return made;
      },
    };
  };

  return {
    document,
    pool(variant) {
      const known = pools.get(variant);
      if (known !== undefined) return known;
      const made = createPool(variant);
      pools.set(variant, made);
      return made;
    },
    textOf,
    hashOf: hash,
    ownOf: (element) => textOf(element) || attributeName(element, labelOf),
    headOf(thing, target) {
      if (target !== null) return headOf(thing, target, textOf);
      const known = heads.get(thing);
      if (known !== undefined) return known;
      const head = headOf(thing, null, textOf);
      heads.set(thing, head);
      return head;
    },
  };
}

/** Every element of a document and of the open shadow roots in it, by tag, in the order a reader meets them. */
function everything(document: Document): { byTag: Map<string, Element[]>; hasShadow: boolean } {
  const byTag = new Map<string, Element[]>();
  let hasShadow = false;
  const visit = (root: page.Root) => {
    for (const element of page.queryAll(root, "*")) {
      if (page.isMount(element)) continue;
      const tag = page.tagOf(element);
      const list = byTag.get(tag);
      if (list === undefined) byTag.set(tag, [element]);
      else list.push(element);
      const shadow = page.shadowOf(element);
      if (shadow === null) continue;
      hasShadow = true;
      visit(shadow);
    }
  };
  visit(document);
  return { byTag, hasShadow };
}
