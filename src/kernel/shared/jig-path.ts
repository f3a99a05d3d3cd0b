import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isExecutableFile, pathDirectories } from "../process/executable.ts";

/**
 * The absolute path others should call this jig by: a `jig` on PATH that leads to the running executable, by its own
 * unresolved path (a package manager's link survives an upgrade), else the executable itself (docs/spec/cli.md section 3).
 */
export function stableJigPath(executable: string, env: Readonly<Record<string, string | undefined>>): string {
  const own = realPath(executable);
  const name = delimiter === ";" ? "jig.exe" : "jig";
  for (const directory of pathDirectories(env)) {
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, name);
    if (isExecutableFile(candidate) && realPath(candidate) === own) return candidate;
  }
  return executable;
}

/** A path after its symlinks; the path itself where it does not lead anywhere. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
