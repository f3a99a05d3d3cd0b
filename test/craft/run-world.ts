import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const GIT = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];

/** A repository with one commit on main, an empty home, and craft called in it as a user does. */
export function runWorld() {
  const base = tempDir();
  const cwd = join(base, "r");
  const home = join(base, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  mkdirSync(join(base, "tmp"));
  const git = (...words: string[]) => execFileSync("git", [...GIT, ...words], { cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "one");
  const runs = join(cwd, ".git/craft-runs");
  const env: Record<string, string> = {
    HOME: home,
    PATH: process.env["PATH"]!,
    JIG_TMP_ROOT: join(base, "tmp"),
  };
  const call = (
    words: string[],
    options: { stdin?: string; cwd?: string; env?: Record<string, string> } = {},
  ) =>
    runJig(["craft", ...words], {
      cwd: options.cwd ?? cwd,
      env: { ...env, ...options.env },
      stdin: options.stdin ?? "",
    });
  const file = (name: string) => readFileSync(join(runs, name), "utf8");
  return { base, cwd, home, git, runs, env, call, file };
}
