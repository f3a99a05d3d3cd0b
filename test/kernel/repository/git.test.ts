import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GitError, git, gitOrThrow, gitRecords, gitText } from "../../../src/kernel/repository/git.ts";
import { gitEnvironment } from "../../../src/kernel/repository/git-environment.ts";

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "jig-git-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const hostWith = (env: Record<string, string | undefined> = {}) => ({
  cwd: directory,
  platform: process.platform,
  env: { ...process.env, ...env },
});

/** A program called git, alone in front of PATH. */
function stub(script: string) {
  const bin = join(directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, "git"), 0o755);
  return hostWith({ PATH: `${bin}:${process.env["PATH"]}` });
}

/** The state letter `ps` gives; empty when there is no such process. */
function stateOf(pid: number): string {
  return spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.slice(0, 1);
}

const failureOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GitError);
  return error as GitError;
};

describe("git", () => {
  test("gives exit code, bytes and words of the call", async () => {
    const host = hostWith();
    expect(await git(host, ["init", "-q", "-b", "main"])).toMatchObject({ exitCode: 0, stderr: "" });
    writeFileSync(join(directory, "a\nb é.txt"), "x");
    const status = await gitOrThrow(host, ["status", "--porcelain", "-z"]);
    expect(gitRecords(status.stdout)).toEqual(["?? a\nb é.txt"]);
    expect(gitText(await git(host, ["rev-parse", "--show-toplevel"]))).toBe(directory);
    const refused = await git(host, ["rev-parse", "--verify", "nosuch"]);
    expect(refused.exitCode).toBe(128);
    expect(refused.stderr).toContain("fatal: ");
    await expect(gitOrThrow(host, ["rev-parse", "--verify", "nosuch"])).rejects.toThrow(
      /git rev-parse failed in .*fatal/,
    );
  });

  test("passes stdin", async () => {
    const hashed = await git(hostWith(), ["hash-object", "--stdin"], { input: "hello\n" });
    expect(gitText(hashed)).toBe("ce013625030ba8dba906f756967f9e9ca394464a");
  });

  test("works in the directory whatever the environment redirects to", async () => {
    const other = join(directory, "other");
    mkdirSync(other);
    await git({ ...hostWith(), cwd: other }, ["init", "-q"]);
    const here = join(directory, "here");
    mkdirSync(here);
    await git({ ...hostWith(), cwd: here }, ["init", "-q"]);
    const env = {
      GIT_DIR: join(other, ".git"),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, "index"),
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "core.worktree",
      GIT_CONFIG_VALUE_0: other,
      GIT_CONFIG_KEY_1: "user.name",
      GIT_CONFIG_VALUE_1: "kept",
    };
    const host = { ...hostWith(env), cwd: here };
    expect(gitText(await git(host, ["rev-parse", "--show-toplevel"]))).toBe(here);
    expect(gitText(await git(host, ["config", "user.name"]))).toBe("kept");
    expect(gitText(await git(host, ["config", "user.name"], { config: { "user.name": "mine" } }))).toBe(
      "mine",
    );
  });

  test("arguments are never a shell's", async () => {
    const host = stub('printf "%s\\0" "$@"');
    expect(gitRecords((await git(host, ["config", "$(id)", "a b", ";", "*"])).stdout)).toEqual([
      "config",
      "$(id)",
      "a b",
      ";",
      "*",
    ]);
  });

  test("is not asked, paged, coloured, translated", () => {
    const env = gitEnvironment({
      env: { LANG: "de_DE", GIT_SSH_COMMAND: "ssh -i k", GIT_DIR: "/x", KEEP: "1" },
    });
    expect(env).toMatchObject({
      LC_ALL: "C",
      KEEP: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_SSH_COMMAND: "ssh -i k -o BatchMode=yes",
      GIT_ASKPASS: "true",
    });
    expect(env["GIT_DIR"]).toBeUndefined();
    expect(gitEnvironment({ env: { GIT_SSH_COMMAND: "ssh -oBatchMode=no" } })["GIT_SSH_COMMAND"]).toBe(
      "ssh -oBatchMode=no",
    );
  });

  test("a missing git and a missing directory are told apart", async () => {
    expect((await failureOf(git(hostWith({ PATH: join(directory, "none") }), ["status"]))).failure).toBe(
      "missing",
    );
    const gone = git(hostWith(), ["status"], { cwd: join(directory, "gone") });
    expect((await failureOf(gone)).failure).toBe("directory");
    writeFileSync(join(directory, "git"), "#!/nonexistent/interpreter\n");
    chmodSync(join(directory, "git"), 0o755);
    expect((await failureOf(git(hostWith({ PATH: directory }), ["status"]))).failure).toBe("cannot-start");
  });

  test("a git of a relative PATH entry is not run: a checkout could plant it", async () => {
    stub("echo planted");
    expect((await failureOf(git(hostWith({ PATH: "bin:." }), ["status"]))).failure).toBe("missing");
  });

  test("is killed with its children when time is up", async () => {
    const host = stub(`sleep 60 & echo $! > ${directory}/child; trap '' TERM; sleep 60`);
    const error = await failureOf(git(host, ["clone"], { timeoutMs: 300 }));
    expect(error.failure).toBe("timeout");
    expect(error.message).toBe("git clone timed out after 0.3s");
    const child = Number(readFileSync(join(directory, "child"), "utf8"));
    await expect.poll(() => stateOf(child)).toMatch(/^Z?$/);
  });

  test("is stopped by the caller's signal", async () => {
    const abort = new AbortController();
    const call = git(stub("sleep 60"), ["fetch"], { signal: abort.signal });
    abort.abort();
    expect((await failureOf(call)).failure).toBe("cancelled");
  });

  test("too much output is refused, not kept", async () => {
    const error = await failureOf(git(stub("yes"), ["rev-list"], { maxBytes: 1000 }));
    expect(error.failure).toBe("output-too-large");
  });

  test("much on stderr does not block it", async () => {
    const result = await git(stub("yes | head -c 300000 >&2; echo done"), ["rev-list"]);
    expect(gitText(result)).toBe("done");
    expect(result.stderr.length).toBeLessThanOrEqual(65_536);
  });

  test("a git that does not take settings by variable is not let at a repository", async () => {
    // What 2.25 answers, and what 2.30 does.
    const old = stub("echo 'error: unknown option `show-scope' >&2; exit 129");
    expect((await failureOf(git(old, ["status"]))).failure).toBe("too-old");
    rmSync(join(directory, "bin"), { recursive: true });
    const deaf = stub("printf 'global\\0user.name\\nx\\0'");
    const error = await failureOf(git(deaf, ["ls-files", "-z"]));
    expect([error.failure, error.hint]).toEqual(["too-old", "install git 2.31 or later"]);
  });

  test("an end by signal reads as 128+n", async () => {
    expect((await git(stub("kill -9 $$"), ["rev-list"])).exitCode).toBe(137);
  });
});

test("records are cut on NUL alone", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(gitRecords(bytes(""))).toEqual([]);
  expect(gitRecords(bytes("a\0b\nc\0"))).toEqual(["a", "b\nc"]);
  expect(gitRecords(bytes("a\0\0b\0"))).toEqual(["a", "", "b"]);
});
