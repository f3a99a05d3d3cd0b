import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";

/** What `execvp` searches when `PATH` is unset. */
const DEFAULT_PATH = "/usr/bin:/bin";

/** The directories of `PATH` in order; an empty entry is the working directory, as for `execvp`. */
export function pathDirectories(
  env: Readonly<Record<string, string | undefined>>,
  separator: string = delimiter,
): string[] {
  const path = env["PATH"] ?? (separator === ";" ? (env["Path"] ?? "") : DEFAULT_PATH);
  return path.split(separator);
}

/** Whether a path leads, after links, to a regular file this process may execute. */
export function isExecutableFile(path: string): boolean {
  try {
    // Mostly nothing is there, and a thrown error costs a short command half a millisecond.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface FindExecutableOptions {
  /** Directory that relative `PATH` entries count from; without it they are skipped (a checkout could plant a program). */
  cwd?: string;
  /** Suffixes to try, in order, as `PATHEXT` on Windows. */
  extensions?: readonly string[];
}

/** The absolute path of the first executable regular file of this name on `PATH`; undefined when there is none. */
export function findExecutable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  options: FindExecutableOptions = {},
): string | undefined {
  const extensions = options.extensions ?? (delimiter === ";" ? pathExtensions(name, env) : [""]);
  for (const directory of pathDirectories(env)) {
    if (!isAbsolute(directory) && options.cwd === undefined) continue;
    for (const extension of extensions) {
      const candidate = resolve(options.cwd ?? "/", directory, name + extension);
      if (isExecutableFile(candidate)) return candidate;
    }
  }
  return undefined;
}

/** The suffixes Windows tries for a name: none when it already ends in one of `PATHEXT`. */
export function pathExtensions(name: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const extensions = (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((part) => part !== "");
  const lower = name.toLowerCase();
  return extensions.some((extension) => lower.endsWith(extension.toLowerCase())) ? [""] : extensions;
}
