import type { Host } from "../../kernel/call/host.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { randomHex } from "../../kernel/text/random.ts";
import type { Paths } from "./state-files.ts";

/** The header that carries the content of `state/control`. */
export const CONTROL_HEADER = "x-jig-control";

/** Windows has no graceful signal: there a secret in a private file lets `stop` ask over loopback (docs/spec/web.md 4.5). */
export function makeControl(
  host: Host,
  paths: Paths,
  stop: () => void,
): { secret: string; stop(): void } | undefined {
  if (host.platform !== "win32") return undefined;
  const secret = randomHex(32);
  writeFileAtomic(paths.control, secret, { mode: 0o600 });
  return { secret, stop };
}
