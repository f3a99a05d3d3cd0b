import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { type Paths, readText } from "./state-files.ts";

const BYTES = 10;

/**
 * The loopback name that only this root's server goes by, `<random>.localhost` (docs/spec/web.md 8.5). It is kept with the
 * root, so that a browser finds its drafts again after a restart; where it cannot be written it lasts for this start.
 */
export function ownName(paths: Paths, uid: number | undefined): string {
  const kept = /^[0-9a-f]+$/.exec(readText(paths.name, uid, 64)?.trim() ?? "")?.[0];
  if (kept?.length === 2 * BYTES) return `${kept}.localhost`;
  const made = randomHex(BYTES);
  try {
    writeFileAtomic(paths.name, `${made}\n`, { mode: 0o600 });
  } catch {
    // A full disk costs drafts over a restart, nothing else.
  }
  return `${made}.localhost`;
}
