import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../kernel/call/errors.ts";
import { createExclusive } from "../../../kernel/files/atomic.ts";
import { FileError } from "../../../kernel/files/file-io.ts";

const MOST_TRIES = 1000;

/**
 * Make a private directory that no repository takes in, under the first free of `name`, `name-2` …; gives its path. The
 * directory around it has to be there. Throws `FileError`.
 */
export function freshDirectory(parent: string, name: string): string {
  for (let count = 1; ; count++) {
    const path = join(parent, count === 1 ? name : `${name}-${count}`);
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) === "EEXIST" && count < MOST_TRIES) continue;
      throw new FileError("cannot create", path, error);
    }
    hideFromGit(path);
    return path;
  }
}

/** Leave everything below a directory out of the repository it lies in. */
export function hideFromGit(directory: string): void {
  createExclusive(join(directory, ".gitignore"), "*\n", 0o600);
}
