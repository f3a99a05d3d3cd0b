import type { Clock } from "../config.ts";

/**
 * Closed-tab detection (docs/spec/web.md 12.4): a session whose last tab was closed ends after a grace. A document that was
 * handed out but has not opened its stream yet is pending, and keeps the session alive.
 */
export interface Tabs {
  /** A credentialed navigation is being answered with this document. */
  navigate(document: string, signal: AbortSignal): void;
  /** A document is handed to somebody who does not show the credential. */
  show(document: string): void;
  /** Its page has shown the credential since. False for a document that nobody was handed. */
  adopt(document: string): boolean;
  /** Whether this document's page has the credential. Only that page knows the id. */
  knows(document: string): boolean;
  opened(document: string | null): void;
  closed(): void;
  /** The session ended: forget everything. */
  stop(): void;
  /** It goes on; the grace runs until a tab opens its stream. */
  revive(): void;
}

/** Documents whose ids are remembered; a page older than that many loads anew. */
const REMEMBERED = 4096;

/** A pending document is given up after this many graces: a link-preview bot must not keep a session alive. */
const PENDING_GRACES = 20;

export function makeTabs(grace: number, clock: Clock, onAllClosed: () => void): Tabs {
  const pending = new Map<string, ReturnType<typeof setTimeout>>();
  const known = new Set<string>();
  const shown = new Set<string>();
  let open = 0;
  let everOpened = false;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function cancelGrace() {
    clearTimeout(timer);
    timer = undefined;
  }

  function considerGrace() {
    if (stopped || open > 0 || pending.size > 0 || !everOpened) return;
    cancelGrace();
    const started = clock.monotonic();
    const startedWall = clock.now();
    timer = setTimeout(() => {
      if (wasSuspended(started, startedWall, grace, clock)) considerGrace();
      else onAllClosed();
    }, grace);
  }

  function forget(document: string): boolean {
    clearTimeout(pending.get(document));
    return pending.delete(document);
  }

  function abandon(document: string) {
    if (forget(document)) considerGrace();
  }

  return {
    navigate(document, signal) {
      remember(known, document);
      if (stopped) return;
      cancelGrace();
      pending.set(
        document,
        setTimeout(() => abandon(document), PENDING_GRACES * grace),
      );
      if (signal.aborted) abandon(document);
      else signal.addEventListener("abort", () => abandon(document));
    },
    show: (document) => remember(shown, document),
    adopt(document) {
      if (shown.delete(document)) remember(known, document);
      return known.has(document);
    },
    knows: (document) => known.has(document),
    opened(document) {
      if (document !== null) forget(document);
      cancelGrace();
      everOpened = true;
      open++;
    },
    closed() {
      open--;
      considerGrace();
    },
    stop() {
      stopped = true;
      cancelGrace();
      for (const document of [...pending.keys()]) forget(document);
    },
    revive() {
      stopped = false;
      considerGrace();
    },
  };
}

function remember(documents: Set<string>, document: string): void {
  documents.add(document);
  if (documents.size > REMEMBERED) documents.delete(documents.values().next().value!);
}

/** Lateness that a busy machine can cause without having slept. */
const BUSY_MS = 2000;

/** Whether a timer came so late that the machine must have been asleep: twice its interval, by either clock. */
export function wasSuspended(
  startedMonotonic: number,
  startedWall: number,
  interval: number,
  clock: Clock,
): boolean {
  const passed = Math.max(clock.monotonic() - startedMonotonic, clock.now() - startedWall);
  return passed > 2 * interval && passed - interval > BUSY_MS;
}
