import { JigError, osReason } from "../../kernel/call/errors.ts";
import { createExclusive } from "../../kernel/files/atomic.ts";
import { sleep } from "../../kernel/text/time.ts";
import { FILE_MODE, fileIn, REAP_MARKER } from "./directory.ts";
import { hasRecord } from "./state.ts";

const LOOK_MS = 50;

/** Ask for a reap by the marker; a request that stands already is left as it is: its age counts. Throws `JigError`. */
export function writeMarker(directory: string): void {
  try {
    createExclusive(fileIn(directory, REAP_MARKER), "reap\n", FILE_MODE);
  } catch (error) {
    throw new JigError(`cannot request a reap in ${directory}: ${osReason(error)}`, { cause: error });
  }
}

/** Wait for the terminal record; false when there is none after this many seconds. */
export async function recordWithin(directory: string, seconds: number): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  while (!hasRecord(directory)) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(LOOK_MS, left));
  }
  return true;
}
