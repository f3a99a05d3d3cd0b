import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { initConfig } from "../../src/craft/init/name.ts";
import { promotePlan } from "../../src/craft/init/promote.ts";
import { configResolve } from "../../src/craft/manifest/config-resolve.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

function world() {
  const base = tempDir();
  const cwd = join(base, "repo");
  const home = join(base, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  const put = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "---\n---\n");
    return path;
  };
  const local = (name: string) => join(cwd, ".claude", `craft-${name}.md`);
  const user = (name: string) => join(home, ".claude", `craft-${name}.md`);
  const host = testHost({ cwd, home, env: { HOME: home } });
  return { base, cwd, home, put, local, user, host };
}

describe("config-resolve", () => {
  test("craft-engine-1 a local config is found without a word", () => {
    const { host, put, local } = world();
    const path = put(local("ci"));
    expect(configResolve(host, "ci")).toMatchObject({ text: path, notes: [], data: { scope: "local" } });
  });

  test("craft-engine-2 local shadows the user's and says so", () => {
    const { host, put, local, user } = world();
    const path = put(local("ci"));
    put(user("ci"));
    expect(configResolve(host, "ci")).toMatchObject({
      text: path,
      notes: ["config-resolve: user-scope config ci is shadowed by local"],
    });
  });

  test("craft-engine-3 the user's is named as such", () => {
    const { host, put, user } = world();
    const path = put(user("ci"));
    expect(configResolve(host, "ci")).toMatchObject({
      text: path,
      notes: ["config-resolve: ci resolved at user scope (~/.claude/craft-ci.md)"],
    });
  });

  test("craft-engine-4 neither: both places are named, exit 1", () => {
    const { host } = world();
    expect(() => configResolve(host, "zz")).toThrow(
      expect.objectContaining({
        message: "config-resolve: no manifest at ./.claude/craft-zz.md or ~/.claude/craft-zz.md",
        exitCode: 1,
        verbatim: true,
      }),
    );
  });

  test.each(["../x", "Foo", "a--b", "a-", "a/b", " a", "a\n"])(
    "craft-engine-5 the name %j is refused before any file is touched",
    (name) => {
      const { host } = world();
      expect(() => configResolve(host, name)).toThrow(
        expect.objectContaining({ message: expect.stringContaining("invalid config name"), exitCode: 1 }),
      );
    },
  );

  test("no name and an empty one", () => {
    const { host } = world();
    for (const name of [undefined, ""]) {
      expect(() => configResolve(host, name)).toThrow("config-resolve: name argument required");
    }
  });

  test("craft-engine-6 a symlink in user scope is absent, a symlinked ~/.claude is fine", () => {
    const { base, home, host, put } = world();
    const outside = put(join(base, "outside.md"));
    mkdirSync(join(base, "dot-claude"));
    symlinkSync(join(base, "dot-claude"), join(home, ".claude"));
    symlinkSync(outside, join(base, "dot-claude", "craft-l.md"));
    symlinkSync(join(base, "nowhere"), join(base, "dot-claude", "craft-d.md"));
    put(join(base, "dot-claude", "craft-s.md"));
    for (const name of ["l", "d"]) {
      expect(() => configResolve(host, name)).toThrow(
        `config-resolve: ~/.claude/craft-${name}.md ignored: symlink outside containment\nconfig-resolve: no manifest`,
      );
    }
    expect(configResolve(host, "s").text).toBe(join(home, ".claude", "craft-s.md"));
  });

  test("a directory of that name is absent", () => {
    const { host, local } = world();
    mkdirSync(local("ci"), { recursive: true });
    expect(() => configResolve(host, "ci")).toThrow("no manifest");
  });
});

describe("init-config and promote-plan", () => {
  test("init-config prints the relative path", () => {
    expect(initConfig(world().host, "ci").text).toBe(".claude/craft-ci.md");
    expect(() => initConfig(world().host, "")).toThrow("init-config: name argument required");
  });

  test("craft-engine-54 promote-plan decides and moves nothing", () => {
    const { host, put, local, user } = world();
    expect(() => promotePlan(host, { name: "x", demote: false, force: false })).toThrow(
      expect.objectContaining({ message: "promote-plan: no local-scope config x to promote", exitCode: 1 }),
    );
    put(local("x"));
    const lines = `source=${local("x")}\ndest=${user("x")}\nscope=user\n`;
    expect(promotePlan(host, { name: "x", demote: false, force: false }).text).toBe(lines);
    expect(() => promotePlan(host, { name: "x", demote: true, force: false })).toThrow(
      "promote-plan: no user-scope config x to demote",
    );
    put(user("x"));
    for (const demote of [false, true]) {
      const scope = demote ? "local" : "user";
      expect(() => promotePlan(host, { name: "x", demote, force: false })).toThrow(
        `promote-plan: destination craft-x.md exists at ${scope} scope — pass --force to overwrite`,
      );
      expect(promotePlan(host, { name: "x", demote, force: true }).data.scope).toBe(scope);
    }
  });

  test("promote-plan refuses a user file that is a symlink", () => {
    const { base, host, put, local, user, home } = world();
    put(local("x"));
    mkdirSync(join(home, ".claude"));
    symlinkSync(put(join(base, "elsewhere.md")), user("x"));
    expect(() => promotePlan(host, { name: "x", demote: false, force: true })).toThrow(
      "promote-plan: user-scope path failed containment",
    );
  });
});
