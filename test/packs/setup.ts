import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Terminal } from "../../src/kernel/call/outcome.ts";
import group from "../../src/packs/command.ts";
import type { PacksResolved } from "../../src/packs/schema.ts";
import { testHost } from "../support/host.ts";
import { type RoomOutput, runRoom } from "../support/room.ts";
import { testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

export interface PacksRepository {
  /** Holds everything of the test. */
  base: string;
  /** The repository. */
  root: string;
  cache: string;
  env: Record<string, string | undefined>;
  /** Write `config.yaml`. */
  team(...lines: string[]): void;
  /** Write `config.local.yaml`. */
  local(...lines: string[]): void;
  /** Run `jig packs …` in it. */
  packs(...words: string[]): Promise<RoomOutput>;
  /** `packs resolve`, parsed. */
  resolve(...words: string[]): Promise<PacksResolved>;
  /** Put a program called git first on PATH that notes its arguments and runs the script, or git when it gives none. */
  stubGit(script?: string): { calls(): string[] };
}

export const RULE = "---\ntitle: A rule\napplies_when:\n  - always\n---\n\nText.\n";

/** Write a minimal rule-shaped file. */
export function rule(directory: string, name = "r.md", text = RULE): void {
  write(join(directory, name), text);
}

export function write(path: string, text = ""): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function git(cwd: string, ...words: string[]): string {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, ...words], {
    cwd,
    env: testEnv({ HOME: cwd }),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** A repository to take packs from, made by `fill`, committed and tagged `v1`. */
export function packSource(path: string, fill: (root: string) => void): { url: string; commit: string } {
  mkdirSync(path, { recursive: true });
  git(path, "init", "-q");
  fill(path);
  git(path, "add", "-A");
  git(path, "commit", "-q", "-m", "packs");
  git(path, "tag", "v1");
  return { url: `file://${path}`, commit: git(path, "rev-parse", "HEAD") };
}

/** A fresh repository, removed after the test. */
export function repository(): PacksRepository {
  const base = tempDir();
  const root = join(base, "repo");
  mkdirSync(join(root, ".compound-engineering"), { recursive: true });
  git(root, "init", "-q");
  const cache = join(base, "cache");
  const env: PacksRepository["env"] = testEnv({ HOME: base, CE_PACKS_CACHE_ROOT: cache });
  const config = (name: string, lines: string[]) =>
    writeFileSync(join(root, ".compound-engineering", name), lines.map((line) => `${line}\n`).join(""));
  const packs = (...words: string[]) => runPacks(root, env, words);
  return {
    base,
    root,
    cache,
    env,
    team: (...lines) => config("config.yaml", lines),
    local: (...lines) => config("config.local.yaml", lines),
    packs,
    resolve: async (...words) => {
      const { code, stdout, stderr } = await packs("resolve", ...words);
      if (code !== 0 || stderr !== "") throw new Error(`exit ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    stubGit: (script = "") => {
      const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
      const log = join(base, "git-calls");
      write(
        join(base, "stub/git"),
        `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\n${script}\nexec ${real} "$@"\n`,
      );
      chmodSync(join(base, "stub/git"), 0o755);
      env["PATH"] = `${join(base, "stub")}${delimiter}${env["PATH"]}`;
      return {
        calls: () =>
          existsSync(log)
            ? readFileSync(log, "utf8")
                .trimEnd()
                .split("\n")
                .map((line) => line.split(" ")[0]!)
            : [],
      };
    },
  };
}

export function runPacks(
  cwd: string,
  env: Record<string, string | undefined>,
  words: readonly string[],
  terminal?: Terminal,
): Promise<RoomOutput> {
  return runRoom(group, words, testHost({ cwd, env, home: env["HOME"] }), terminal);
}
