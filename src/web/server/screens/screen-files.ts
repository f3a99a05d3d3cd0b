import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, normalize, sep } from "node:path";
import { isWindowsTrap } from "../../../kernel/files/windows-names.ts";
import type { Clock } from "../config.ts";
import type { KeptFile, OpenFile } from "../http/served-file.ts";
import { CHECK_MS, isSame, type KnownFile, makeKnownFiles } from "./known-files.ts";

/** Looks files up below one directory, never outside it (docs/spec/web.md 6.3). */
export interface ScreenFiles {
  /** The file a decoded path names, or undefined: missing, outside after symlinks, or not a regular file. */
  open(decoded: string): OpenFile | undefined;
  /** The same for who only wants the content, which may be at hand. */
  read(decoded: string): OpenFile | KeptFile | undefined;
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

export function screenFiles(screens: string, platform: NodeJS.Platform, clock: Clock): ScreenFiles {
  const { monotonic } = clock;
  const openInside = platform === "linux" && existsSync("/proc/self/fd") ? openByDescriptor : openByPath;
  const known = makeKnownFiles(clock);
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

  function read(decoded: string): OpenFile | KeptFile | undefined {
    const path = candidate(decoded);
    if (path === undefined) return undefined;
    try {
      return readAgain(path) ?? openAgain(path) ?? openChecked(path);
    } catch {
      return undefined;
    }
  }

  function readAgain(path: string): KeptFile | undefined {
    const before = known.recall(path);
    if (before?.bytes === undefined) return undefined;
    if (isSame(lstatSync(path), before)) return before as KeptFile;
    known.forget(path);
    return undefined;
  }

  function openAgain(path: string): OpenFile | undefined {
    const before = known.recall(path);
    const descriptor = before === undefined ? undefined : tryOpen(path);
    if (before === undefined || descriptor === undefined) return undefined;
    if (isSame(fstatSync(descriptor), before)) return openFile(descriptor, before);
    closeSync(descriptor);
    known.forget(path);
    return undefined;
  }

  function openFile(descriptor: number, file: KnownFile): OpenFile {
    const { real, size, etag, prepared } = file;
    return { descriptor, real, size, etag, prepared, keep: (bytes) => known.keep(file, bytes) };
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
    const file = { real, etag: `"${stat.size}-${stat.mtimeNs}"`, prepared: {} };
    // A link at the end is refused by the quick ways, so only what needs none is remembered.
    if (real === relativeTo(withSeparator(screens), path)) {
      return openFile(descriptor, known.remember(path, before, file));
    }
    return { ...file, descriptor, size: Number(stat.size), keep() {} };
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

  return { open, read, locate };
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
    if (!real.startsWith(root)) return undefined;
    const before = fstatSync(named);
    if (!before.isFile()) return undefined;
    // O_NOFOLLOW would refuse the magic link; what it leads to is fixed.
    return { descriptor: openSync(self, READ & ~constants.O_NOFOLLOW), real, before };
  } finally {
    closeSync(named);
  }
}

function openByPath(path: string, root: string): Opened | undefined {
  const real = realpathSync.native(path);
  if (!real.startsWith(root) || !statSync(real).isFile()) return undefined;
  const descriptor = openSync(real, READ);
  const before = fstatSync(descriptor);
  if (before.isFile() && realpathSync.native(real) === real) return { descriptor, real, before };
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

/** A relative path in the form of a document's `data-ce-page`: each segment percent-encoded once (docs/spec/web.md 8.2). */
export function encodePage(relative: string): string {
  return `/${relative.split("/").map(encodeSegment).join("/")}`;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}
