import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep, win32 } from "node:path";
import { errorCode } from "../call/errors.ts";
import { FileError } from "./file-io.ts";

declare const contained: unique symbol;

/** An absolute real path that was inside its root when it was checked; only `containedRealPath` makes one. */
export type ContainedPath = string & { readonly [contained]: true };

const MOST_LINKS = 40;

/**
 * The real path of an absolute path whose end may not exist yet: symlinks of the longest existing prefix resolved, the
 * rest appended. A `..` after a missing component cancels it, after an existing one it goes to its real parent
 * (docs/spec/base-dir.md section 1). Throws `FileError` when the system refuses to look (`EACCES`, a loop of links).
 */
export function resolveReal(path: string): string {
  if (!isAbsolute(path)) throw new TypeError(`resolveReal needs an absolute path, got ${path}`);
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = errorCode(error);
    // A component is missing, or is a file where a directory was expected: take it step by step.
    if (code !== "ENOENT" && code !== "ENOTDIR") throw new FileError("cannot resolve", path, error);
  }
  return walk(path);
}

/** As `resolveReal`; the path as it is when the system refuses to look along it, for comparisons that must not fail. */
export function realOrPlain(path: string): string {
  try {
    return resolveReal(path);
  } catch {
    return path;
  }
}

function walk(path: string): string {
  const { root } = parse(path);
  const pending = components(path.slice(root.length)).reverse();
  let real = root;
  let missing: string[] = [];
  let links = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === "..") {
      if (missing.pop() === undefined) real = dirname(real);
      continue;
    }
    if (missing.length > 0) {
      missing.push(next);
      continue;
    }
    const candidate = join(real, next);
    const target = linkTarget(candidate, path);
    if (target === "absent") {
      missing.push(next);
    } else if (target === "not-a-link") {
      real = candidate;
    } else {
      if (++links > MOST_LINKS) throw new FileError("cannot resolve", path, { code: "ELOOP" });
      const start = isAbsolute(target.link) ? parse(target.link).root : "";
      if (start !== "") {
        real = start;
        missing = [];
      }
      pending.push(...components(target.link.slice(start.length)).reverse());
    }
  }
  return missing.length === 0 ? real : join(real, ...missing);
}

function components(path: string): string[] {
  return path.split(sep === "\\" ? /[\\/]/ : "/").filter((part) => part !== "" && part !== ".");
}

function linkTarget(candidate: string, path: string): "absent" | "not-a-link" | { link: string } {
  try {
    const stat = lstatSync(candidate, { throwIfNoEntry: false });
    if (stat === undefined) return "absent";
    return stat.isSymbolicLink() ? { link: readlinkSync(candidate) } : "not-a-link";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return "absent";
    throw new FileError("cannot resolve", path, error);
  }
}

/** Whether a path is the root or below it, by whole components. Both must be real paths already. */
export function isInside(root: string, path: string): boolean {
  return samePath(root, path) || isStrictlyInside(root, path);
}

/** As `isInside`, the root itself excluded. */
export function isStrictlyInside(root: string, path: string): boolean {
  const prefix = root.endsWith(sep) ? root : root + sep;
  const head = path.slice(0, prefix.length);
  return path.length > prefix.length && samePath(prefix, head);
}

/** Whether two real paths name the same place. Windows compares without regard to case. */
export function samePath(a: string, b: string): boolean {
  return sep === "\\" ? a.toLowerCase() === b.toLowerCase() : a === b;
}

/** By real path, for directories that may not exist; a system that refuses to say counts as different. */
export function isSameDirectory(a: string, b: string): boolean {
  try {
    return samePath(resolveReal(a), resolveReal(b));
  } catch {
    return false;
  }
}

/**
 * The real path of `relative` (an absolute path is taken as it is) when it lies in `root` or is it, after symlinks;
 * undefined when it does not. The end may not exist yet. A later open should still refuse a symlink in the last part.
 */
export function containedRealPath(root: string, relative: string): ContainedPath | undefined {
  const realRoot = resolveReal(root);
  // Not `path.resolve`: it would cancel `..` in the text, before links are followed.
  const real = resolveReal(isAbsolute(relative) ? relative : `${realRoot}${sep}${relative}`);
  return isInside(realRoot, real) ? (real as ContainedPath) : undefined;
}

/** A possibly relative path made absolute against a directory without collapsing `..`, ready for `resolveReal`. */
export function absoluteFrom(directory: string, path: string): string {
  if (sep === "\\") return absoluteOnWindows(directory, path);
  if (isAbsolute(path)) return path;
  return path === "" ? directory : `${directory}${directory.endsWith(sep) ? "" : sep}${path}`;
}

/** The same on Windows, where `\x` begins at the root of the directory's drive. What names its drive or server stays as it is. */
export function absoluteOnWindows(directory: string, path: string): string {
  return /^(?:[A-Za-z]:|[\\/])[\\/]/.test(path) ? path : win32.resolve(directory, path);
}
