import { isAbsolute, join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { homeOf } from "./home.ts";

/** Where jig keeps what belongs to this user and machine: locks of destinations and backups (docs/spec/skills.md 6.4). */
export function stateDirectory(host: Pick<Host, "env" | "home" | "platform">): string {
  const { env, platform } = host;
  const named = platform === "win32" ? env["LOCALAPPDATA"] : env["XDG_STATE_HOME"];
  if (named !== undefined && isAbsolute(named)) return join(named, "jig");
  const home = homeOf(host);
  return platform === "win32" ? join(home, "AppData", "Local", "jig") : join(home, ".local", "state", "jig");
}
