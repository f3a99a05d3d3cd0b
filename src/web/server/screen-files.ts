import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
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

const REAL_ROOT_MS = 1000;

export function screenFiles(
  screens: string,
  platform: NodeJS.Platform,
  monotonic: () => number,
): ScreenFiles {
  const openReal = platform === "linux" && existsSync("/proc/self/fd") ? openByDescriptor : openByPath;
  let root = "";
  let rootAt = Number.NEGATIVE_INFINITY;

  // `screens/` itself may be a symlink, and may be put elsewhere while the server runs.
  function realRoot(): string {
    const now = monotonic();
    if (now - rootAt > REAL_ROOT_MS) {
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
      const opened = openReal(path, realRoot());
      if (opened === undefined) rootAt = Number.NEGATIVE_INFINITY;
      return opened;
    } catch {
      return undefined;
    }
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

/**
 * Name the file without opening it, ask the kernel where that file is, and open that very file: no moment in which a
 * swapped directory or link could lead elsewhere.
 */
function openByDescriptor(path: string, root: string): OpenFile | undefined {
  const named = openSync(path, PATH_ONLY);
  try {
    const self = `/proc/self/fd/${named}`;
    const real = readlinkSync(self);
    if (!real.startsWith(root)) return undefined;
    // O_NOFOLLOW would refuse the magic link; what it leads to is fixed.
    return checked(openSync(self, READ & ~constants.O_NOFOLLOW), relativeTo(root, real));
  } finally {
    closeSync(named);
  }
}

function openByPath(path: string, root: string): OpenFile | undefined {
  const real = realpathSync.native(path);
  if (!real.startsWith(root) || !statSync(real).isFile()) return undefined;
  const opened = checked(openSync(real, READ), relativeTo(root, real));
  if (opened === undefined || realpathSync.native(real) === real) return opened;
  closeSync(opened.descriptor);
  return undefined;
}

function checked(descriptor: number, real: string): OpenFile | undefined {
  const stat = fstatSync(descriptor, { bigint: true });
  if (!stat.isFile()) {
    closeSync(descriptor);
    return undefined;
  }
  return { descriptor, real, size: Number(stat.size), etag: `"${stat.size}-${stat.mtimeNs}"` };
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
