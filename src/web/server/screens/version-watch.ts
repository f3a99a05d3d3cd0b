import { type FSWatcher, watch } from "node:fs";
import type { LookAtScreens, NewestScreen } from "./newest-screen.ts";

/** The newest screen for `/version`, which every open tab of the default mode asks for once a second. */
export interface VersionWatch {
  newest(): NewestScreen | undefined;
  stop(): void;
}

/** A look that takes no longer is simply made each time. */
const CHEAP_MS = 3;
/** A watcher nobody has asked this long is closed. */
const UNUSED_MS = 10_000;
/** An unchanged answer is trusted at most this many times as long as a look takes, for what events miss. */
const TRUST = { factor: 200, least: 2000, most: 30_000 };

/**
 * In a directory of thousands of screens one look costs too much to be made every second, so a native watch says when
 * another is needed. An answer may be behind by one question; documents always look for themselves.
 */
export function versionWatch(
  screens: string,
  look: () => LookAtScreens,
  monotonic: () => number,
): VersionWatch {
  let watcher: FSWatcher | undefined;
  let known: { newest: NewestScreen | undefined; until: number } | undefined;
  let unused: ReturnType<typeof setTimeout> | undefined;

  function stop() {
    watcher?.close();
    watcher = undefined;
    known = undefined;
    clearTimeout(unused);
  }

  function attach() {
    try {
      // Any event ends the trust; the directory itself may have been replaced, so the next look begins anew.
      watcher = watch(screens, stop);
      watcher.on("error", stop);
      unused = setTimeout(stop, UNUSED_MS);
    } catch {
      // Then every question is a look.
    }
  }

  function newest(): NewestScreen | undefined {
    clearTimeout(unused);
    unused = watcher === undefined ? undefined : setTimeout(stop, UNUSED_MS);
    const started = monotonic();
    if (known !== undefined && started < known.until) return known.newest;
    known = undefined;
    const { newest: found, links } = look();
    const took = monotonic() - started;
    // What a link leads to changes unseen.
    if (links) stop();
    else if (watcher !== undefined) {
      const trusted = Math.min(TRUST.most, Math.max(TRUST.least, took * TRUST.factor));
      known = { newest: found, until: monotonic() + trusted };
      // The look after this one is the first whose changes are all seen.
    } else if (took > CHEAP_MS) attach();
    return found;
  }

  return { newest, stop };
}
