import * as wire from "../../kernel/shared/annotate-wire.ts";
import * as page from "../page/page.ts";

/** What the overlay's own script tag and the page's request say (8.2). */
export interface Boot {
  /** Origin of the preview server; every address the overlay uses is absolute on it. */
  origin: string;
  session: string;
  /** An id that only this document was given. */
  document: string;
  /** Path of the screen's file, percent-encoded; "/" on the waiting and not-found pages. */
  page: string;
  /** Path this document was requested as, whatever `history.pushState` made of the address since. */
  requested: string;
}

/** Read the running script's tag; null when this is no document of the preview, or the overlay already runs. */
export function readBoot(): Boot | null {
  const script = page.currentScriptOf(document);
  if (script === null || top !== window) return null;
  const read = (name: string) => page.attribute(script, name) ?? "";
  const boot: Boot = {
    origin: new URL(read("src")).origin,
    session: read(wire.SESSION_ATTRIBUTE),
    document: read(wire.DOCUMENT_ATTRIBUTE),
    page: read(wire.PAGE_ATTRIBUTE),
    requested: requestedPath(),
  };
  return Object.values(boot).includes("") ? null : boot;
}

const navigation = () =>
  performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;

const requestedPath = (): string => new URL(navigation()?.name ?? "", location.href).pathname;

/** Whether the page was loaded by the browser's reload, which keeps scroll positions itself. */
export const loadedBy = (): string => navigation()?.type ?? "navigate";
