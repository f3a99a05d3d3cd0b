import { publishExclusive } from "../kernel/files/atomic.ts";
import { isoMicroseconds } from "../kernel/text/time.ts";
import { ANCHOR_NAME, type AnchorSource, anchorIn } from "./anchor.ts";

/** Publish a new anchor, whole or not at all; false when one appeared meanwhile. Throws `FileError`. */
export function writeAnchor(base: string, source: AnchorSource, now: number): boolean {
  const fields = { version: 1, base, source, resolved_at: isoMicroseconds(now) };
  return publishExclusive(anchorIn(base), `${JSON.stringify(fields, null, 2)}\n`, {
    prefix: `${ANCHOR_NAME}.`,
  });
}
