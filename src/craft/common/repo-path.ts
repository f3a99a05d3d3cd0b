import { join, posix, relative, resolve, sep } from "node:path";
import { isInside, resolveReal } from "../../kernel/files/contain.ts";
import { statIfThere } from "../../kernel/files/look.ts";

/**
 * The absolute path of a target when it lies in the root, or is it (docs/spec/craft-run.md 1.3): in its text, and after
 * the links of what exists. Undefined when it does not, when it is a symlink itself, dangling or not, or when the system
 * refuses to say.
 */
export function containedTarget(root: string, target: string): string | undefined {
  const base = resolve(root);
  const path = resolve(base, target);
  if (!isInside(base, path)) return undefined;
  try {
    if (path !== base && statIfThere(path)?.isSymbolicLink()) return undefined;
    return isInside(resolveReal(base), resolveReal(path)) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a path counts as absolute on any system: rooted, with a drive letter, or behind a backslash. */
export function isAbsoluteAnywhere(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(path);
}

/** Whether a path begins in somebody's home directory, by the words of a shell. */
export function isHomeRooted(path: string): boolean {
  return /^(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)/i.test(path);
}

/** Whether a step of a path goes up. */
export function hasParentStep(path: string): boolean {
  return path.split(/[/\\]/).includes("..");
}

/**
 * A path as the repository's own lists have it: with slashes, without `./`, relative to the root. Undefined when it leads
 * out of the root in its text, or is the root.
 */
export function repoRelative(root: string, path: string): string | undefined {
  if (isAbsoluteAnywhere(path)) {
    const within = relative(root, resolve(root, path)).split(sep).join("/");
    return within === "" || within.startsWith("../") || within === ".." || isAbsoluteAnywhere(within)
      ? undefined
      : within;
  }
  const plain = posix.normalize(path).replace(/\/$/, "");
  return plain === "." || plain === ".." || plain.startsWith("../") ? undefined : plain;
}

/** The same from where the caller stands, for a path given on the command line. */
export function repoRelativeFrom(root: string, cwd: string, path: string): string | undefined {
  return repoRelative(root, isAbsoluteAnywhere(path) ? path : join(cwd, path));
}
