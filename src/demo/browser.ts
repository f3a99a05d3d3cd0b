import { readableVariables } from "../kernel/call/environment.ts";
import type { Host } from "../kernel/call/host.ts";
import { spawn } from "../runtime/spawn.ts";

/** Open an address in the person's browser; on a terminal only, and never an error when there is none. */
export function openInBrowser(host: Host, address: string): void {
  if (!host.terminal("stdout").isTerminal) return;
  const command = openers(host.platform);
  spawn([...command, address], {
    env: readableVariables(host.env),
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  })
    .then((child) => child.unref())
    .catch(() => {});
}

function openers(platform: NodeJS.Platform): string[] {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["explorer"];
  return ["xdg-open"];
}
