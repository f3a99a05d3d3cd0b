import { appendFileSync, renameSync, statSync } from "node:fs";
import { isoMilliseconds } from "../../kernel/text/time.ts";

/** Bytes after which `start` begins a new `server.log`, and a server stops adding to it. */
const LARGEST_LOG = 5 << 20;

/** Append lines with their time to `server.log` (docs/spec/web.md section 3). A log that cannot be written is no error. */
export function serverLog(path: string, now: () => number): (line: string) => void {
  let written = 0;
  return (line) => {
    const text = `${isoMilliseconds(now())} ${line}\n`;
    written += text.length;
    if (written > LARGEST_LOG) return;
    try {
      appendFileSync(path, text, { mode: 0o600 });
    } catch {
      // There is nowhere else to say it.
    }
  };
}

/** Put a log that has grown large aside as `server.log.1`. */
export function rotateLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG) renameSync(path, `${path}.1`);
}
