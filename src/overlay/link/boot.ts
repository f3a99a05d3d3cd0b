import * as wire from "../../kernel/shared/annotate-wire.ts";
import * as page from "../page/page.ts";

/** What the overlay's own script tag and the page's request say (8.2). */
export interface Boot {
  /** Origin of the preview server; every address the overlay uses is absolute on it. */
  origin: string;
  session: string;
  document: string;
  /** Path of the screen's file, percent-encoded; "/" on the waiting and not-found pages. */
  page: string;
  /** Path this document was requested as, whatever `history.pushState` made of the address since. */
  requested: string;
}

/** Read the running script's tag; null when this is no document of the preview, or the overlay already runs. */
export function readBoot(): Boot | null {
  const script = page.currentScriptOf(document);
  if (script === null || window.parent !== window) return null;
  const read = (name: string) => page.attribute(script, name) ?? "";
  const [session, documentId, file] = [
    read(wire.SESSION_ATTRIBUTE),
    read(wire.DOCUMENT_ATTRIBUTE),
    read(wire.PAGE_ATTRIBUTE),
  ];
  if (session === "" || documentId === "" || file === "") return null;
  const origin = new URL(read("src")).origin;
  return { origin, session, document: documentId, page: file, requested: requestedPath() };
}

function requestedPath(): string {
  const entry = performance.getEntriesByType("navigation")[0];
  try {
    return new URL(entry?.name ?? location.href).pathname;
  } catch {
    return location.pathname;
  }
}

/** Whether the page was loaded by the browser's reload, which keeps scroll positions itself. */
export function loadedBy(): string {
  const entry = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
  return entry?.type ?? "navigate";
}
