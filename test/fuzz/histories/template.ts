/** The repository that every history starts from, made once and copied: starting git a dozen times each would take longer. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What git is told in a history, instead of anybody's own configuration. */
export function gitEnv(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"]!,
    HOME: home,
    TMPDIR: dirname(home),
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C",
    GIT_EDITOR: ":",
    GIT_TERMINAL_PROMPT: "0",
  };
}

/** git in a directory; its output, or an error with its words. */
export function gitAt(cwd: string, home: string, ...words: string[]): Buffer {
  return execFileSync("git", words, {
    cwd,
    env: gitEnv(home),
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  });
}

/** Whether git succeeds; what it says does not matter. */
export function gitTries(cwd: string, home: string, ...words: string[]): boolean {
  try {
    gitAt(cwd, home, ...words);
    return true;
  } catch {
    return false;
  }
}

export function put(top: string, path: string, bytes: string | Uint8Array, mode = 0o644): void {
  const place = join(top, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, bytes);
  chmodSync(place, mode);
}

/** Names of the files in the template. */
export const FILES = [
  "README.md",
  "src/a.txt",
  "src/b.txt",
  "src/deep/c.txt",
  "dir/x",
  "dir/y",
  "bin.dat",
  "big.txt",
  "run.sh",
  "crlf.txt",
  "sp ace.txt",
  "new\nline.txt",
  "ünï.txt",
] as const;

/** Make the template in a directory: `R` on main with one commit, and a home beside it. */
export function makeTemplate(base: string): void {
  const [root, home] = [join(base, "R"), join(base, "home")];
  mkdirSync(root);
  mkdirSync(home);
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = t\n\temail = t@example.invalid\n[commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n" +
      '[protocol "file"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n',
  );
  for (const name of FILES) put(root, name, `${name}\none\ntwo\nthree\n`, name === "run.sh" ? 0o755 : 0o644);
  put(
    root,
    "bin.dat",
    Uint8Array.from({ length: 1024 }, (_, index) => (index * 7) & 0xff),
  );
  put(root, "big.txt", Array.from({ length: 4000 }, (_, index) => `line ${index}\n`).join(""));
  put(root, "crlf.txt", "one\r\ntwo\r\n");
  put(root, ".gitignore", "*.log\n.env\nignored/\nnode_modules/\n*.sqlite\n");
  put(root, ".gitattributes", "*.txt text=auto\n");
  symlinkSync("README.md", join(root, "link"));
  gitAt(root, home, "init", "-q", "-b", "main");
  gitAt(root, home, "add", "--all");
  gitAt(root, home, "commit", "-q", "-m", "one");
}

/** A copy of the template. */
export function copyTemplate(template: string, base: string): { root: string; home: string } {
  for (const name of ["R", "home"]) {
    cpSync(join(template, name), join(base, name), { recursive: true, verbatimSymlinks: true });
  }
  return { root: join(base, "R"), home: join(base, "home") };
}
