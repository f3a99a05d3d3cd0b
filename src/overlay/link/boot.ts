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

/** A random id in the form of a UUID v4; `crypto.randomUUID` is missing on plain http. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
