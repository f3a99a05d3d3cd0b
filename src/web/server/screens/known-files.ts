import type { Stats } from "node:fs";
import type { Clock } from "../config.ts";

/** A file that was found inside `screens/`, and what the kernel said of it then. */
export interface KnownFile extends Identity {
  /** Relative to the real `screens/`, `/`-separated. */
  readonly real: string;
  readonly etag: string;
  /** Header fields of a whole answer, made once for an unchanged file. */
  readonly prepared: { headers?: Headers };
  /** All of its content, when it was kept. */
  bytes?: Uint8Array<ArrayBuffer>;
}

/** Plain numbers: big ones cost as much as the call. Their times tell a quarter of a microsecond. */
interface Identity {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/**
 * Files checked a moment ago. A path that still leads to the very same, unchanged file need not be asked again where
 * that lies, nor a small one be read again: the page a browser loads twenty files from would pay for each.
 */
export interface KnownFiles {
  /** Undefined when nothing is known, or it is too long ago. */
  recall(path: string): KnownFile | undefined;
  remember(path: string, stat: Stats, file: Pick<KnownFile, "real" | "etag" | "prepared">): KnownFile;
  forget(path: string): void;
  /** Keep the content of a small file, read after it was looked at. */
  keep(file: KnownFile, bytes: Uint8Array<ArrayBuffer>): void;
}

/** How long a check counts. */
export const CHECK_MS = 1000;

/** Paths known at once. */
const MOST_PATHS = 1024;

/** Bytes of content kept altogether. */
const MOST_BYTES = 4 << 20;

/** Time stamps advance in steps: a file younger than this may change again without showing it. */
const SETTLED_MS = 100;

export function makeKnownFiles(clock: Clock): KnownFiles {
  const known = new Map<string, KnownFile & { at: number }>();
  let kept = 0;

  function forget(path: string) {
    kept -= known.get(path)?.bytes?.length ?? 0;
    known.delete(path);
  }

  return {
    recall(path) {
      const file = known.get(path);
      if (file === undefined || clock.monotonic() - file.at <= CHECK_MS) return file;
      forget(path);
      return undefined;
    },
    remember(path, { dev, ino, size, mtimeMs, ctimeMs }, file) {
      forget(path);
      if (known.size >= MOST_PATHS) {
        known.clear();
        kept = 0;
      }
      const entry = { dev, ino, size, mtimeMs, ctimeMs, ...file, at: clock.monotonic() };
      known.set(path, entry);
      return entry;
    },
    forget,
    keep(file, bytes) {
      const settled = clock.now() - Math.max(file.mtimeMs, file.ctimeMs) > SETTLED_MS;
      if (!settled || file.bytes !== undefined || kept + bytes.length > MOST_BYTES) return;
      kept += bytes.length;
      file.bytes = bytes;
    },
  };
}

/** Whether a look shows the same file, unchanged. */
export function isSame(a: Identity, b: Identity): boolean {
  return (
    a.ino === b.ino &&
    a.ctimeMs === b.ctimeMs &&
    a.mtimeMs === b.mtimeMs &&
    a.size === b.size &&
    a.dev === b.dev
  );
}
