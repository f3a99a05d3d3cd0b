import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../kernel/call/host.ts";

/**
 * A source that begins with `~` or `~user` with the home directory in its place. One whose user is not known stays as
 * it is, so that the error about it names what was written.
 */
export function expandHome(source: string, host: Pick<Host, "home" | "uid">): string {
  const match = /^~([^/\\]*)(.*)$/s.exec(source);
  if (match === null) return source;
  const [, user = "", rest = ""] = match;
  const home =
    user === ""
      ? (host.home ?? accountHome((_, uid) => uid === String(host.uid)))
      : accountHome((name) => name === user);
  return home === undefined ? source : join(home, rest);
}

/** The home directory in the account database, where that is a file. */
function accountHome(wanted: (name: string, uid: string) => boolean): string | undefined {
  let accounts: string;
  try {
    accounts = readFileSync("/etc/passwd", "utf8");
  } catch {
    return undefined;
  }
  for (const line of accounts.split("\n")) {
    const [name = "", , uid = "", , , home = ""] = line.split(":");
    if (home !== "" && wanted(name, uid)) return home;
  }
  return undefined;
}
