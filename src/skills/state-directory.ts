import { isAbsolute, join } from "node:path";
import { JigError } from "../kernel/errors.ts";
import type { Host } from "../kernel/host.ts";

/** Where jig keeps what belongs to this user and machine: locks of destinations and backups (spec/skills.md 6.4). */
export function stateDirectory(host: Pick<Host, "env" | "home" | "platform">): string {
  const { env, home, platform } = host;
  const named = platform === "win32" ? env["LOCALAPPDATA"] : env["XDG_STATE_HOME"];
  if (named !== undefined && isAbsolute(named)) return join(named, "jig");
  if (home === undefined) throw new JigError("HOME environment variable is not set");
  return platform === "win32" ? join(home, "AppData", "Local", "jig") : join(home, ".local", "state", "jig");
}
