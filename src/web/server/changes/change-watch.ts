import { type FSWatcher, lstatSync, realpathSync, statfsSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { ChangeKey } from "./change-key.ts";

/** Notices changes under `screens/` while somebody looks (docs/spec/web.md 12.3). */
export interface ChangeWatch {
  /** Begin, with a first scan. Nothing is watched and nothing scanned before. */
  start(): Promise<void>;
  stop(): void;
  /** The key of the tree as it is now or later: a whole scan, shared by those who ask meanwhile. */
  check(): Promise<string>;
}

export interface ChangeWatchEvents {
  /** The key may have changed; compare with the one announced last. */
  changed(key: string): void;
  log(line: string): void;
  monotonic(): number;
  platform: NodeJS.Platform;
}

/** Quiet after an event before a look: one save is often several events, and a long one several writes. */
const QUIET_MS = 20;
/** A look at the latest this long after the first event, however the events go on. */
const LATEST_MS = 200;
/** Names that one file renamed into place may have had on the way. */
const FEW_PATHS = 4;
/** More changed paths than this are cheaper to scan. */
const MANY_PATHS = 500;
/** More directories than this would take too many of the system's watches. */
const MOST_DIRECTORIES = 1024;

/** Scans for what events missed: at least this far apart, and rarer the longer a scan takes. */
const SAFETY = { least: 2000, factor: 200, most: 30_000 };
const POLLING = { least: 250, factor: 20, most: 5000 };

export function makeChangeWatch(screens: string, tree: ChangeKey, events: ChangeWatchEvents): ChangeWatch {
  const { monotonic } = events;
  let running = false;
  let watcher: FSWatcher | undefined;
  let watched = "";
  let cannotWatch = false;
  let scanMs = 0;
  let safetyTimer: ReturnType<typeof setTimeout> | undefined;

  let dirty = new Set<string>();
  let mustScan = false;
  let firstEventAt: number | undefined;
  let lastEventAt = 0;
  let announcedAt = Number.NEGATIVE_INFINITY;
  let quietTimer: ReturnType<typeof setTimeout> | undefined;
  let scanning: Promise<string> | undefined;
  let nextScan: Promise<string> | undefined;

  /** One scan at a time; who asks during one gets the next, which begins after the asking. */
  function check(): Promise<string> {
    if (scanning === undefined) return runScan();
    nextScan ??= scanning.then(runScan);
    return nextScan;
  }

  function runScan(): Promise<string> {
    nextScan = undefined;
    const started = monotonic();
    scanning = tree.scan().then(() => {
      scanning = undefined;
      scanMs = monotonic() - started;
      return tree.key;
    });
    return scanning;
  }

  function onEvent(kind: string, name: string | null | undefined) {
    lastEventAt = monotonic();
    firstEventAt ??= lastEventAt;
    if (name === null || name === undefined)
      mustScan = true; // Bun gives either for the directory itself
    else {
      const path = name.replaceAll("\\", "/");
      const whole = kind === "rename" && isWhole(path);
      dirty.add(path);
      if (whole) return wake(0);
    }
    wake(QUIET_MS);
  }

  /** A file that was renamed into place is; of several in a row the later ones are told together. */
  function isWhole(path: string): boolean {
    if (dirty.has(path) || dirty.size > FEW_PATHS || lastEventAt - announcedAt <= LATEST_MS) return false;
    // The name it had before is gone.
    return hasContent(join(screens, path)) && ![...dirty].some((other) => hasContent(join(screens, other)));
  }

  function wake(quiet: number) {
    clearTimeout(quietTimer);
    const latest = (firstEventAt ?? lastEventAt) + LATEST_MS - monotonic();
    quietTimer = setTimeout(() => void settle(quiet === 0), Math.max(0, Math.min(quiet, latest)));
  }

  async function settle(atOnce: boolean) {
    // A scan under way would put its older view over what is taken over now.
    while (scanning !== undefined) await scanning;
    if (!running || firstEventAt === undefined) return;
    const now = monotonic();
    const paths = dirty;
    const late = atOnce || now - firstEventAt >= LATEST_MS || now - lastEventAt >= QUIET_MS - 1;
    if (!late) return wake(lastEventAt + QUIET_MS - now);
    // A directory put in the place of the watched one tells nothing any more.
    const replaced = watcher !== undefined && identityOf(screens) !== watched;
    const result = mustScan || replaced || paths.size > MANY_PATHS ? "scan" : tree.touch(paths, !atOnce);
    if (result === "torn") return wake(QUIET_MS);
    dirty = new Set();
    mustScan = false;
    firstEventAt = undefined;
    announcedAt = now;
    if (result === "scan") await scanNow();
    else events.changed(tree.key);
  }

  async function scanNow() {
    const key = await check();
    if (!running) return;
    events.changed(key);
    if (identityOf(screens) !== watched) rewatch();
  }

  function rewatch() {
    watcher?.close();
    watcher = undefined;
    if (!cannotWatch) attach();
  }

  function attach() {
    if (tree.directories > MOST_DIRECTORIES) return poll(`more than ${MOST_DIRECTORIES} directories`);
    try {
      const real = realpathSync.native(screens);
      watched = identityOf(screens);
      const own = watch(real, { recursive: true, persistent: true }, (kind, name) => onEvent(kind, name));
      own.on("error", (error) => {
        if (watcher === own) poll(String((error as { code?: string }).code ?? error));
      });
      watcher = own;
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return;
      poll(String((error as { code?: string }).code ?? error));
    }
  }

  function poll(reason: string) {
    watcher?.close();
    watcher = undefined;
    if (!cannotWatch)
      events.log(`watching ${screens} is not possible (${reason}); looking for changes regularly`);
    cannotWatch = true;
  }

  function scheduleSafety() {
    const { least, factor, most } = watcher === undefined ? POLLING : SAFETY;
    const regular = Math.min(most, Math.max(least, factor * scanMs));
    const interval = watcher !== undefined && tellsAllChanges(screens, events.platform) ? most : regular;
    safetyTimer = setTimeout(() => {
      void scanNow().finally(() => {
        if (running) scheduleSafety();
      });
    }, interval);
  }

  return {
    check,
    async start() {
      running = true;
      // First the events, then the scan: what changes in between is in one of them.
      attach();
      await check();
      if (!running) return;
      // How many directories there are is only known now.
      if (watcher !== undefined && tree.directories > MOST_DIRECTORIES) rewatch();
      clearTimeout(safetyTimer);
      scheduleSafety();
    },
    stop() {
      running = false;
      watcher?.close();
      watcher = undefined;
      clearTimeout(safetyTimer);
      clearTimeout(quietTimer);
      dirty = new Set();
      mustScan = false;
      firstEventAt = undefined;
    },
  };
}

function hasContent(path: string): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size > 0;
  } catch {
    return false;
  }
}

/** Which directory a path is; its number alone may be used again at once. */
function identityOf(path: string): string {
  try {
    const { dev, ino, birthtimeMs } = statSync(path);
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    return "";
  }
}

// ext2-4, tmpfs, xfs, btrfs, f2fs, zfs: on a local disk every change of this machine is told.
const LOCAL_FILE_SYSTEMS = new Set([0xef53, 0x01021994, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1]);

/** Where events are sure the safety scan can be rare; network, FUSE and layered file systems lose some. */
function tellsAllChanges(path: string, platform: NodeJS.Platform): boolean {
  try {
    return platform === "linux" && LOCAL_FILE_SYSTEMS.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
