import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, normalize, sep } from "node:path";

/** A regular file inside `screens/`, open for reading and checked after it was opened. */
export interface OpenFile {
  descriptor: number;
  /** Relative to the real `screens/`, `/`-separated, symlinks resolved. */
  real: string;
  size: number;
  /** Strong: size and nanosecond modification time (spec/web.md 6.4). */
  etag: string;
  /** Header fields of a whole answer, made once for an unchanged file. */
  prepared: { headers?: Headers };
}

/** Looks files up below one directory, never outside it (spec/web.md 6.3). */
export interface ScreenFiles {
  /** The file a decoded path names, or undefined: missing, outside after symlinks, or not a regular file. */
  open(decoded: string): OpenFile | undefined;
  /** As `open` without opening: the real relative path of a regular file. */
  locate(decoded: string): string | undefined;
}

/** Decode a URL path once. Undefined for a malformed escape. */
export function decodePath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

const READ =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  // A FIFO without a writer must not hold the server up, nor a terminal become its own.
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0);

/** Linux: a descriptor that only names a file, so that a device or FIFO is not touched before it was judged. */
const PATH_ONLY = 0o10000000;

/** How long a check of where a path leads counts for the same, unchanged file; and the real place of `screens/`. */
const CHECK_MS = 1000;

/** Paths whose check is remembered. */
const REMEMBERED = 1024;

/** A file that was found inside, and what the kernel said of it then. */
interface Checked extends Identity, Pick<OpenFile, "real" | "etag" | "prepared"> {
  at: number;
}

/** Plain numbers: big ones cost as much as the call. Their times tell a quarter of a microsecond. */
interface Identity {
  dev: number;
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

export function screenFiles(
  screens: string,
  platform: NodeJS.Platform,
  monotonic: () => number,
): ScreenFiles {
  const openInside = platform === "linux" && existsSync("/proc/self/fd") ? openByDescriptor : openByPath;
  const known = new Map<string, Checked>();
  let root = "";
  let rootAt = Number.NEGATIVE_INFINITY;

  // `screens/` itself may be a symlink, and may be put elsewhere while the server runs.
  function realRoot(): string {
    const now = monotonic();
    if (now - rootAt > CHECK_MS) {
      root = withSeparator(realpathSync.native(screens));
      rootAt = now;
    }
    return root;
  }

  function candidate(decoded: string): string | undefined {
    if (decoded.includes("\0") || (platform === "win32" && isWindowsTrap(decoded))) return undefined;
    const relative = normalize(decoded.replace(platform === "win32" ? /^[/\\]+/ : /^\/+/, ""));
    if (relative === "." || relative === ".." || relative.startsWith(`..${sep}`)) return undefined;
    return join(screens, relative);
  }

  function open(decoded: string): OpenFile | undefined {
    const path = candidate(decoded);
    if (path === undefined) return undefined;
    try {
      return openAgain(path) ?? openChecked(path);
    } catch {
      return undefined;
    }
  }

  /** A path checked a moment ago still leads to the very same file: where that lies was checked. */
  function openAgain(path: string): OpenFile | undefined {
    const before = known.get(path);
    if (before === undefined) return undefined;
    if (monotonic() - before.at <= CHECK_MS) {
      const descriptor = tryOpen(path);
      if (descriptor !== undefined && isSame(fstatSync(descriptor), before)) {
        const { real, size, etag, prepared } = before;
        return { descriptor, real, size, etag, prepared };
      }
      if (descriptor !== undefined) closeSync(descriptor);
    }
    known.delete(path);
    return undefined;
  }

  function openChecked(path: string): OpenFile | undefined {
    const inside = realRoot();
    const opened = openInside(path, inside);
    if (opened === undefined) {
      rootAt = Number.NEGATIVE_INFINITY;
      return undefined;
    }
    const { descriptor, before } = opened;
    // Taken second: a change between the two makes the remembered identity the outdated one, never the tag.
    const stat = fstatSync(descriptor, { bigint: true });
    const real = relativeTo(inside, opened.real);
    const etag = `"${stat.size}-${stat.mtimeNs}"`;
    const prepared = {};
    if (known.size >= REMEMBERED) known.clear();
    // A link at the end is refused by the quick way, so only what needs none is remembered.
    if (real === relativeTo(withSeparator(screens), path)) {
      const { dev, ino, size, mtimeMs, ctimeMs } = before;
      known.set(path, { dev, ino, size, mtimeMs, ctimeMs, real, etag, prepared, at: monotonic() });
    }
    return { descriptor, real, size: Number(stat.size), etag, prepared };
  }

  function locate(decoded: string): string | undefined {
    const path = candidate(decoded);
    if (path === undefined) return undefined;
    try {
      const inside = withSeparator(realpathSync.native(screens));
      const real = realpathSync.native(path);
      return real.startsWith(inside) && statSync(real).isFile() ? relativeTo(inside, real) : undefined;
    } catch {
      return undefined;
    }
  }

  return { open, locate };
}

function isSame(a: Identity, b: Identity): boolean {
  return (
    a.ino === b.ino &&
    a.ctimeMs === b.ctimeMs &&
    a.mtimeMs === b.mtimeMs &&
    a.size === b.size &&
    a.dev === b.dev
  );
}

/** Undefined for what cannot be opened, a symlink above all. */
function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, READ);
  } catch {
    return undefined;
  }
}

interface Opened {
  descriptor: number;
  /** Absolute. */
  real: string;
  before: Stats;
}

/**
 * Name the file without opening it, ask the kernel where that file is, and open that very file: no moment in which a
 * swapped directory or link could lead elsewhere.
 */
function openByDescriptor(path: string, root: string): Opened | undefined {
  const named = openSync(path, PATH_ONLY);
  try {
    const self = `/proc/self/fd/${named}`;
    const real = readlinkSync(self);
    if (!real.startsWith(root) || !fstatSync(named).isFile()) return undefined;
    // O_NOFOLLOW would refuse the magic link; what it leads to is fixed.
    return regular(openSync(self, READ & ~constants.O_NOFOLLOW), real);
  } finally {
    closeSync(named);
  }
}

function openByPath(path: string, root: string): Opened | undefined {
  const real = realpathSync.native(path);
  if (!real.startsWith(root) || !statSync(real).isFile()) return undefined;
  const opened = regular(openSync(real, READ), real);
  if (opened === undefined || realpathSync.native(real) === real) return opened;
  closeSync(opened.descriptor);
  return undefined;
}

function regular(descriptor: number, real: string): Opened | undefined {
  const before = fstatSync(descriptor);
  if (before.isFile()) return { descriptor, real, before };
  closeSync(descriptor);
  return undefined;
}

function withSeparator(path: string): string {
  return path.endsWith(sep) ? path : path + sep;
}

function relativeTo(root: string, real: string): string {
  const relative = real.slice(root.length);
  return sep === "\\" ? relative.replaceAll("\\", "/") : relative;
}

/** Names that Windows takes for a stream, a device, or another name (spec/web.md 6.3). */
export function isWindowsTrap(decoded: string): boolean {
  return decoded
    .split(/[/\\]/)
    .some(
      (part) =>
        part.includes(":") ||
        (/[. ]$/.test(part) && part !== "." && part !== "..") ||
        /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?$/i.test(part),
    );
}

/** A relative path in the form of a document's `data-ce-page`: each segment percent-encoded once (spec/web.md 8.2). */
export function encodePage(relative: string): string {
  return `/${relative.split("/").map(encodeSegment).join("/")}`;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}
