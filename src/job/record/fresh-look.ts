import { unlinkSync } from "node:fs";
import { createExclusive } from "../../kernel/files/atomic.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { FILE_MODE, fileIn } from "./directory.ts";

/**
 * Make a job directory's names fresh, and say what time it is there (docs/spec/engines.md section 1): a network file
 * system remembers that a name was missing until the directory changes, and each machine has a clock of its own.
 * Milliseconds since the epoch; undefined when nothing could be made there (a full disk), so that nothing is concluded.
 */
export function freshNow(directory: string): number | undefined {
  const path = fileIn(directory, `.tmp-${randomHex(8)}`);
  try {
    createExclusive(path, "fresh\n", FILE_MODE, "nothing");
  } catch {
    return undefined;
  }
  const now = lookAt(path)?.mtimeMs;
  try {
    unlinkSync(path);
  } catch {
    // A leftover temporary is ignored by every reader; the directory has changed all the same.
  }
  return now;
}
