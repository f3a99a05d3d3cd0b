import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RunOptions, runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const GIT = [
  "-c",
  "user.name=t",
  "-c",
  "user.email=t@example.org",
  "-c",
  "commit.gpgsign=false",
  "-c",
  "protocol.file.allow=always",
];

/** git in a directory, with an author and nothing of the developer's own configuration. */
export function gitIn(cwd: string, home: string) {
  const env = { PATH: process.env["PATH"]!, HOME: home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
  return (...words: string[]) =>
    execFileSync("git", [...GIT, ...words], {
      cwd,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
}

/** Put a file, its directories made; `mode` where it is to be executable. */
export function put(top: string, path: string, text: string | Uint8Array = `${path}\n`, mode = 0o644): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
  chmodSync(join(top, path), mode);
}

/** A repository with one commit on main, and an empty home. */
export function repositoryWorld(base = tempDir()) {
  const root = join(base, "R");
  const home = join(base, "home");
  mkdirSync(root);
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = t\n\temail = t@example.org\n");
  const git = gitIn(root, home);
  git("init", "-q", "-b", "main");
  put(root, "README.md", "one\n");
  git("add", "README.md");
  git("commit", "-q", "-m", "one");
  const env: Record<string, string | undefined> = { HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const jig = (words: readonly string[], options: RunOptions = {}) =>
    runJig(words, { cwd: root, timeout: 60_000, ...options, env: { ...env, ...options.env } });
  return { base, root, home, git, env, jig };
}
