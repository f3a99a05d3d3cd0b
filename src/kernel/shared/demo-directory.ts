import { lstatSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../call/host.ts";
import { Refused, readOwnedText } from "../files/owned-file.ts";
import { isRunning, pidNamespace, startIdentity } from "../process/index.ts";

const PREFIX = "jig-demo-";
const OWNER_FILE = "demo.json";

/** Longer than it takes to name the owner of a directory just made. */
const NAMELESS_MS = 60_000;

interface DemoOwner {
  pid: number;
  identity: string | null;
  namespace: string | null;
}

/** A fresh private directory for one demo, which says whose it is. Throws the operating system's error. */
export async function makeDemoDirectory(parent: string, pid: number): Promise<string> {
  // mkdtemp makes it 0700: only this user can look inside.
  const directory = realpathSync(mkdtempSync(join(parent, PREFIX)));
  const owner: DemoOwner = {
    pid,
    identity: (await startIdentity(pid)) ?? null,
    namespace: (await pidNamespace()) ?? null,
  };
  writeFileSync(join(directory, OWNER_FILE), JSON.stringify(owner));
  return directory;
}

/** Directories of this user's demos that were killed before they could clean up. */
export async function abandonedDemos(parent: string, host: Pick<Host, "uid" | "now">): Promise<string[]> {
  const found: string[] = [];
  for (const name of namesIn(parent)) {
    const directory = join(parent, name);
    const stat = lstatSync(directory, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isDirectory() || (host.uid !== undefined && stat.uid !== host.uid))
      continue;
    const owner = ownerOf(directory, host.uid);
    const isGone =
      owner === undefined ? host.now() - stat.mtimeMs > NAMELESS_MS : await isGoneFromHere(owner);
    if (isGone) found.push(directory);
  }
  return found;
}

function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent).filter((name) => name.startsWith(PREFIX));
  } catch {
    // Absent, or not ours to read: then no demo of this user is in it.
    return [];
  }
}

function ownerOf(directory: string, uid: number | undefined): DemoOwner | undefined {
  try {
    const owner = JSON.parse(readOwnedText(join(directory, OWNER_FILE), { uid, maxBytes: 4096 }));
    return Number.isInteger(owner?.pid) ? owner : undefined;
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A pid of another namespace says nothing here: its process may well run. */
async function isGoneFromHere({ pid, identity, namespace }: DemoOwner): Promise<boolean> {
  if (namespace !== ((await pidNamespace()) ?? null)) return false;
  if (!(await isRunning(pid))) return true;
  const now = await startIdentity(pid);
  return identity !== null && now !== undefined && now !== identity;
}
