import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { PackShowSchema, PacksListSchema } from "../../src/packs/schema.ts";
import { tempDir } from "../support/temp.ts";
import { packSource, repository, rule, runPacks, write } from "./setup.ts";

const terminal = { isTerminal: true, width: 300, colour: false };

function withPacks() {
  const repo = repository();
  const house = join(repo.root, "rules/house");
  rule(house, "a.md", "---\ntitle: Name things\napplies_when: [writing code, reviewing]\ntags: style\n---\n");
  rule(house, "b.md", "---\ntitle: 5\napplies_when: always\n---\n");
  rule(house, "c.md", "---\ntitle: a: b\napplies_when: x\n---\n");
  rule(join(house, "nested"));
  const source = packSource(join(repo.base, "G"), (root) => {
    rule(join(root, "web"));
    write(
      join(root, "web/README.md"),
      `---\nowner: us\n---\n# Web\n\nRules for the web,\nall of them.\n\nMore ${"x".repeat(2000)}\n`,
    );
  });
  repo.team(
    "packs:",
    "  - source: rules/house",
    `  - source: ${source.url}`,
    "    ref: v1",
    "  - source: missing",
  );
  return { ...repo, house, ...source };
}

describe("packs list", () => {
  test("packs-43 piped has one line per root, problems go to stderr", async () => {
    const { packs, house, url } = withPacks();
    const { code, stdout, stderr } = await packs("list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^house\t3\t1\trules\/house\t.*\nweb\t1\t0\tfile:\/\/.*@v1\t.*\/web\n$/);
    expect(stdout).toContain(`\t${house}\n`);
    expect(stdout).toContain(`\t${url}@v1\t`);
    expect(stderr).toBe("Pack config error: config.yaml:5: source directory `missing` does not exist\n");
  });

  test("a terminal gets a header", async () => {
    const { root, env, house } = withPacks();
    const { stdout } = await runPacks(root, env, ["list"], terminal);
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^ID +RULES +NESTED +SOURCE +DIR$/);
    expect(lines[1]).toMatch(new RegExp(`^house +3 +1 +rules/house +${house}$`));
  });

  test("packs-40 JSON has title and applies_when of every rule, and the commit", async () => {
    const { packs, url, commit, cache } = withPacks();
    const list = JSON.parse((await packs("list", "--json")).stdout);
    expect(v.is(PacksListSchema, list)).toBe(true);
    expect(list.entries).toBe(3);
    expect(list.errors).toHaveLength(1);
    expect(list.roots[0]).toMatchObject({
      id: "house",
      source: "rules/house",
      label: "config.yaml:2",
      commit: null,
      nested_rule_shaped: 1,
      rules: [
        {
          path: "a.md",
          title: "Name things",
          applies_when: ["writing code", "reviewing"],
          tags: ["style"],
          frontmatter_error: null,
        },
        { path: "b.md", title: "5", applies_when: ["always"], tags: [], frontmatter_error: null },
        {
          path: "c.md",
          title: null,
          applies_when: [],
          tags: [],
          frontmatter_error: expect.stringMatching(/^c\.md:2:/),
        },
      ],
    });
    expect(list.roots[1]).toMatchObject({
      id: "web",
      source: url,
      url,
      ref: "v1",
      commit,
      label: "config.yaml:3",
    });
    expect(list.roots[1].dir.startsWith(cache)).toBe(true);
  });

  test("nothing declared, and no repository", async () => {
    const { env, packs } = repository();
    expect(await packs("list")).toEqual({ code: 0, stdout: "", stderr: "No packs declared\n" });
    const outside = await runPacks(tempDir(), env, ["list"]);
    expect(outside).toMatchObject({ code: 0, stdout: "" });
    expect(outside.stderr).toContain("Pack warning: not inside a git repository");
  });

  test("names never reach the terminal as escape sequences", async () => {
    const { root, env, team } = repository();
    rule(join(root, "p\u001b[31m"));
    team("packs:", "  - source: p\u001b[31m", "  - source: q\u001b[31m");
    const { stdout, stderr } = await runPacks(root, env, ["list"], terminal);
    expect(stdout + stderr).not.toContain("\u001b");
    expect(stdout).toContain("p\\x1b[31m");
  });
});

describe("packs show", () => {
  test("shows where a pack comes from, its README's first paragraph and its rules", async () => {
    const { packs, url, commit } = withPacks();
    const { code, stdout } = await packs("show", "web");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^id: {6}web\nsource: {2}${url}@v1\ndir: {5}.*/web\ncommit: {2}${commit}\n\nRules for the web,\nall of them\\.\n\nr\\.md {2}A rule\n {4}always\n$`,
      ),
    );
    const house = (await packs("show", "house")).stdout;
    expect(house).toContain("a.md  Name things\n    writing code\n    reviewing\n");
    expect(house).toMatch(/c\.md {2}\(c\.md:2:\d+: /);
    const report = JSON.parse((await packs("show", "web", "--json")).stdout);
    expect(v.is(PackShowSchema, report)).toBe(true);
    expect(report.description).toBe("Rules for the web,\nall of them.");
  });

  test("packs-40 an id that no pack has is exit 1, with the nearest", async () => {
    const { packs } = withPacks();
    const unknown = await packs("show", "nope");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    const near = await packs("show", "hose");
    expect(near.stderr).toContain("no pack 'hose'; did you mean house?");
  });

  test("cuts a long first paragraph", async () => {
    const { root, team, packs } = repository();
    rule(join(root, "p"));
    write(join(root, "p/ReadMe.md"), `${"é".repeat(3000)}\n`);
    team("packs:", "  - source: p");
    const report = JSON.parse((await packs("show", "p", "--json")).stdout);
    expect(report.description).toBe("é".repeat(1000));
  });
});
