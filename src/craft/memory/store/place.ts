import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../../kernel/call/host.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { isDirectory } from "../../../kernel/files/look.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { failure } from "../../common/fail.ts";
import { containedTarget } from "../../common/repo-path.ts";
import { workTree } from "../../common/work-tree.ts";
import { child, stringOf, wordOf } from "../../manifest/nodes.ts";
import { requireManifest } from "../../manifest/require.ts";

export const NAME = "memory";

const DEFAULT_STORE = ".claude/craft-memory.md";

/** Flags of every memory verb. */
export interface PlaceFlags {
  repo?: string | undefined;
  ref?: string | undefined;
  manifest?: string | undefined;
}

/** Where the store is (docs/spec/craft-run.md 5). */
export interface StorePlace {
  /** Real path of the work tree. */
  root: string;
  /** As it is named, relative to the root. */
  ref: string;
  /** Absolute; undefined when it leads out of the root, or is a symlink. Look again before every use. */
  path(): string | undefined;
  /** The manifest names a source that nothing here can read. */
  custom: boolean;
}

/** The store of a call. Throws (exit 2) for a manifest that cannot be read and a directory that is none. */
export async function findStore(host: Host, flags: PlaceFlags): Promise<StorePlace> {
  const manifest = await requireManifest(host, NAME, flags.manifest);
  const memory = child(manifest, "memory");
  const source = stringOf(child(memory, "source"));
  const root = await rootOf(host, flags.repo);
  const ref = flags.ref ?? wordOf(child(memory, "ref")) ?? DEFAULT_STORE;
  const custom = flags.ref === undefined && source !== undefined && source !== "file";
  // A name with NUL in it is no file's.
  const path = () => (ref === "" || ref.includes("\0") ? undefined : containedTarget(root, ref));
  return { root, ref, path, custom };
}

async function rootOf(host: Host, repo: string | undefined): Promise<string> {
  if (repo !== undefined) {
    const path = absoluteFrom(host.cwd, repo);
    if (!isDirectory(path)) throw failure(NAME, `--repo ${printable(repo)} is not a directory`);
    return realpathSync.native(path);
  }
  return workTree(host);
}

/** The repository's shared git directory, for what all its worktrees have in common; undefined outside one. */
export async function commonDirectory(host: Host, root: string): Promise<string | undefined> {
  const { git, gitText, GitError } = await import("../../../kernel/repository/git.ts");
  try {
    const words = ["--path-format=absolute", "--git-common-dir"];
    const result = await git(host, ["rev-parse", ...words], { cwd: root });
    const path = gitText(result);
    return result.exitCode === 0 && path !== "" ? path : undefined;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** The lock that changes of this store are made under; it stays (docs/spec/craft-run.md 1.4). */
export async function lockPath(host: Host, root: string): Promise<string> {
  const common = await commonDirectory(host, root);
  if (common !== undefined) return join(common, "craft-memory.lock");
  const { chooseTempRoot } = await import("../../../kernel/shared/choose-temp-root.ts");
  const { sha256 } = await import("./digest.ts");
  const scratch = await chooseTempRoot(host, "scratch");
  return join(scratch.path, `craft-memory-${(await sha256(root)).slice(0, 16)}.lock`);
}
