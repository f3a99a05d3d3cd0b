import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import group from "../../src/config/command.ts";
import type { ConfigValue } from "../../src/config/schema.ts";
import type { Terminal } from "../../src/kernel/call/outcome.ts";
import { testHost } from "../support/host.ts";
import { type RoomOutput, runRoom } from "../support/room.ts";
import { testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

export interface ConfigRepository {
  root: string;
  /** Write `config.yaml`. */
  team(...lines: string[]): void;
  /** Write `config.local.yaml`. */
  local(...lines: string[]): void;
  /** Run `jig config …` in it. */
  config(...words: string[]): Promise<RoomOutput>;
  /** As `config`, with `--json`, which must have given a document. */
  json<Report = ConfigValue>(...words: string[]): Promise<Report>;
  git(...words: string[]): string;
}

export function git(cwd: string, ...words: string[]): string {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, ...words], { cwd, env: testEnv({ HOME: cwd }), encoding: "utf8" });
}

export function runConfig(cwd: string, words: readonly string[], terminal?: Terminal): Promise<RoomOutput> {
  return runRoom(group, words, testHost({ cwd, env: testEnv({ HOME: cwd }) }), terminal);
}

/** A fresh repository, removed after the test. */
export function repository(): ConfigRepository {
  const root = join(tempDir(), "repo");
  mkdirSync(join(root, ".compound-engineering"), { recursive: true });
  git(root, "init", "-q");
  const write = (name: string, lines: string[]) =>
    writeFileSync(join(root, ".compound-engineering", name), lines.map((line) => `${line}\n`).join(""));
  return {
    root,
    team: (...lines) => write("config.yaml", lines),
    local: (...lines) => write("config.local.yaml", lines),
    config: (...words) => runConfig(root, words),
    json: async (...words) => {
      const { stdout, stderr } = await runConfig(root, [...words, "--json"]);
      if (stdout === "") throw new Error(`no JSON: ${stderr}`);
      return JSON.parse(stdout);
    },
    git: (...words) => git(root, ...words),
  };
}
