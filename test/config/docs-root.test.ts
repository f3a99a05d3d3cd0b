import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { type DocsRootReport, DocsRootReportSchema } from "../../src/config/schema.ts";
import { checkDocsRoot } from "../../src/kernel/config/docs-root.ts";
import { isStrictlyInside } from "../../src/kernel/files/contain.ts";
import { tempDir } from "../support/temp.ts";
import { repository } from "./setup.ts";

const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" });

describe("config docs-root", () => {
  test("config-16 is docs by default and makes nothing", async () => {
    const { root, config, json } = repository();
    expect(await config("docs-root")).toEqual(ok("docs\n"));
    expect(await config("docs-root", "plans", "--absolute")).toEqual(ok(`${root}/docs/plans\n`));
    const report = await json<DocsRootReport>("docs-root", "plans");
    expect(report).toEqual({
      root: "docs",
      path: "docs/plans",
      absolute: `${root}/docs/plans`,
      layer: "default",
      exists: false,
      local_ignored: null,
      warnings: [],
    });
    expect(v.is(DocsRootReportSchema, report)).toBe(true);
    expect(existsSync(join(root, "docs"))).toBe(false);
    expect(await config("get", "docs_root")).toEqual(ok("docs\n"));
  });

  test("config-17 a set root is normalised, and made only when asked", async () => {
    const { root, team, config, json } = repository();
    team("docs_root: .ce-artifacts/");
    expect(await config("docs-root")).toEqual(ok(".ce-artifacts\n"));
    expect(existsSync(join(root, ".ce-artifacts"))).toBe(false);
    expect(await config("docs-root", "plans/deep", "--create")).toEqual(ok(".ce-artifacts/plans/deep\n"));
    expect(statSync(join(root, ".ce-artifacts/plans/deep")).isDirectory()).toBe(true);
    expect((await json<DocsRootReport>("docs-root")).exists).toBe(true);
    expect((await config("docs-root", "--create")).code).toBe(0);
    team("docs_root: ./with spaces//and/./dots/");
    expect(await config("docs-root")).toEqual(ok("with spaces/and/dots\n"));
  });

  test("config-18 the local layer does not count", async () => {
    const { local, config, json } = repository();
    local("docs_root: elsewhere");
    expect(await config("docs-root")).toEqual(ok("docs\n"));
    expect((await json<DocsRootReport>("docs-root")).local_ignored).toBe("elsewhere");
    const check = await config("check");
    expect(check.code).toBe(0);
    expect(check.stdout).toMatch(/^config\.local\.yaml:1: warning: docs_root/m);
  });

  test.each([
    ["/abs", "/abs", "absolute paths are not allowed"],
    ["~/x", "~/x", "absolute paths are not allowed"],
    ['"C:\\\\x"', "C:\\x", "absolute paths are not allowed"],
    ["../x", "../x", "path traversal ('..') is not allowed"],
    ["a/../b", "a/../b", "path traversal ('..') is not allowed"],
    [".", ".", "resolves to the repository root itself"],
    ["./", "./", "resolves to the repository root itself"],
    [".git/x", ".git/x", "resolves inside .git"],
    [".GIT", ".GIT", "resolves inside .git"],
    ["a/.Git/b", "a/.Git/b", "resolves inside .git"],
    ['""', "''", "must be a single non-empty path"],
    ["[a]", "[a]", "must be a single non-empty path"],
    ["{a: b}", "{a: b}", "must be a single non-empty path"],
    ['"a\\tb"', "a\\tb", "contains an invalid character"],
    ['"a\\0b"', "a\\x00b", "contains an invalid character"],
  ])("config-19 docs_root: %s stops the command", async (written, shown, reason) => {
    const { team, config, root } = repository();
    team(`docs_root: ${written}`);
    for (const words of [["docs-root", "--create"], ["get", "docs_root"], ["list"]]) {
      const failed = await config(...words);
      expect(failed).toMatchObject({ code: 1, stdout: "" });
      expect(failed.stderr).toContain("docs_root");
      expect(failed.stderr).toContain(shown);
      expect(failed.stderr).toContain(reason);
    }
    const check = await config("check");
    expect(check.code).toBe(1);
    expect(check.stdout).toContain(`config.yaml:1: error: docs_root '`);
    expect(existsSync(join(root, "docs"))).toBe(false);
  });

  test("config-19 a number is a directory name", async () => {
    const { team, config } = repository();
    team("docs_root: 2024");
    expect(await config("docs-root")).toEqual(ok("2024\n"));
  });

  test("config-20 a link out of the repository is refused", async () => {
    const { root, team, config } = repository();
    mkdirSync(join(root, "../outside"));
    symlinkSync("../outside", join(root, "link"));
    for (const value of ["link", "link/sub"]) {
      team(`docs_root: ${value}`);
      const failed = await config("docs-root", "--create");
      expect(failed).toMatchObject({ code: 1, stdout: "" });
      expect(failed.stderr).toContain(`docs_root '${value}' in config.yaml: resolves outside the repository`);
    }
    expect(existsSync(join(root, "../outside/sub"))).toBe(false);
  });

  test("config-21 a file is no root and no parent of one", async () => {
    const { root, team, config } = repository();
    writeFileSync(join(root, "afile"), "");
    team("docs_root: afile");
    expect((await config("docs-root")).stderr).toContain("names an existing non-directory");
    team("docs_root: afile/x");
    const failed = await config("docs-root");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("an intermediate path component is not a directory");
  });

  test("config-22 docs itself may be a link out, unless it is set", async () => {
    const { root, team, config } = repository();
    mkdirSync(join(root, "../outside"));
    symlinkSync("../outside", join(root, "docs"));
    expect(await config("docs-root")).toEqual(ok("docs\n"));
    expect((await config("docs-root", "--absolute")).stdout).toBe(`${join(root, "../outside")}\n`);
    team("docs_root: docs");
    expect(await config("docs-root")).toMatchObject({ code: 1, stdout: "" });
  });

  test("config-37 a broken file is fatal only when it names docs_root", async () => {
    const { team, config } = repository();
    team("foo: [", "# docs_root: commented");
    const { code, stdout, stderr } = await config("docs-root");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "docs\n" });
    expect(stderr).toMatch(/^warning: config\.yaml:\d+: /);
    team("docs_root: art", "foo: [");
    const failed = await config("docs-root");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(/^jig config: config\.yaml:\d+:\d+: /);
  });

  test("null and a commented key are unset", async () => {
    const { team, config } = repository();
    for (const line of ["docs_root:", "docs_root: ~", "# docs_root: art"]) {
      team(line);
      expect(await config("docs-root")).toEqual(ok("docs\n"));
    }
  });

  test("SUBDIR is a relative path without '..', a wrong one is exit 2", async () => {
    const { config } = repository();
    for (const wrong of ["..", "a/../b", "/etc", "", ".", "a\nb", "a\ufffd"]) {
      expect(await config("docs-root", wrong, "--create")).toMatchObject({ code: 2, stdout: "" });
    }
    expect(await config("docs-root", "./plans//x/")).toEqual(ok("docs/plans/x\n"));
  });

  test("below a set root no link leads out of the repository", async () => {
    const { root, team, config } = repository();
    mkdirSync(join(root, "art"));
    mkdirSync(join(root, "../outside"));
    symlinkSync("../../outside", join(root, "art/plans"));
    team("docs_root: art");
    expect((await config("docs-root", "plans")).stderr).toContain("resolves outside the repository");
  });

  test("creating over a file says so", async () => {
    const { root, config } = repository();
    writeFileSync(join(root, "docs"), "");
    const failed = await config("docs-root", "plans", "--create");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain(`cannot create ${root}/docs/plans`);
  });
});

describe("checkDocsRoot", () => {
  test("accepts only what lies below the repository and outside .git", () => {
    const root = join(tempDir(), "repo");
    mkdirSync(join(root, ".git"), { recursive: true });
    mkdirSync(join(root, "real"));
    mkdirSync(join(root, "../outside"));
    symlinkSync("../outside", join(root, "out"));
    symlinkSync("real", join(root, "in"));
    symlinkSync(".git", join(root, "dot"));
    const part = fc.constantFrom(
      "a",
      "real",
      "out",
      "in",
      "dot",
      ".git",
      ".GIT",
      "..",
      ".",
      "",
      "x y",
      "\\",
      "é",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.boolean(), (parts, slash) => {
        const result = checkDocsRoot(root, (slash ? "/" : "") + parts.join("/"));
        if ("reason" in result) return;
        expect(isStrictlyInside(root, result.absolute)).toBe(true);
        expect(
          result.absolute
            .slice(root.length)
            .split("/")
            .map((name) => name.toLowerCase()),
        ).not.toContain(".git");
        expect(result.root).not.toMatch(/^\/|\/$|\/\/|(^|\/)\.\.?(\/|$)/);
      }),
    );
  });
});
