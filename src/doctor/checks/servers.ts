import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isOwnDirectory } from "../../kernel/files/owned-file.ts";
import { serverPidFile } from "../../kernel/shared/server-pid.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { finding, ok } from "../check.ts";
import { decodeJson } from "../nested.ts";
import type { Check } from "../schema.ts";

/** Servers started under the private roots (`<root>/<skill>/<run>`) whose process is gone. */
export async function examineServers(host: Host): Promise<Check[]> {
  const roots = await host.run(["job", "root", "--json"]);
  if (roots.exitCode !== 0) return [];
  const { candidates } = decodeJson<{ candidates: string[] }>(roots.stdout);
  const checks: Check[] = [];
  let running = 0;
  for (const root of candidates.flatMap((root) => serverRoots(root, host.uid))) {
    const status = await host.run(["web", "status", "--root", root]);
    if (status.exitCode !== 0) continue;
    if (decodeJson<{ status: string }>(status.stdout).status === "running") running++;
    else {
      const message = `the server of ${root} is gone but left its pid file`;
      checks.push(finding("servers", message, `jig web stop --root ${shellWord(root)}`));
    }
  }
  return checks.length > 0 ? checks : [ok("servers", `${running} running, none abandoned`)];
}

function serverRoots(root: string, uid: number | undefined): string[] {
  // In a root that somebody else made, what stands in a pid file is theirs to choose.
  if (!isOwnDirectory(root, uid)) return [];
  return subdirectories(root)
    .flatMap(subdirectories)
    .filter((run) => existsSync(serverPidFile(run)));
}

function subdirectories(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(directory, entry.name));
  } catch {
    // Absent, or not ours to read: then no server of this user is in it.
    return [];
  }
}
