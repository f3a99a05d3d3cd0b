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
    if (result.exitCode === 0 && isOld(version)) {
      const message = `${version} at ${path} cannot be kept from running what a repository names, so jig uses it for little`;
      return [finding("git", message, "install git 2.31 or later")];
    }
    if (result.exitCode === 0) return [ok("git", `${version} at ${path}`)];
    return [
      finding("git", `git --version exits ${result.exitCode}: ${result.stderr.trim()}`, "reinstall git"),
    ];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [finding("git", `git does not run: ${why}`, "reinstall git")];
  }
}

/** Whether it is a git before 2.31; one whose version has another form is taken for a new one. */
function isOld(version: string): boolean {
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) < 2 || (Number(major) === 2 && Number(minor) < 31);
}
