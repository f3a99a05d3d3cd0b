import {
  chmodSync,
  mkdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { PacksDeclaredSchema, PacksResolvedSchema } from "../../src/packs/schema.ts";
import { tempDir } from "../support/temp.ts";
import { git, repository, rule, runPacks, write } from "./setup.ts";

const NOTHING = { roots: [], warnings: [], errors: [], entries: 0 };

const ids = ({ roots }: { roots: { id: string }[] }) => roots.map(({ id }) => id);

describe("packs resolve", () => {
  test("packs-1 nothing declared is nothing resolved", async () => {
    const { team, resolve } = repository();
    expect(await resolve()).toEqual(NOTHING);
    team("plan_output: html");
    expect(await resolve()).toEqual(NOTHING);
    team("# packs:", "#   - source: packs/local");
    expect(await resolve()).toEqual(NOTHING);
  });

  test("packs-2 a directory with a rule is a pack named after it", async () => {
    const { root, team, resolve, packs } = repository();
    rule(join(root, "packs/local"));
    team("packs:", "  - source: packs/local");
    const result = await resolve();
    expect(result).toEqual({
      roots: [{ id: "local", dir: join(root, "packs/local"), nested_rule_shaped: 0 }],
      warnings: [],
      errors: [],
      entries: 1,
    });
    expect(v.is(PacksResolvedSchema, result)).toBe(true);
    expect((await packs("resolve")).stdout).toMatch(
      /^\{"roots":\[\{"id":.*"warnings":\[\],"errors":\[\],"entries":1\}\n$/,
    );
    expect((await packs("resolve", "--json")).stdout).toBe((await packs("resolve")).stdout);
  });

  test("packs-3 spelling makes no difference", async () => {
    const { root, resolve } = repository();
    rule(join(root, "packs/local"));
    for (const text of [
      "packs:\n- source: packs/local\n",
      "packs:\n\t-\tsource: packs/local\n",
      "packs:\r\n  - source: packs/local\r\n",
      "\ufeffpacks:\n  - source: packs/local\n",
      "packs:\n  -\n    source: packs/local\n",
    ]) {
      writeFileSync(join(root, ".compound-engineering/config.yaml"), text);
      expect(await resolve()).toMatchObject({
        roots: [{ id: "local" }],
        warnings: [],
        errors: [],
        entries: 1,
      });
    }
  });

  test("packs-4 subdirectories with rules are packs, in the order of pack: when given", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "multi/b"));
    rule(join(root, "multi/a"));
    rule(join(root, "multi/deep/er"));
    mkdirSync(join(root, "multi/empty"));
    team("packs:", "  - source: multi");
    expect(ids(await resolve())).toEqual(["a", "b"]);
    team("packs:", "  - source: multi", "    pack: [b, a, b]");
    expect(ids(await resolve())).toEqual(["b", "a"]);
    team("packs:", "  - source: multi", "    pack:", "      - a");
    expect(ids(await resolve())).toEqual(["a"]);
    team("packs:", "  - source: multi", "    pack: b");
    expect(ids(await resolve())).toEqual(["b"]);
  });

  test("packs-5 an id that is not published installs nothing of its entry", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "multi/a"));
    rule(join(root, "multi/b"));
    rule(join(root, "good"));
    team("packs:", "  - source: multi", "    pack: [railz, a]", "  - source: good");
    const result = await resolve();
    expect(ids(result)).toEqual(["good"]);
    expect(result.errors).toEqual([
      "config.yaml:2: pack id(s) railz not published by `multi` -- available: a, b",
    ]);
    expect(result.entries).toBe(2);
  });

  test("packs-6 id renames one pack, never several", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "multi/a"));
    rule(join(root, "multi/b"));
    rule(join(root, "one"));
    team("packs:", "  - source: one", "    id: house");
    expect(ids(await resolve())).toEqual(["house"]);
    team("packs:", "  - source: multi", "    id: house");
    const several = await resolve();
    expect(several.roots).toEqual([]);
    expect(several.errors[0]).toContain("exactly one pack");
    team("packs:", "  - source: multi", "    pack: b", "    id: house");
    expect(await resolve()).toMatchObject({
      roots: [{ id: "house", dir: join(root, "multi/b") }],
      errors: [],
    });
  });

  test("packs-12 one string each; other entries resolve", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "good"));
    team("packs:", "  - source: good", "    path: [a, b]", "  - source: true", "  - source: good");
    const result = await resolve();
    expect(ids(result)).toEqual(["good"]);
    expect(result.errors).toEqual([
      'config.yaml:2: `path:` must be a single string (got ["a","b"])',
      "config.yaml:4: `source:` must be a single string (got true)",
    ]);
  });

  test("packs-9 parse errors of both files come before entry errors", async () => {
    const { team, local, resolve } = repository();
    team("packs:", "  - packs/local");
    local("packs:", "  - ref: x", "    what");
    expect((await resolve()).errors).toEqual([
      "config.yaml:2: unrecognized packs entry `- packs/local` -- expected `key: value`",
      "config.local.yaml:3: unrecognized line under packs: `what` -- expected `key: value`",
      "config.yaml:2: entry has no `source:`",
      "config.local.yaml:2: entry has no `source:`",
    ]);
  });

  test("packs-13 what the subset does not know installs nothing, a Windows path is a path", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "a"));
    team("packs:", "  - source: a", "    source: a", String.raw`  - source: 'C:\rules\x'`);
    const result = await resolve();
    expect(result.roots).toEqual([]);
    expect(result.entries).toBe(2);
    expect(result.errors).toEqual([
      "config.yaml:3: unsupported YAML under packs: duplicate key",
      String.raw`config.yaml:4: source directory ${"`"}C:\rules\x${"`"} does not exist`,
    ]);
  });

  test("packs-14 an apostrophe in a name", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "packs/o'brien-rules"));
    team("packs:", "  - source: packs/o'brien-rules  # team's rules");
    expect(ids(await resolve())).toEqual(["o'brien-rules"]);
  });

  test("packs-15 ref and path belong to git sources, and those need a ref", async () => {
    const { root, team, resolve, stubGit } = repository();
    rule(join(root, "a"));
    const stub = stubGit();
    team(
      "packs:",
      "  - source: a",
      "    ref: v1",
      "  - source: a",
      "    ref: ''",
      "  - source: a",
      "    path:",
    );
    expect((await resolve()).errors).toEqual([
      "config.yaml:2: `ref:` is only valid on git sources; path sources are read live",
      "config.yaml:4: `ref:` is only valid on git sources; path sources are read live",
      "config.yaml:6: `path:` is only valid on git sources; point `source:` at the directory instead",
    ]);
    team("packs:", "  - source: https://github.com/o/r");
    expect((await resolve()).errors).toEqual([
      "config.yaml:2: git source `https://github.com/o/r` requires `ref:` (tag, sha, or branch)",
    ]);
    expect(new Set(stub.calls())).toEqual(new Set(["rev-parse"]));
  });

  test("packs-16 nothing that git could take for an option", async () => {
    const { team, resolve, stubGit } = repository();
    const stub = stubGit();
    team(
      "packs:",
      "  - source: https://host.invalid/r",
      "    ref: --upload-pack=/bin/false",
      "  - source: -oProxyCommand@host:x",
      "    ref: v1",
    );
    const { errors } = await resolve();
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain("may not begin with `-`");
    expect(stub.calls()).toEqual(["rev-parse"]);
  });

  test("packs-17 a relative source stays in the repository, an absolute one may be anywhere", async () => {
    const { base, root, team, resolve } = repository();
    rule(join(base, "outside"));
    symlinkSync(join(base, "outside"), join(root, "link"));
    team(
      "packs:",
      ...["../outside", ".git", ".git/hooks", "link", "missing"].map((source) => `  - source: ${source}`),
    );
    expect((await resolve()).errors).toEqual([
      "config.yaml:2: repo-relative source `../outside` resolves outside the repository",
      "config.yaml:3: repo-relative source `.git` resolves outside the repository",
      "config.yaml:4: repo-relative source `.git/hooks` resolves outside the repository",
      "config.yaml:5: repo-relative source `link` resolves outside the repository",
      "config.yaml:6: source directory `missing` does not exist",
    ]);
    team("packs:", `  - source: ${join(base, "outside")}`);
    expect(await resolve()).toMatchObject({
      roots: [{ id: "outside", dir: join(base, "outside") }],
      errors: [],
    });
  });

  test("a .git that is a link hides what it leads to", async () => {
    const { root, team, resolve } = repository();
    renameSync(join(root, ".git"), join(root, ".real"));
    symlinkSync(".real", join(root, ".git"));
    rule(join(root, ".real/p"));
    team("packs:", "  - source: .git/p", "  - source: .real/p");
    expect((await resolve()).errors).toEqual([
      "config.yaml:2: repo-relative source `.git/p` resolves outside the repository",
      "config.yaml:3: repo-relative source `.real/p` resolves outside the repository",
    ]);
  });

  test("packs-18 the home directory", async () => {
    const { base, team, resolve } = repository();
    rule(join(base, "packs/kk"));
    team("packs:", "  - source: ~/packs/kk");
    expect(await resolve()).toMatchObject({ roots: [{ id: "kk", dir: join(base, "packs/kk") }], errors: [] });
    team("packs:", "  - source: ~nosuchuser/packs");
    expect((await resolve()).errors).toEqual([
      "config.yaml:2: source directory `~nosuchuser/packs` does not exist",
    ]);
  });

  test("a source reached through a link is named after the target; a dot is the repository", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "packs/real"));
    symlinkSync("packs/real", join(root, "alias"));
    team("packs:", "  - source: alias");
    expect(await resolve()).toMatchObject({ roots: [{ id: "real", dir: join(root, "packs/real") }] });
    rule(root, "top.md");
    team("packs:", "  - source: .");
    expect(ids(await resolve())).toEqual(["repo"]);
  });

  test("packs-28 links inside the source are ordinary content", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "src/honest"));
    symlinkSync("honest", join(root, "src/alias"));
    symlinkSync("missing", join(root, "src/honest/dangling"));
    symlinkSync("r.md", join(root, "src/honest/same.md"));
    team("packs:", "  - source: src");
    const result = await resolve();
    expect(ids(result)).toEqual(["alias", "honest"]);
    expect([result.warnings, result.errors]).toEqual([[], []]);
  });

  test("packs-29 only a non-rule .md file is worth a warning", async () => {
    const { root, team, resolve } = repository();
    const pack = join(root, "p");
    rule(pack);
    rule(pack, "README.md");
    write(join(pack, "notes.md"), "# Notes\n");
    mkdirSync(join(pack, "x.md"));
    write(join(pack, "NOTES.MD"));
    write(join(pack, "data.txt"));
    team("packs:", "  - source: p", "    id: house");
    expect((await resolve()).warnings).toEqual([
      "config.yaml:2: skipped pack file `house/notes.md` (missing `title`/`applies_when` frontmatter)",
    ]);
    write(join(pack, "README.md"), "no front matter");
    expect((await resolve()).warnings).toHaveLength(1);
  });

  test("packs-30 a README is no rule, whatever its case", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "p"), "ReadMe.md");
    team("packs:", "  - source: p");
    expect((await resolve()).warnings).toEqual([
      "config.yaml:2: source `p` publishes no packs (no directories with valid knowledge files)",
    ]);
  });

  test("packs-31 rules one level down are counted, no deeper, no README, nothing hidden", async () => {
    const { root, team, resolve } = repository();
    const pack = join(root, "p");
    for (const name of [
      "top.md",
      "research/obs.md",
      "research/README.md",
      "research/deeper/x.md",
      ".hidden/y.md",
    ]) {
      rule(pack, name);
    }
    team("packs:", "  - source: p");
    expect(await resolve()).toMatchObject({ roots: [{ nested_rule_shaped: 1 }], warnings: [], errors: [] });
  });

  test("packs-32 packs-41 rules too deep to be found get a pointer, and nothing else is judged", async () => {
    const { root, team, resolve } = repository();
    for (const name of ["a.md", "b.md", "c.md"]) rule(join(root, "src/house/research"), name);
    const warnings = [
      "config.yaml:2: source `src` publishes no packs (no directories with valid knowledge files)",
      expect.stringContaining(
        "config.yaml:2: pack `house` has 3 rule-shaped file(s) under `research/` that discovery",
      ),
    ];
    team("packs:", "  - source: src");
    expect(await resolve()).toMatchObject({ roots: [], warnings, errors: [] });
    team("packs:", "  - source: src", "    pack: nosuch", "    id: x");
    expect(await resolve()).toMatchObject({ roots: [], warnings, errors: [] });
  });

  test("packs-34 an empty list installs nothing", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "p"));
    for (const pack of [["    pack: []"], ["    pack:"]]) {
      team("packs:", "  - source: p", ...pack);
      expect(await resolve()).toMatchObject({
        roots: [],
        warnings: ["config.yaml:2: `pack:` lists no ids; nothing installed from `p`"],
        errors: [],
      });
    }
  });

  test("a link out of the source is skipped where rules are looked for, and refuses the pack it is in", async () => {
    const { base, root, team, resolve } = repository();
    rule(join(base, "outside"), "leak.md");
    rule(join(root, "src/honest"));
    rule(join(root, "src/both"));
    symlinkSync(join(base, "outside/leak.md"), join(root, "src/both/leak.md"));
    symlinkSync(join(base, "outside"), join(root, "src/leak"));
    symlinkSync(join(base, "nowhere"), join(root, "src/dangling.md"));
    team("packs:", "  - source: src");
    const result = await resolve();
    expect(ids(result)).toEqual(["honest"]);
    expect(result.warnings).toEqual([
      "config.yaml:2: skipped `dangling.md` in `src` -- it links outside the source",
      "config.yaml:2: skipped `leak` in `src` -- it links outside the source",
      "config.yaml:2: skipped `both/leak.md` in `src` -- it links outside the source",
    ]);
    expect(result.errors).toEqual([
      "config.yaml:2: pack `both` not published -- `leak.md` link(s) outside the source",
    ]);
  });

  test("hostile links: a loop, a chain out, a long way round", async () => {
    const { base, root, team, resolve } = repository();
    rule(join(root, "p"));
    mkdirSync(join(base, "outside"));
    symlinkSync("loop", join(root, "p/loop"));
    symlinkSync("two", join(root, "p/one"));
    symlinkSync(join(base, "outside"), join(root, "p/two"));
    symlinkSync("sub/../../../outside", join(root, "p/round"));
    mkdirSync(join(root, "p/sub"));
    symlinkSync("..", join(root, "p/sub/up"));
    team("packs:", "  - source: p");
    expect((await resolve()).errors).toEqual([
      "config.yaml:2: pack `p` not published -- `loop`, `one`, `round`, `two` link(s) outside the source",
    ]);
  });

  test("packs-35 without git a path pack resolves and a git source is skipped", async () => {
    const { base, root, env, team, resolve } = repository();
    rule(join(root, "p"));
    team("packs:", "  - source: ../p", "  - source: p", "  - source: https://host.invalid/r", "    ref: v1");
    env["PATH"] = join(base, "none");
    const inside = await runPacks(join(root, ".compound-engineering"), env, ["resolve"]);
    expect(JSON.parse(inside.stdout)).toMatchObject({
      roots: [{ id: "p", dir: join(root, "p") }],
      warnings: ["config.yaml:4: git binary not found; source skipped"],
      errors: ["config.yaml:2: repo-relative source `../p` resolves outside the repository"],
    });
    expect((await resolve()).warnings).toHaveLength(1);
  });

  test("packs-39 a password is never printed", async () => {
    const { team, packs, stubGit } = repository();
    stubGit(
      'case "$1" in clone|fetch) echo "fatal: https://u:secret@host.invalid/r refused" >&2; exit 128;; esac',
    );
    team(
      "packs:",
      "  - source: https://u:secret@host.invalid/r",
      "    ref: x",
      "  - source: https://u:secret@host.invalid/r",
      "  - https://u:secret@host.invalid",
    );
    for (const words of [
      ["resolve"],
      ["list"],
      ["list", "--json"],
      ["resolve", "--declared-only"],
      ["refresh"],
    ]) {
      const { stdout, stderr } = await packs(...words);
      expect(stdout + stderr).not.toContain("secret");
      if (words[1] !== "--declared-only") expect(stdout + stderr).toContain("u:***@");
    }
  });

  test("what is not a regular file declares nothing and says so; others are errors", async () => {
    const { base, root, resolve } = repository();
    rule(join(root, "p"));
    const path = (name: string) => join(root, ".compound-engineering", name);
    mkdirSync(path("config.yaml"));
    writeFileSync(path("config.local.yaml"), "packs:\n  - source: p\n");
    expect(await resolve()).toMatchObject({
      roots: [{ id: "p" }],
      warnings: ["config.yaml: is not a regular file; no packs are read from it"],
      errors: [],
    });
    truncateSync(path("config.local.yaml"), 64 << 20);
    expect(await resolve()).toMatchObject({
      roots: [],
      errors: [expect.stringMatching(/^config\.local\.yaml: is too large/)],
    });
    const other = repository();
    write(join(base, "elsewhere.yaml"), "packs:\n  - source: p\n");
    symlinkSync(join(base, "elsewhere.yaml"), join(other.root, ".compound-engineering/config.yaml"));
    mkdirSync(join(other.root, "p"));
    expect(await other.resolve()).toMatchObject({ entries: 1, errors: [] });
  });

  test("outside a repository there is nothing to read", async () => {
    const outside = tempDir();
    const { env } = repository();
    expect(JSON.parse((await runPacks(outside, env, ["resolve"])).stdout)).toEqual({
      roots: [],
      warnings: ["not inside a git repository; no CE config to read"],
      errors: [],
      entries: 0,
    });
  });

  test.skipIf(process.geteuid?.() !== 0)(
    "a repository git refuses gets a hint about safe.directory",
    async () => {
      const { root, env } = repository();
      const { chownSync } = await import("node:fs");
      chownSync(root, 12345, 12345);
      chmodSync(root, 0o755);
      const { warnings } = JSON.parse((await runPacks(root, env, ["resolve"])).stdout);
      expect(warnings).toEqual([
        expect.stringMatching(/^not inside a git repository; no CE config.*safe\.directory/),
      ]);
    },
  );

  test("an unexpected error in one entry leaves the others alone", async () => {
    const { root, team, resolve } = repository();
    rule(join(root, "p"));
    team("packs:", "  - source: a\0b", "  - source: p");
    const result = await resolve();
    expect(ids(result)).toEqual(["p"]);
    expect(result.errors).toHaveLength(1);
    expect(result.errors[0]).toMatch(/^config\.yaml:2: /);
  });

  test("an unexpected failure of the whole is a JSON object too", async () => {
    const { env } = repository();
    const gone = join(tempDir(), "gone");
    for (const [words, expected] of [
      [["resolve"], { roots: [], warnings: [], entries: 0 }],
      [["resolve", "--declared-only"], { declared: null, entries: 0 }],
    ] as const) {
      const { code, stdout } = await runPacks(gone, env, words);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        ...expected,
        errors: [expect.stringMatching(/^packs resolver failed unexpectedly: /)],
      });
    }
  });
});

describe("packs resolve --declared-only", () => {
  test("packs-36 packs-42 says what is declared without looking at a source", async () => {
    const { cache, root, env, team, packs, stubGit } = repository();
    const stub = stubGit();
    const declared = async () => {
      const { code, stdout } = await packs("resolve", "--declared-only");
      expect(code).toBe(0);
      const report = JSON.parse(stdout);
      expect(v.is(PacksDeclaredSchema, report)).toBe(true);
      return report;
    };
    team("packs:", "  - source: not/there");
    expect(await declared()).toEqual({ declared: true, entries: 1, errors: [] });
    team("plan_output: md");
    expect(await declared()).toEqual({ declared: false, entries: 0, errors: [] });
    team("packs: []");
    expect(await declared()).toEqual({ declared: false, entries: 0, errors: [] });
    team("packs:", "  - ref: v1");
    expect(await declared()).toEqual({
      declared: true,
      entries: 1,
      errors: ["config.yaml:2: entry has no `source:`"],
    });
    team("packs: [x]");
    expect(await declared()).toMatchObject({ declared: true, entries: 0 });
    team("packs:", "  - source: https://host.invalid/r", "    ref: v1");
    expect(await declared()).toEqual({ declared: true, entries: 1, errors: [] });
    expect(new Set(stub.calls())).toEqual(new Set(["rev-parse"]));
    expect(() => realpathSync(cache)).toThrow();
    const outside = await runPacks(tempDir(), env, ["resolve", "--declared-only"]);
    expect(JSON.parse(outside.stdout)).toEqual({ declared: null, entries: 0, errors: [] });
    expect(git(root, "status", "--porcelain")).toContain(".compound-engineering");
  });
});

describe("packs usage", () => {
  test("packs-40 an unknown flag or an extra word is exit 2", async () => {
    const { packs } = repository();
    for (const words of [
      ["resolve", "--bogus"],
      ["resolve", "extra"],
      ["list", "extra"],
      ["show"],
      ["show", "a", "b"],
    ]) {
      const { code, stdout, stderr } = await packs(...words);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).not.toBe("");
    }
  });
});
