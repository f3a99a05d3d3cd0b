import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** What every program of a machine's prefix gets, Wine's own included. */
export function wineEnvironment(directory: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: join(directory, "home"),
    WINEPREFIX: join(directory, "prefix"),
    WINEARCH: "win64",
    WINEDEBUG: "-all",
    // Our stubs, not what Wine has under these names.
    WINEDLLOVERRIDES: "whoami.exe,icacls.exe=n",
    LANG: "C.UTF-8",
    TZ: "UTC",
  };
}

/** Make the prefix; about ten seconds. */
export async function bootWine(directory: string): Promise<void> {
  mkdirSync(join(directory, "home"));
  // Without these two it would offer to download .NET and a browser engine.
  const env = { ...wineEnvironment(directory), WINEDLLOVERRIDES: "mscoree,mshtml=" };
  await promisify(execFile)("wineboot", ["-i"], { env });
}

/** End whatever runs in the prefix, if one was made, and forget it. */
export function endWine(directory: string): void {
  const prefix = join(directory, "prefix");
  if (!existsSync(prefix)) return;
  const { dev, ino } = statSync(prefix);
  const env = wineEnvironment(directory);
  spawnSync("wineserver", ["-k"], { env, timeout: 20_000 });
  spawnSync("wineserver", ["-w"], { env, timeout: 20_000 });
  // The server's own place outside the prefix, which it does not clean up: one for all prefixes, or, in Debian where
  // there is no /run/user, one that the prefix names.
  const servers = `/tmp/.wine-${process.getuid?.()}`;
  rmSync(join(servers, `server-${dev.toString(16)}-${ino.toString(16)}`), { recursive: true, force: true });
  try {
    rmdirSync(servers);
  } catch {
    // Another prefix of ours has its server there.
  }
  const note = join(prefix, "wineserver");
  const named = existsSync(note) ? readFileSync(note, "utf8").trim() : "";
  if (/^wine-\w{6}$/.test(named)) rmSync(join("/tmp", named), { recursive: true, force: true });
}
