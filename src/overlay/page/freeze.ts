import { replaceHover } from "./hover.ts";
import * as page from "./page.ts";
import { now } from "./timers.ts";

const MARK = "ce-annotate-hover";
const BUDGET_MS = 50;
const MAX_HOVERED = 500;

/** Undoes a freeze exactly; safe to call more than once. */
export type Thaw = () => void;

/**
 * Keep what the page shows because of the pointer, and stop its motion (15.4): hovered elements are marked and
 * every readable `:hover` rule asks for the mark instead; running animations and media are paused.
 */
export function freeze(overlay: ShadowRoot): Thaw {
  const undo: Thaw[] = [];
  const thaw = () => {
    for (const act of undo.splice(0).reverse()) attempt(act);
  };
  const hover: Thaw[] = [];
  // Over budget or on an error the hover part is given up as a whole; half a menu would be worse.
  if (!attempt(() => freezeHover(hover))) for (const act of hover.splice(0).reverse()) attempt(act);
  undo.push(...hover);
  attempt(() => pauseAnimations(overlay, undo));
  attempt(() => pauseMedia(undo));
  return thaw;
}

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function freezeHover(undo: Thaw[]): void {
  const deadline = now() + BUDGET_MS;
  const { elements, roots } = hovered(document);
  if (elements.length === 0 || elements.length > MAX_HOVERED) return;
  for (const element of elements) {
    page.setAttribute(element, MARK, "");
    undo.push(() => page.removeAttribute(element, MARK));
  }
  for (const root of roots)
    for (const sheet of [...Array.from(root.styleSheets), ...(root.adoptedStyleSheets ?? [])])
      freezeRules(rulesOf(sheet), undo, deadline);
}

/** The hovered elements of a document and of the open shadow roots they hold. */
function hovered(root: page.Root): { elements: Element[]; roots: page.Root[] } {
  const elements = page.queryAll(root, ":hover").filter((element) => !page.isMount(element));
  const roots = [root];
  for (const element of [...elements]) {
    const inner = page.shadowOf(element) ?? page.frameDocumentOf(element);
    if (inner === null) continue;
    const deeper = hovered(inner);
    elements.push(...deeper.elements);
    roots.push(...deeper.roots);
  }
  return { elements, roots };
}

/** Rules of a sheet, or none when another origin's may not be read. */
function rulesOf(sheet: CSSStyleSheet | null): CSSRule[] {
  try {
    return sheet === null ? [] : Array.from(sheet.cssRules);
  } catch {
    return [];
  }
}

function freezeRules(rules: CSSRule[], undo: Thaw[], deadline: number): void {
  for (const rule of rules) {
    if (now() > deadline) throw new Error("over budget");
    const style = rule as CSSStyleRule & CSSImportRule;
    if (typeof style.selectorText === "string") {
      const before = style.selectorText;
      const frozen = replaceHover(before, `[${MARK}]`);
      if (frozen !== null) {
        style.selectorText = frozen;
        undo.push(() => {
          style.selectorText = before;
        });
      }
    }
    const inner = (rule as CSSGroupingRule).cssRules as CSSRuleList | undefined;
    if (inner !== undefined) freezeRules(Array.from(inner), undo, deadline);
    if (style.styleSheet !== undefined && style.styleSheet !== null)
      freezeRules(rulesOf(style.styleSheet), undo, deadline);
  }
}

function pauseAnimations(overlay: ShadowRoot, undo: Thaw[]): void {
  if (typeof document.getAnimations !== "function") return;
  for (const animation of document.getAnimations()) {
    const target = (animation.effect as KeyframeEffect | null)?.target ?? null;
    if (animation.playState !== "running" || (target !== null && page.rootOf(target) === overlay)) continue;
    animation.pause();
    undo.push(() => {
      if (animation.playState === "paused") animation.play();
    });
  }
}

function pauseMedia(undo: Thaw[]): void {
  for (const element of page.queryAll(document, "video,audio")) {
    const media = element as HTMLMediaElement;
    if (media.paused) continue;
    media.pause();
    undo.push(() => void media.play().catch(() => {}));
  }
}
