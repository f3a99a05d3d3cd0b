import { mkdirSync } from "node:fs";
import { FileError } from "../../../kernel/files/file-io.ts";
import { insideProject } from "../../common/state-file.ts";

/** Make a directory below `base` (a project or a workspace) with what is missing above it. Throws `JigError`. */
export function ensureDirectory(base: string, path: string): void {
  const real = insideProject(base, path);
  try {
    mkdirSync(real, { recursive: true });
  } catch (error) {
    throw new FileError("cannot create", path, error);
  }
}
