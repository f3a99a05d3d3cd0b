import type { Host } from "../../kernel/call/host.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { git } from "../../kernel/repository/git.ts";
import { finding, ok } from "../check.ts";
import type { Check } from "../schema.ts";

/** git and its version; packs from git and worktrees need it. */
export async function examineGit(host: Host): Promise<Check[]> {
  const path = findExecutable("git", host.env);
  if (path === undefined) {
    return [finding("git", "git is not on PATH; packs from git and the demo need it", "install git")];
  }
  try {
    const result = await git(host, ["--version"], { timeoutMs: 5_000 });
    const version = new TextDecoder().decode(result.stdout).trim();
    if (result.exitCode === 0) return [ok("git", `${version} at ${path}`)];
    return [
      finding("git", `git --version exits ${result.exitCode}: ${result.stderr.trim()}`, "reinstall git"),
    ];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [finding("git", `git does not run: ${why}`, "reinstall git")];
  }
}
