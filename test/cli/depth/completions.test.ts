import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { completionTree } from "../../../src/cli/completions/completable.ts";
import { renderFish } from "../../../src/cli/completions/fish.ts";
import { renderBash, renderZsh } from "../../../src/cli/completions/posix.ts";
import { renderPowerShell } from "../../../src/cli/completions/powershell.ts";
import { testEnv } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { ROOMS } from "./rooms.ts";

const tree = await completionTree(ROOMS);
const has = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** A directory with a `jig` that lists two records. */
function withJig(): string {
  const directory = tempDir();
  const jig = join(directory, "jig");
  writeFileSync(jig, `#!/bin/sh\n[ "$*" = "made list" ] && printf 'x\\trec-1\\nx\\trec-2\\n'\n`);
  chmodSync(jig, 0o755);
  return directory;
}

/** A script in a file, and the environment in which its `jig` is found. */
function prepared(name: string, script: string) {
  const directory = withJig();
  mkdirSync(join(directory, "home"));
  const file = join(directory, name);
  writeFileSync(file, script);
  const env = testEnv({ PATH: `${directory}:${process.env["PATH"]}`, HOME: join(directory, "home") });
  return { file, env };
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const { stdout, stderr } = spawnSync(program, args, { env, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter(Boolean);
}

function bash(line: string): string[] {
  const { file, env } = prepared("jig.bash", renderBash(tree));
  const words = line.split(" ");
  const array = words.map((word) => `'${word}'`).join(" ");
  const program = `source '${file}'; COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _jig; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run("bash", ["--norc", "-c", program], env);
}

/** zsh's own completion needs a terminal; its candidates are caught where the script hands them over. */
function zsh(line: string): string[] {
  const { file, env } = prepared("jig.zsh", renderZsh(tree));
  const words = line.split(" ").map((word) => `'${word}'`);
  const program = `compdef() { :; }; compadd() { shift; printf '%s\\n' "$@"; }; _files() { echo files "$@"; }; source '${file}'; words=(${words.join(" ")}); CURRENT=${words.length}; _jig`;
  const typed = line.split(" ").at(-1)!;
  return run("zsh", ["-f", "-c", program], env).filter((word) => word.startsWith(typed));
}

function fish(line: string): string[] {
  const { file, env } = prepared("jig.fish", renderFish(tree));
  const program = `source '${file}'; complete -C '${line}'`;
  return run("fish", ["--no-config", "-c", program], env).map((row) => row.split("\t")[0]!);
}

const SHELLS: [string, (line: string) => string[]][] = [
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
];

describe.each(SHELLS)("%s completes at every depth", (shell, complete) => {
  const sorted = (line: string) => complete(line).sort();

  test.skipIf(!has(shell))("words of groups, flags, choices and what a room lists", () => {
    expect(sorted("jig ")).toEqual(["made", "plain"]);
    expect(sorted("jig made ")).toEqual(["ledger", "other", "ping"]);
    expect(sorted("jig made led")).toEqual(["ledger"]);
    expect(sorted("jig made ledger ")).toEqual(["append", "deep"]);
    expect(sorted("jig made ledger deep ")).toEqual(["leaf"]);
    expect(sorted("jig made ledger append --st")).toEqual(["--style"]);
    expect(sorted("jig made ledger append --style ")).toEqual(["js", "plain"]);
    expect(sorted("jig made ledger append rec")).toEqual(["rec-1", "rec-2"]);
    expect(sorted("jig made ledger deep leaf --")).toEqual(["--help", "--json", "--n"]);
    // A flag may stand before the verb; a word that is none leads nowhere.
    expect(sorted("jig made --json ledger ")).toEqual(["append", "deep"]);
    expect(sorted("jig nosuch ")).toEqual([]);
    expect(sorted("jig made nosuch ")).toEqual([]);
    // The words of a command are no places of the tree.
    expect(sorted("jig made ledger append append rec")).toEqual(["rec-1", "rec-2"]);
  });
});

test("PowerShell's tables have every group and command", () => {
  const script = renderPowerShell(tree);
  expect(script).toContain("'' = @('made', 'plain')");
  expect(script).toContain("'made ledger' = @('append', 'deep')");
  expect(script).toContain(
    "'made ledger append' = @{ flags = @('--style', '--tag', '--loud', '--json', '--help')",
  );
  expect(script).toContain("lists = 'made list'; column = 1 }");
});

test("a kind that no room completes is a mistake in a declaration", async () => {
  const without = ROOMS.map(({ completes: _, ...room }) => room);
  await expect(completionTree(without)).rejects.toThrow("no room completes 'record'");
});
