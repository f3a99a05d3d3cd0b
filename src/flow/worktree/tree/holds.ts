import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { userTempDirectory } from "../../../kernel/shared/temp-root.ts";
import { asBytePath, type BytePath, bytesOf } from "./byte-path.ts";
import { GITLINK, type Version } from "./listings.ts";
import { ask, askRecords, look, type WorkTree } from "./work-tree.ts";

/**
 * The paths whose file is exactly the given version, as git would store it: line endings and filters do not count.
 * Submodules are never among them.
 */
export async function pathsHolding(
  host: Host,
  tree: WorkTree,
  versions: ReadonlyMap<BytePath, Version>,
): Promise<Set<BytePath>> {
  const files = [...versions].filter(([, { mode }]) => mode !== GITLINK);
  if (files.length === 0) return new Set();
  // An index of these paths alone: git compares it with the working tree as it would its own.
  const directory = mkdtempSync(join(userTempDirectory(host), "jig-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(directory, "index") };
    const input = bytesOf(files.map(([path, { mode, oid }]) => `${mode} ${oid}\t${path}\0`).join(""));
    await ask(host, tree, ["update-index", "-z", "--index-info"], { env, input });
    const refreshed = await look(host, tree, ["update-index", "-q", "--refresh"], { env });
    if (refreshed.exitCode > 1)
      throw new JigError(`git update-index failed in ${tree.top}: ${refreshed.stderr}`);
    const records = await askRecords(host, tree, ["diff-files", "-z", "--name-only", "--no-renames"], {
      env,
    });
    const differing = new Set(records.map(asBytePath));
    return new Set(files.map(([path]) => path).filter((path) => !differing.has(path)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
