import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { compareWithEmpty, measureInTurns } from "./measure.ts";
import type { Bench, BenchRow } from "./types.ts";

const RULE =
  "---\ntitle: Name things for what they mean\napplies_when:\n  - writing code\n---\n\nText of the rule.\n";

function git(cwd: string, ...words: string[]): void {
  const identity = [
    "-c",
    "user.name=bench",
    "-c",
    "user.email=bench@example.com",
    "-c",
    "init.defaultBranch=main",
  ];
  execFileSync("git", [...identity, ...words], { cwd, stdio: "ignore" });
}

function repository(path: string, config: string): string {
  mkdirSync(join(path, ".compound-engineering"), { recursive: true });
  git(path, "init", "-q");
  writeFileSync(join(path, ".compound-engineering/config.yaml"), config);
  return path;
}

function files(directory: string, count: number, text: string): void {
  mkdirSync(directory, { recursive: true });
  for (let index = 0; index < count; index++) writeFileSync(join(directory, `r${index}.md`), text);
}

const TEN = Array.from({ length: 10 }, (_, index) => `p${index}`);
const declareTen = `packs:\n${TEN.map((name) => `  - source: ${name}\n`).join("")}`;

const pathPacks: Bench = {
  name: "ten path packs of 1,000 files",
  async run({ jig, empty, tempDir }) {
    const rows: BenchRow[] = [];
    for (const [kind, rules] of [
      ["all rules", 1000],
      ["100 rules, the rest storage", 100],
    ] as const) {
      const root = repository(join(tempDir, `ten-${rules}`), declareTen);
      for (const name of TEN) {
        files(join(root, name), rules, RULE);
        files(join(root, name, "sources/2026"), 1000 - rules, "# Notes\n");
      }
      rows.push(
        ...compareWithEmpty(empty, [[`resolve, ${kind}`, [jig, "packs", "resolve"]]], { cwd: root }, 11),
      );
      const [grep] = measureInTurns([["grep", "-rl", "applies_when:", ...TEN]], { cwd: root }, 11);
      rows.push({ figure: `(for scale) grep -rl through them, CPU`, value: grep!.cpu, unit: "ms" });
    }
    return rows;
  },
};

const gitPacks: Bench = {
  name: "a git pack",
  async run({ jig, empty, tempDir }) {
    const source = join(tempDir, "source");
    files(join(source, "web"), 100, RULE);
    git(source, "init", "-q");
    git(source, "add", "-A");
    git(source, "commit", "-q", "-m", "packs");
    git(source, "tag", "v1");
    const root = repository(join(tempDir, "git-pack"), `packs:\n  - source: file://${source}\n    ref: v1\n`);
    const env = { CE_PACKS_CACHE_ROOT: join(tempDir, "cache") };
    execFileSync(jig, ["packs", "resolve"], { cwd: root, env: { ...process.env, ...env }, stdio: "ignore" });
    const rows = compareWithEmpty(
      empty,
      [
        ["resolve, cached", [jig, "packs", "resolve"]],
        ["resolve --declared-only", [jig, "packs", "resolve", "--declared-only"]],
      ],
      { cwd: root, env },
    );
    const stub = join(tempDir, "stub");
    const log = join(tempDir, "git-calls");
    const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    mkdirSync(stub);
    writeFileSync(join(stub, "git"), `#!/bin/sh\necho "$1" >>'${log}'\nexec ${real} "$@"\n`);
    chmodSync(join(stub, "git"), 0o755);
    const path = `${stub}${delimiter}${process.env["PATH"]}`;
    execFileSync(jig, ["packs", "resolve"], {
      cwd: root,
      env: { ...process.env, ...env, PATH: path },
      stdio: "ignore",
    });
    const calls = readFileSync(log, "utf8").trimEnd().split("\n").length;
    rows.push({
      figure: "git calls of a cached resolve (the one finds the root)",
      value: calls,
      unit: "calls",
    });
    return rows;
  },
};

/** Highest resident memory of a run, in MiB; the exit code does not matter. */
function peakMemory(command: readonly string[], cwd: string): number {
  const run = Bun.spawnSync([...command], { cwd, stdout: "ignore", stderr: "ignore" });
  return run.resourceUsage!.maxRSS / (1 << 20);
}

const config: Bench = {
  name: "config",
  async run({ jig, empty, tempDir }) {
    const none = repository(join(tempDir, "config-none"), "# plan_output: html\n");
    const some = repository(join(tempDir, "config-some"), "plan_output: html\n");
    const rows: BenchRow[] = [];
    for (const [name, cwd] of [
      ["all comments", none],
      ["one key", some],
    ] as const) {
      rows.push(
        ...compareWithEmpty(empty, [[`get, ${name}`, [jig, "config", "get", "plan_output"]]], { cwd }, 11),
      );
    }
    const plain = peakMemory([jig, "config", "get", "plan_output"], some);
    const bomb = `${["a: &a [x]", ..."bcdefghij"]
      .map((key, index) =>
        index === 0 ? key : `${key}: &${key} [${Array(9).fill(`*${"abcdefghij"[index - 1]}`)}]`,
      )
      .join("\n")}\n`;
    const huge = repository(join(tempDir, "config-huge"), "a: 1\n");
    truncateSync(join(huge, ".compound-engineering/config.yaml"), 64 << 20);
    for (const [name, cwd] of [
      ["64 MiB", huge],
      ["alias bomb", repository(join(tempDir, "config-bomb"), bomb)],
      ["1 MiB of list", repository(join(tempDir, "config-list"), `a: [${"1,".repeat(520_000)}]\n`)],
      ["1 MiB of depth", repository(join(tempDir, "config-deep"), `a: ${"[".repeat(1_000_000)}\n`)],
    ] as const) {
      const value = peakMemory([jig, "config", "get", "work_engine_preferences"], cwd);
      rows.push({
        figure: `refuse ${name}, peak memory`,
        value,
        unit: "MiB",
        baseline: "get of one key",
        baselineValue: plain,
      });
    }
    return rows;
  },
};

export const benches: Bench[] = [pathPacks, gitPacks, config];
