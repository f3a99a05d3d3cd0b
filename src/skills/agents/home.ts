import { isAbsolute } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";

/** The user's home directory. Throws when the variable is unset, or relative and so a different place in every directory. */
export function homeOf({ home, platform }: Pick<Host, "home"> & Partial<Pick<Host, "platform">>): string {
  const name = platform === "win32" ? "USERPROFILE" : "HOME";
  const hint = `set ${name} to your home directory and run the command again`;
  if (home === undefined) throw new JigError(`${name} environment variable is not set`, { hint });
  if (!isAbsolute(home)) throw new JigError(`${name} must be an absolute path, got '${home}'`, { hint });
  return home;
}
