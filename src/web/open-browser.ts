import { readableVariables } from "../kernel/call/environment.ts";
import { osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import { system32 } from "../kernel/process/system32.ts";
import { sleep } from "../kernel/text/time.ts";
import { spawn } from "../runtime/spawn.ts";

/** How long a program that shows addresses may take to say that it cannot. */
const FAILS_WITHIN_MS = 2000;

/**
 * Show an address in the person's browser (docs/spec/web.md 4.2): the system's own way, no shell, in a session of its own. It
 * carries no token, since every user of the machine may read a command line. Failure is a note on stderr.
 */
export async function openInBrowser(host: Host, url: string): Promise<void> {
  const words = openerWords(host, url);
  const problem = words === undefined ? "there is no display" : await problemOf(host, words);
  if (problem !== undefined) host.stderr(`${host.prefix}no browser was opened (${problem}): ${url}\n`);
}

function openerWords({ platform, env }: Host, url: string): string[] | undefined {
  if (platform === "win32")
    return [system32("rundll32.exe", env["SystemRoot"]), "url.dll,FileProtocolHandler", url];
  if (platform === "darwin") return ["/usr/bin/open", url];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open", url] : undefined;
}

async function problemOf(host: Host, words: string[]): Promise<string | undefined> {
  try {
    const child = await spawn(words, {
      env: readableVariables(host.env),
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
    child.unref();
    // One that stays is the browser itself.
    const exit = await Promise.race([child.exited, sleep(FAILS_WITHIN_MS)]);
    if (exit === undefined || ("code" in exit && exit.code === 0)) return undefined;
    return "code" in exit ? `${words[0]} exited ${exit.code}` : `${words[0]} was ended by ${exit.signal}`;
  } catch (error) {
    return `${words[0]}: ${osReason(error)}`;
  }
}
