import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cacheKey } from "../../src/packs/sources/cache.ts";
import { canMount, smallDisk } from "../support/disk.ts";
import { JIG } from "../support/paths.ts";
import { runJig, startJig, until } from "../support/run.ts";
import { git, type PacksRepository, packSource, repository, rule } from "./setup.ts";

const jig = (repo: PacksRepository, ...args: string[]) => runJig(args, { cwd: repo.root, env: repo.env });

const cached = ({ cache }: PacksRepository) => (existsSync(cache) ? readdirSync(cache).sort() : []);

function declaring(ref: string) {
  const repo = repository();
  const source = join(repo.base, "G");
  const { url } = packSource(source, (root) => rule(join(root, "a")));
  repo.team("packs:", `  - source: ${url}`, `    ref: ${ref}`);
  return { ...repo, source, url };
}

describe("the binary", () => {
  test("under its upstream name takes that name's flags and prints one JSON object", async () => {
    const repo = repository();
    rule(join(repo.root, "p"));
    repo.team("packs:", "  - source: p");
    const as = (...args: string[]) =>
      runJig(args, { cwd: repo.root, env: repo.env, argv0: "/somewhere/packs-resolve.py" });
    const resolved = await as();
    expect(resolved).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(resolved.stdout)).toMatchObject({ roots: [{ id: "p" }], entries: 1 });
    expect((await jig(repo, "packs", "resolve")).stdout).toBe(resolved.stdout);
    expect(JSON.parse((await as("--declared-only")).stdout)).toEqual({
      declared: true,
      entries: 1,
      errors: [],
    });
    expect(await as("--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("--declared-only") });
    expect(await as("--bogus")).toMatchObject({ code: 2, stdout: "" });
  });

  test("packs-38 twenty processes at once agree on one checkout", async () => {
    const repo = declaring("v1");
    const runs = await Promise.all(Array.from({ length: 20 }, () => jig(repo, "packs", "resolve")));
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
    expect(JSON.parse(runs[0]!.stdout)).toMatchObject({ roots: [{ id: "a" }], warnings: [], errors: [] });
    expect(cached(repo)).toEqual([await cacheKey(repo.url, "v1")]);
  }, 60_000);

  test("interrupted while it fetches, it ends git and leaves nothing", async () => {
    const repo = declaring("v1");
    const pid = join(repo.base, "pid");
    repo.stubGit(`case "$1" in clone) echo $$ >'${pid}'; sleep 60;; esac`);
    const child = startJig(["packs", "resolve"], { cwd: repo.root, env: repo.env });
    const ended = new Promise((resolve) => child.on("close", resolve));
    await until("the clone to begin", () => existsSync(pid) && readFileSync(pid, "utf8").trim() !== "");
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(cached(repo)).toEqual([]);
    expect(existsSync(`/proc/${readFileSync(pid, "utf8").trim()}`)).toBe(false);
  });

  test("killed with a clone in its hands, it leaves no checkout that is not whole", async () => {
    const repo = declaring("v1");
    const path = repo.env["PATH"];
    // The stub is a shell started by jig, so its parent is jig: once before the clone, once after it.
    for (const clone of ["", `PATH="\${PATH#*:}" git "$@";`]) {
      repo.stubGit(`case "$1" in clone) ${clone} kill -9 $PPID; exit 1;; esac`);
      expect((await jig(repo, "packs", "resolve")).signal).toBe("SIGKILL");
      expect(cached(repo).every((name) => name.includes(".part-"))).toBe(true);
      repo.env["PATH"] = path;
    }
    const { roots, warnings } = JSON.parse((await jig(repo, "packs", "resolve")).stdout);
    expect([roots[0].id, warnings]).toEqual(["a", []]);
    expect(cached(repo).filter((name) => !name.includes(".part-"))).toHaveLength(1);
  });

  test.skipIf(!canMount)("a full disk is a warning and leaves nothing behind", async () => {
    const repo = declaring("v2");
    writeFileSync(join(repo.source, "large"), randomBytes(200_000));
    git(repo.source, "add", "-A");
    git(repo.source, "commit", "-q", "-m", "large");
    git(repo.source, "tag", "v2");
    const disk = smallDisk("128k");
    repo.env["CE_PACKS_CACHE_ROOT"] = disk;
    const { code, stdout } = await jig(repo, "packs", "resolve");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      roots: [],
      warnings: [expect.stringMatching(/cannot fetch `v2`.*source skipped$/)],
      errors: [],
    });
    expect(readdirSync(disk)).toEqual([]);
  });

  test("hostile config files are refused at once, in little memory", async () => {
    const repo = repository();
    const path = join(repo.root, ".compound-engineering/config.yaml");
    const attempt = async (...args: string[]) => {
      const limited = `ulimit -v 6000000; exec "$0" "$@"`;
      const run = spawnSync("/bin/sh", ["-c", limited, JIG, ...args], {
        cwd: repo.root,
        env: repo.env as NodeJS.ProcessEnv,
        encoding: "utf8",
        timeout: 20_000,
      });
      return { code: run.status, stdout: run.stdout, stderr: run.stderr };
    };
    writeFileSync(path, "a: 1\n");
    truncateSync(path, 64 << 20);
    const huge = await attempt("config", "get", "plan_output");
    expect(huge).toMatchObject({ code: 1, stdout: "" });
    expect(huge.stderr).toContain("is too large");
    const packs = JSON.parse((await attempt("packs", "resolve")).stdout);
    expect(packs.errors).toEqual([expect.stringContaining("is too large")]);
    const bomb = ["a: &a [x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg", "gh"]) {
      bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]`);
    }
    writeFileSync(path, bomb.join("\n"));
    const refused = await attempt("config", "get", "feedback_sources");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("more than 100 alias expansions");
    mkdirSync(join(repo.root, "p"));
    rule(join(repo.root, "p"));
    writeFileSync(path, `${bomb.join("\n")}\npacks:\n  - source: p\n`);
    expect(JSON.parse((await attempt("packs", "resolve")).stdout).roots).toMatchObject([{ id: "p" }]);
  });
});
