import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PacksResolved } from "../../src/packs/schema.ts";
import { handOver } from "../../src/packs/sources/credentials.ts";
import { serveGit } from "./git-server.ts";
import { git, packSource, RULE, repository, rule, write } from "./setup.ts";

const ids = (result: PacksResolved) => result.roots.map(({ id }) => id);

/** Every file below a directory, by its path, `.git` directories included. */
function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function declaring(fill: (root: string) => void) {
  const repo = repository();
  const source = join(repo.base, "G");
  const { url, commit } = packSource(source, fill);
  repo.team("packs:", `  - source: ${url}`, "    ref: v1");
  return { ...repo, source, url, commit };
}

describe("a secret in a pack's address", () => {
  const SECRET = "s3cr3t/p%w";
  const served = async () => {
    const repo = repository();
    packSource(join(repo.base, "served/G"), (root) => rule(join(root, "a")));
    const server = await serveGit(join(repo.base, "served"), "me", SECRET);
    return { ...repo, server, source: `http://me:${encodeURIComponent(SECRET)}@127.0.0.1:${server.port}/G` };
  };
  const mentions = (text: string) => text.includes(SECRET) || text.includes(encodeURIComponent(SECRET));

  test("packs-45 reaches the server, and no argument, no file of the cache, no helper that stores", async () => {
    const repo = await served();
    const stored = join(repo.base, "stored");
    write(join(repo.base, ".gitconfig"), `[credential]\n\thelper = store --file ${stored}\n`);
    repo.team("packs:", `  - source: ${repo.source}`, "    ref: v1");
    // Git's arguments, and those of the programs it starts: the stub asks the process table while git runs.
    const seen = join(repo.base, "arguments");
    repo.stubGit(`
      (for i in 1 2 3 4 5 6 7 8 9 10; do cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; sleep 0.02; done >>'${seen}') &`);
    const result = await repo.resolve();
    expect(result).toMatchObject({ warnings: [], errors: [], roots: [{ id: "a" }] });
    expect(result.roots[0]!.url).toBe(`http://me:***@127.0.0.1:${repo.server.port}/G`);
    for (const file of filesBelow(repo.cache))
      expect([file, mentions(readFileSync(file, "latin1"))]).toEqual([file, false]);
    const watched = readFileSync(seen, "utf8");
    expect(watched).toContain(`remote-http origin http://127.0.0.1:${repo.server.port}/G`);
    expect(mentions(watched) || mentions(readFileSync(join(repo.base, "git-calls"), "utf8"))).toBe(false);
    expect(existsSync(stored)).toBe(false);
  });

  test("a name alone leaves the password to the user's own helper", async () => {
    const repo = await served();
    write(
      join(repo.base, ".gitconfig"),
      `[credential]\n\thelper = "!f() { cat >'${repo.base}/asked'; echo 'password=${SECRET}'; }; f"\n`,
    );
    const address = `127.0.0.1:${repo.server.port}/G`;
    repo.team("packs:", `  - source: http://me@${address}`, "    ref: v1");
    expect(await repo.resolve()).toMatchObject({ roots: [{ id: "a" }], warnings: [] });
    expect(readFileSync(join(repo.base, "asked"), "utf8")).toContain("username=me");
  });

  test("where no password can go it is refused with the remedy, unprinted", async () => {
    const repo = repository();
    for (const [source, why] of [
      ["ssh://me:hunter2@127.0.0.1/r", "takes no password -- remove it and use a key"],
      ["git://me:hunter2@127.0.0.1/r", "takes no password"],
      ["https://me:hunter2%0aquit=1@127.0.0.1/r", "line break"],
    ] as const) {
      repo.team("packs:", `  - source: ${source}`, "    ref: v1");
      const stub = repo.stubGit();
      const result = await repo.resolve();
      expect([source, result.errors]).toEqual([source, [expect.stringContaining(why)]]);
      expect(JSON.stringify(result)).not.toContain("hunter2");
      expect(stub.calls().filter((call) => call !== "rev-parse")).toEqual([]);
    }
  });

  test.each([
    ["https://h/r", "https://h/r", undefined],
    ["git@h:r", "git@h:r", undefined],
    ["ssh://git@h/r", "ssh://git@h/r", undefined],
    ["file:///a@b/c", "file:///a@b/c", undefined],
    ["https://h/a@b", "https://h/a@b", undefined],
    ["https://u:p@h:8080/r?x=1", "https://h:8080/r?x=1", ["u", "p"]],
    ["https://u:p@q@h/r", "https://h/r", ["u", "p@q"]],
    ["https://:p@h/r", "https://h/r", ["", "p"]],
    ["https://u:@h/r", "https://h/r", ["u", ""]],
    ["https://u%40x:50%@h/r", "https://h/r", ["u@x", "50%"]],
  ])("%s goes to git as %s", (url, bare, words) => {
    const { url: given, env } = handOver(url);
    expect(given).toBe(bare);
    const [user, password] = words ?? [];
    expect(env).toEqual(words === undefined ? {} : { JIG_PACK_USERNAME: user, JIG_PACK_PASSWORD: password });
  });
});

function swapForDirectory(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

function empty(directory: string): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
}

describe("a cached checkout", () => {
  const fill = (root: string) => {
    rule(join(root, "a"));
    rule(join(root, "b"), "deep.md");
    write(join(root, "b/data/table.csv"), "1,2\n");
    symlinkSync("../a/r.md", join(root, "b/alias.md"));
  };
  const DAMAGE: [string, (dir: string) => void][] = [
    ["a rule", (dir) => rmSync(join(dir, "a/r.md"))],
    ["a whole pack", (dir) => rmSync(join(dir, "b"), { recursive: true })],
    ["a file beside the rules", (dir) => rmSync(join(dir, "b/data/table.csv"))],
    ["a link", (dir) => rmSync(join(dir, "b/alias.md"))],
    ["some bytes", (dir) => truncateSync(join(dir, "b/deep.md"), 5)],
    ["a directory in its place", (dir) => swapForDirectory(join(dir, "a/r.md"))],
    ["its proof", (dir) => rmSync(join(dir, ".git/jig-checkout.json"))],
    ["half of its proof", (dir) => truncateSync(join(dir, ".git/jig-checkout.json"), 20)],
    ["all of .git", (dir) => rmSync(join(dir, ".git"), { recursive: true })],
    ["everything", (dir) => empty(dir)],
  ];

  test.each(DAMAGE)("packs-46 that lost %s is fetched again, with a word", async (_, damage) => {
    const repo = declaring(fill);
    const whole = await repo.resolve();
    expect(ids(whole)).toEqual(["a", "b"]);
    const dir = join(whole.roots[0]!.dir, "..");
    damage(dir);
    const again = await repo.resolve();
    expect(again.roots).toEqual(whole.roots);
    expect(again.warnings).toEqual([expect.stringContaining(`cached checkout ${dir}`)]);
    expect(again.warnings[0]).toMatch(/; refetching$/);
    expect(readFileSync(join(dir, "b/data/table.csv"), "utf8")).toBe("1,2\n");
    expect(await repo.resolve()).toEqual(whole);
    expect(readdirSync(repo.cache)).toHaveLength(1);
  });

  test("that is incomplete and cannot be renewed is not published in part", async () => {
    const repo = declaring(fill);
    const dir = join((await repo.resolve()).roots[0]!.dir, "..");
    renameSync(repo.source, `${repo.source}-gone`);
    expect((await repo.resolve()).warnings).toEqual([]);
    rmSync(join(dir, "a/r.md"));
    const { roots, warnings } = await repo.resolve();
    expect(roots).toEqual([]);
    expect(warnings.at(-1)).toContain(`cannot renew cached checkout ${dir}; source skipped`);
    renameSync(`${repo.source}-gone`, repo.source);
    expect(ids(await repo.resolve())).toEqual(["a", "b"]);
  });

  test("of another tool, which proves nothing, is used with a word when it cannot be renewed", async () => {
    const repo = declaring(fill);
    const dir = join((await repo.resolve()).roots[0]!.dir, "..");
    rmSync(join(dir, ".git/jig-checkout.json"));
    renameSync(repo.source, `${repo.source}-gone`);
    const { roots, warnings } = await repo.resolve();
    expect(roots.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(warnings.at(-1)).toContain("using it, rules may be missing");
  });

  test("is renewed once, however many find it incomplete, and all get it whole", async () => {
    const repo = declaring(fill);
    const whole = await repo.resolve();
    rmSync(whole.roots[0]!.dir, { recursive: true });
    const results = await Promise.all(Array.from({ length: 8 }, () => repo.resolve()));
    for (const { roots, errors } of results) expect([roots, errors]).toEqual([whole.roots, []]);
    expect(readdirSync(repo.cache)).toHaveLength(1);
  });
});

describe("a checkout", () => {
  test("packs-47 runs no filter: a pack with LFS attributes resolves where git wants LFS and lacks it", async () => {
    const repo = declaring((root) => {
      rule(join(root, "a"));
      write(join(root, ".gitattributes"), "*.md filter=lfs\n*.bin filter=lfs\n*.txt filter=mine\n");
      write(join(root, "a/large.bin"), "version https://git-lfs.github.com/spec/v1\n");
      write(join(root, "a/x.txt"), "plain\n");
    });
    write(
      join(repo.base, ".gitconfig"),
      `[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true
[filter "mine"]\n\tsmudge = touch '${repo.base}/ran'; cat\n\trequired = true\n`,
    );
    for (const ref of ["v1", repo.commit]) {
      repo.team("packs:", `  - source: ${repo.url}`, `    ref: ${ref}`);
      const { roots, warnings } = await repo.resolve();
      expect([roots.map(({ id }) => id), warnings]).toEqual([["a"], []]);
      expect(readFileSync(join(roots[0]!.dir, "x.txt"), "utf8")).toBe("plain\n");
    }
    expect(existsSync(join(repo.base, "ran"))).toBe(false);
  });

  test("in a cache inside somebody's repository obeys nothing of that repository", async () => {
    const repo = declaring((root) => rule(join(root, "a")));
    const cache = join(repo.root, "cache");
    repo.env["CE_PACKS_CACHE_ROOT"] = cache;
    git(repo.root, "config", `url.file:///nowhere/.insteadOf`, repo.url);
    git(repo.root, "config", "core.autocrlf", "true");
    const { roots, warnings } = await repo.resolve();
    expect([roots.map(({ id }) => id), warnings]).toEqual([["a"], []]);
    expect(readFileSync(join(roots[0]!.dir, "r.md"), "utf8")).not.toContain("\r");
    repo.team("packs:", `  - source: ${repo.url}`, `    ref: ${repo.commit}`);
    expect(ids(await repo.resolve())).toEqual(["a"]);
  });
});

describe("names that are not UTF-8", () => {
  test("in a declaration are refused, not looked for under another name", async () => {
    const repo = repository();
    rule(join(repo.root, "caf\ufffd"));
    rule(join(repo.root, "ok"));
    const lines =
      "packs:\n  # caf\xe9\n  - source: caf\xe9\n  - source: ok\n    id: caf\xe9\n  - source: ok\n";
    write(join(repo.root, ".compound-engineering/config.yaml"));
    writeFileSync(join(repo.root, ".compound-engineering/config.yaml"), Buffer.from(lines, "latin1"));
    const result = await repo.resolve();
    expect(ids(result)).toEqual(["ok"]);
    expect(result.errors).toEqual([
      "config.yaml:3: `source:` is not valid UTF-8",
      "config.yaml:4: `id:` is not valid UTF-8",
    ]);
  });

  test.runIf(process.platform === "linux")("of a rule are said", async () => {
    const repo = repository();
    rule(join(repo.root, "p"));
    writeFileSync(
      Buffer.concat([Buffer.from(join(repo.root, "p/caf")), Buffer.from([0xe9]), Buffer.from(".md")]),
      RULE,
    );
    repo.team("packs:", "  - source: p");
    expect((await repo.resolve()).warnings).toEqual([
      "config.yaml:2: skipped pack file `p/caf\ufffd.md` (its name is not valid UTF-8)",
    ]);
  });
});
