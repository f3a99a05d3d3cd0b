import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cacheKey } from "../../src/packs/sources/cache.ts";
import { gitTimeoutSeconds } from "../../src/packs/sources/fetch.ts";
import { until } from "../support/run.ts";
import { git, type PacksRepository, packSource, RULE, repository, rule, write } from "./setup.ts";

const ids = ({ roots }: { roots: { id: string }[] }) => roots.map(({ id }) => id);

/** Names in the cache, checkouts and leftovers alike. */
const cached = ({ cache }: PacksRepository) => (existsSync(cache) ? readdirSync(cache).sort() : []);

/** A repository that declares a git source made by `fill`. */
function declaring(fill: (root: string) => void, ...more: string[]) {
  const repo = repository();
  const source = packSource(join(repo.base, "G"), fill);
  const declare = (ref: string, ...lines: string[]) =>
    repo.team(
      "packs:",
      `  - source: ${source.url}`,
      `    ref: ${ref}`,
      ...lines.map((line) => `    ${line}`),
    );
  declare("v1", ...more);
  return { ...repo, ...source, declare, source: join(repo.base, "G") };
}

describe("git sources", () => {
  test("packs-20 are checked out once under the hash of url and ref", async () => {
    const repo = declaring((root) => rule(join(root, "packs/rails")), "path: packs");
    const key = createHash("sha256").update(`${repo.url}\nv1`).digest("hex");
    expect(await repo.resolve()).toEqual({
      roots: [
        {
          id: "rails",
          dir: join(repo.cache, key, "packs/rails"),
          nested_rule_shaped: 0,
          url: repo.url,
          ref: "v1",
        },
      ],
      warnings: [],
      errors: [],
      entries: 1,
    });
    expect(cached(repo)).toEqual([key]);
    expect(await cacheKey(repo.url, "v1")).toBe(key);
    const stub = repo.stubGit();
    expect(ids(await repo.resolve())).toEqual(["rails"]);
    expect(stub.calls()).toEqual(["rev-parse"]);
  });

  test("packs-21 a single pack is called after its path or its repository", async () => {
    const repo = declaring((root) => {
      rule(root);
      rule(join(root, "packs/rails"));
    });
    expect(ids(await repo.resolve())).toEqual(["G"]);
    repo.declare("v1", "path: packs/rails/");
    expect(ids(await repo.resolve())).toEqual(["rails"]);
  });

  test("packs-22 a commit id is fetched, an unknown ref is a warning", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    repo.declare(repo.commit);
    expect(ids(await repo.resolve())).toEqual(["a"]);
    rule(join(repo.root, "local"));
    repo.team("packs:", `  - source: ${repo.url}`, "    ref: nope", "  - source: local");
    const result = await repo.resolve();
    expect(ids(result)).toEqual(["local"]);
    expect(result.errors).toEqual([]);
    expect(result.warnings).toEqual([
      `config.yaml:2: cannot fetch \`nope\` from ${repo.url}; source skipped`,
    ]);
    expect(cached(repo)).toHaveLength(1);
  });

  test("packs-7 a personal pack cannot displace the team's", async () => {
    const repo = declaring((root) => rule(join(root, "rails")));
    rule(join(repo.root, "mine/rails"));
    repo.local("packs:", "  - source: mine/rails");
    const result = await repo.resolve();
    expect(result.roots).toMatchObject([{ id: "rails", url: repo.url }]);
    expect(result.errors).toEqual([
      "duplicate pack id `rails`: config.local.yaml:2 ignored, config.yaml:2 kept -- rename one with `id:`",
    ]);
    repo.local("packs:", "  - source: mine/rails", "    id: my-rails");
    expect(await repo.resolve()).toMatchObject({ roots: [{ id: "rails" }, { id: "my-rails" }], errors: [] });
  });

  test("packs-24 path stays in the checkout and has to exist", async () => {
    const repo = declaring((root) => {
      rule(join(root, "a"));
      symlinkSync("/etc", join(root, "etc"));
    });
    for (const path of ["../x", "/etc", "etc", "a/../../.."]) {
      repo.declare("v1", `path: ${path}`);
      expect(await repo.resolve()).toMatchObject({
        roots: [],
        errors: [`config.yaml:2: path \`${path}\` escapes the source checkout`],
      });
    }
    repo.declare("v1", "path: zzz");
    expect((await repo.resolve()).errors).toEqual([
      `config.yaml:2: path \`zzz\` does not exist in ${repo.url}@v1`,
    ]);
  });

  test("packs-26 a link out of the source is skipped, honest packs publish", async () => {
    const repo = declaring((root) => {
      rule(join(root, "../outside/leak"));
      rule(join(root, "honest"));
      symlinkSync(join(root, "../outside/leak"), join(root, "leak"));
    });
    const result = await repo.resolve();
    expect(ids(result)).toEqual(["honest"]);
    expect(result.errors).toEqual([]);
    expect(result.warnings).toEqual([
      `config.yaml:2: skipped \`leak\` in \`${repo.url}\` -- it links outside the source`,
    ]);
  });

  test("packs-27 a pack with a link out of the source is refused, its sibling publishes", async () => {
    const repo = declaring((root) => {
      rule(join(root, "../outside"), "keys.md");
      rule(join(root, "honest"));
      rule(join(root, "clean"));
      mkdirSync(join(root, "honest/resources"));
      symlinkSync(join(root, "../outside/keys.md"), join(root, "honest/resources/keys.md"));
    });
    const result = await repo.resolve();
    expect(ids(result)).toEqual(["clean"]);
    expect(result.errors).toEqual([
      "config.yaml:2: pack `honest` not published -- `resources/keys.md` link(s) outside the source",
    ]);
  });

  test("packs-19 a tree URL that cannot be fetched gets a second warning", async () => {
    const { team, resolve, stubGit } = repository();
    stubGit('case "$1" in clone|fetch) exit 128;; esac');
    team("packs:", "  - source: https://github.com/o/r/tree/feature/x/packs");
    expect((await resolve()).warnings).toEqual([
      "config.yaml:2: cannot fetch `feature` from https://github.com/o/r; source skipped",
      "config.yaml:2: if the branch name contains `/`, tree-URL parsing splits it wrong -- use explicit `ref:` and `path:` fields",
    ]);
    team("packs:", "  - source: https://github.com/o/r/tree/main/packs", "    ref: v9");
    expect((await resolve()).errors[0]).toContain("tree URL pins ref `main`");
  });
});

describe("the cache", () => {
  test("packs-25 a planted symlink is replaced, never followed", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    const target = join(repo.base, "target");
    rule(join(target, "evil"));
    mkdirSync(repo.cache);
    const path = join(repo.cache, await cacheKey(repo.url, "v1"));
    symlinkSync(target, path);
    const result = await repo.resolve();
    expect(result.warnings).toEqual([
      `config.yaml:2: cached checkout ${path} is a symlink or not owned by this user; refetching`,
    ]);
    expect(result.roots).toMatchObject([{ id: "a", dir: join(path, "a") }]);
    expect(lstatSync(path).isDirectory()).toBe(true);
    expect(readdirSync(target)).toEqual(["evil"]);
  });

  test("a planted file is replaced", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    const path = join(repo.cache, await cacheKey(repo.url, "v1"));
    write(path, "planted");
    expect((await repo.resolve()).warnings[0]).toContain("refetching");
    expect(ids(await repo.resolve())).toEqual(["a"]);
  });

  test.skipIf(process.geteuid?.() !== 0)(
    "another user's checkout is removed without following links",
    async () => {
      const repo = declaring((root) => rule(join(root, "a")));
      const path = join(repo.cache, await cacheKey(repo.url, "v1"));
      const target = join(repo.base, "target");
      rule(target);
      rule(join(path, "evil"));
      symlinkSync(target, join(path, "link"));
      chownSync(path, 12345, 12345);
      const result = await repo.resolve();
      expect(ids(result)).toEqual(["a"]);
      expect(result.warnings[0]).toContain("refetching");
      expect(readdirSync(target)).toEqual(["r.md"]);
    },
  );

  test("a leftover of a crash is no hit", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    const key = await cacheKey(repo.url, "v1");
    rule(join(repo.cache, `${key}.part-0123456789abcdef/half`));
    expect(ids(await repo.resolve())).toEqual(["a"]);
  });

  test("packs-38 twenty resolves at once agree on one checkout", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    const results = await Promise.all(Array.from({ length: 20 }, () => repo.resolve()));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(ids(results[0]!)).toEqual(["a"]);
    expect(cached(repo)).toEqual([await cacheKey(repo.url, "v1")]);
  });

  test("two entries of one source fetch it once", async () => {
    const repo = declaring((root) => {
      rule(join(root, "a"));
      rule(join(root, "b"));
    });
    const stub = repo.stubGit();
    repo.team(
      "packs:",
      ...["a", "b"].flatMap((id) => [`  - source: ${repo.url}`, "    ref: v1", `    pack: ${id}`]),
    );
    expect(ids(await repo.resolve())).toEqual(["a", "b"]);
    expect(stub.calls().filter((call) => call === "clone")).toHaveLength(1);
  });

  test("is private below the temporary root, and made whole again", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    delete repo.env["CE_PACKS_CACHE_ROOT"];
    repo.env["JIG_TMP_ROOT"] = repo.base;
    const root = join(repo.base, `compound-engineering-${process.geteuid!()}`);
    mkdirSync(join(root, "ce-packs"), { recursive: true });
    chmodSync(join(root, "ce-packs"), 0o755);
    expect(ids(await repo.resolve())).toEqual(["a"]);
    for (const path of [root, join(root, "ce-packs")]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(root, "ce-packs"))).toHaveLength(1);
  });

  test("no usable place for it is a warning, path sources still resolve", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    rule(join(repo.root, "p"));
    repo.local("packs:", "  - source: p");
    write(join(repo.base, "file"));
    repo.env["CE_PACKS_CACHE_ROOT"] = join(repo.base, "file/cache");
    const expected = {
      roots: [{ id: "p" }],
      warnings: ["config.yaml:2: no writable cache root for git sources; source skipped"],
      errors: [],
    };
    expect(await repo.resolve()).toMatchObject(expected);
    delete repo.env["CE_PACKS_CACHE_ROOT"];
    repo.env["JIG_TMP_ROOT"] = repo.base;
    repo.env["TMPDIR"] = join(repo.base, "none");
    symlinkSync(repo.root, join(repo.base, `compound-engineering-${process.geteuid!()}`));
    expect(await repo.resolve()).toMatchObject(expected);
  });
});

describe("fetching", () => {
  test("packs-37 a hanging clone is killed in time, with its children", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    const pids = join(repo.base, "pids");
    repo.stubGit(`case "$1" in clone) sleep 300 & echo "$$ $!" >'${pids}'; wait;; esac`);
    repo.env["CE_PACKS_GIT_TIMEOUT"] = "1";
    expect((await repo.resolve()).warnings).toEqual([
      "config.yaml:2: git clone timed out after 1s; source skipped",
    ]);
    const alive = (pid: string) => {
      try {
        return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
      } catch {
        return false;
      }
    };
    await until("the stub to be gone", () => !readFileSync(pids, "utf8").trim().split(" ").some(alive));
    expect(cached(repo)).toEqual([]);
  });

  test("a remote that never answers is given up on", async () => {
    const sockets = new Set<{ destroy(): void }>();
    const server = createServer((socket) => void sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      const { team, resolve, env } = repository();
      env["CE_PACKS_GIT_TIMEOUT"] = "1.5";
      team("packs:", `  - source: git://127.0.0.1:${port}/r`, "    ref: v1");
      expect((await resolve()).warnings).toEqual([
        "config.yaml:2: git clone timed out after 1s; source skipped",
      ]);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  test("a fetch that hangs after a failed clone is told apart", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    repo.stubGit('case "$1" in clone) exit 1;; fetch) sleep 60;; esac');
    repo.env["CE_PACKS_GIT_TIMEOUT"] = "0.5";
    expect((await repo.resolve()).warnings).toEqual([
      "config.yaml:2: git fetch timed out after 0s; source skipped",
    ]);
  });

  test("runs no hook of the user's template, and asks nothing", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    const template = join(repo.base, "template");
    write(join(template, "hooks/post-checkout"), `#!/bin/sh\ntouch '${repo.base}/hooked'\n`);
    chmodSync(join(template, "hooks/post-checkout"), 0o755);
    write(
      join(repo.base, ".gitconfig"),
      `[init]\n\ttemplateDir = ${template}\n[core]\n\thooksPath = ${template}/hooks\n`,
    );
    repo.stubGit(
      `env | grep -E '^GIT_(TERMINAL_PROMPT|ASKPASS|SSH_COMMAND|DIR|LFS)' | sort >'${repo.base}/env'`,
    );
    repo.env["GIT_DIR"] = "/nowhere";
    expect(ids(await repo.resolve())).toEqual(["a"]);
    expect(existsSync(join(repo.base, "hooked"))).toBe(false);
    expect(readFileSync(join(repo.base, "env"), "utf8").trim().split("\n")).toEqual([
      "GIT_ASKPASS=true",
      "GIT_SSH_COMMAND=ssh -o BatchMode=yes",
      "GIT_TERMINAL_PROMPT=0",
    ]);
  });

  test("an interruption removes the work directory and ends", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    repo.stubGit('case "$1" in clone) sleep 60;; esac');
    const { resolvePacks } = await import("../../src/packs/resolve.ts");
    const { testHost } = await import("../support/host.ts");
    const controller = new AbortController();
    const host = testHost({ cwd: repo.root, env: repo.env, interruption: () => controller.signal });
    const resolving = resolvePacks(host);
    await until("the clone to begin", () => cached(repo).length > 0);
    controller.abort("SIGTERM");
    await expect(resolving).rejects.toMatchObject({ exitCode: 143 });
    expect(cached(repo)).toEqual([]);
  });

  test.each([
    [undefined, 60],
    ["", 60],
    ["x", 60],
    ["0", 60],
    ["-1", 60],
    ["Infinity", 60],
    ["NaN", 60],
    ["0.5", 0.5],
    [" 90 ", 90],
    ["1e9", 2_000_000],
  ])("CE_PACKS_GIT_TIMEOUT=%s is %s seconds", (text, seconds) => {
    expect(gitTimeoutSeconds({ CE_PACKS_GIT_TIMEOUT: text })).toBe(seconds);
  });
});

describe("packs refresh", () => {
  test("packs-23 a branch stays at its first resolution until it is refreshed", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    repo.declare("main");
    expect(ids(await repo.resolve())).toEqual(["a"]);
    rule(join(repo.source, "b"));
    git(repo.source, "add", "-A");
    git(repo.source, "commit", "-q", "-m", "more");
    const commit = git(repo.source, "rev-parse", "HEAD");
    expect(ids(await repo.resolve())).toEqual(["a"]);
    expect(await repo.packs("refresh")).toEqual({
      code: 0,
      stdout: `a  ${repo.commit} -> ${commit}\n`,
      stderr: "",
    });
    expect(ids(await repo.resolve())).toEqual(["a", "b"]);
    expect(await repo.packs("refresh", "b")).toEqual({ code: 0, stdout: "a,b  unchanged\n", stderr: "" });
    expect(cached(repo)).toEqual([await cacheKey(repo.url, "main")]);
    const report = JSON.parse((await repo.packs("refresh", "--json")).stdout);
    expect(report).toEqual([
      {
        ids: ["a", "b"],
        source: repo.url,
        url: repo.url,
        ref: "main",
        status: "unchanged",
        old: commit,
        new: commit,
        reason: null,
      },
    ]);
  });

  test("packs-44 an unknown id fetches nothing; a failure keeps the old checkout", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    await repo.resolve();
    const stub = repo.stubGit();
    const unknown = await repo.packs("refresh", "nope");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain("no pack 'nope'");
    expect(new Set(stub.calls())).toEqual(new Set(["rev-parse"]));
    renameSync(repo.source, `${repo.source}-gone`);
    const failed = await repo.packs("refresh");
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/^a {2}failed: .+\n$/);
    expect(ids(await repo.resolve())).toEqual(["a"]);
    expect(cached(repo)).toHaveLength(1);
  });

  test("fetches what was not cached, sweeps old leftovers, and knows path packs", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    rule(join(repo.root, "p"));
    repo.local("packs:", "  - source: p");
    const key = await cacheKey(repo.url, "v1");
    for (const name of [`${key}.part-old`, `${key}.part-new`, "other.part-old"])
      mkdirSync(join(repo.cache, name), { recursive: true });
    const { utimesSync } = await import("node:fs");
    const old = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(join(repo.cache, `${key}.part-old`), old, old);
    utimesSync(join(repo.cache, "other.part-old"), old, old);
    expect((await repo.packs("refresh")).stdout).toBe(`G  none -> ${repo.commit}\n`);
    expect(cached(repo)).toEqual([key, `${key}.part-new`, "other.part-old"].sort());
    expect((await repo.packs("refresh", "p")).stderr).toContain("path source");
    repo.team("");
    expect(await repo.packs("refresh")).toEqual({ code: 0, stdout: "", stderr: "No git sources declared\n" });
  });

  test("a resolve meanwhile always sees a whole checkout", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    repo.declare("main");
    await repo.resolve();
    let refreshing = true;
    const resolving = (async () => {
      while (refreshing) expect(ids(await repo.resolve())).toEqual(["a"]);
    })();
    for (let round = 0; round < 3; round++) {
      writeFileSync(join(repo.source, "a/r.md"), `${RULE}${round}`);
      git(repo.source, "commit", "-q", "-a", "-m", "change");
      expect((await repo.packs("refresh")).code).toBe(0);
    }
    refreshing = false;
    await resolving;
    await repo.resolve();
    expect(cached(repo)).toEqual([await cacheKey(repo.url, "main")]);
  });
});
