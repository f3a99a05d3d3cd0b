import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { detect } from "../../src/craft/detect/detect.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

function place(files: Record<string, string>) {
  const path = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}
const ask = (directory: string, options: { testCommand?: boolean; json?: boolean } = {}) =>
  detect(testHost({ cwd: directory, env: { PATH: process.env["PATH"] } }), {
    directory: undefined,
    testCommand: false,
    json: false,
    ...options,
  });

describe("detect", () => {
  test("craft-engine-44 the first file wins; nothing is exit 1; --json is always whole", async () => {
    expect(await ask(place({ "go.mod": "", "package-lock.json": "{}" }))).toMatchObject({
      text: "npm",
      exitCode: 0,
    });
    const empty = place({});
    expect(await ask(empty)).toMatchObject({ text: "", exitCode: 1 });
    const report = await ask(empty, { json: true });
    expect(report.exitCode ?? 0).toBe(0);
    expect(report.data).toEqual({
      ecosystem: null,
      lockfile: null,
      testCmd: null,
      hasRemote: false,
      harnessTechniques: [],
      existingNames: [],
    });
  });

  test.each<[Record<string, string>, string | null]>([
    [{ "package.json": '{"scripts":{"test":"x"}}' }, "npm test"],
    [{ "package.json": '{"scripts":{"test":"x"}}', "pnpm-lock.yaml": "" }, "pnpm test"],
    [{ "package.json": '{"scripts":{"test":"x"}}', "bun.lock": "" }, "bun run test"],
    [{ "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, null],
    [{ "package.json": "{", Makefile: "X := 1\n.PHONY: test\nbuild test: all\n\ttrue\n" }, "make test"],
    [{ Makefile: "test := x\ntest_all:\n" }, null],
    [{ "Cargo.toml": "", "go.mod": "" }, "cargo test"],
    [{ "go.mod": "" }, "go test ./..."],
    [{ "pyproject.toml": "[tool.pytest.ini_options]\n", "uv.lock": "" }, "uv run pytest"],
    [{ "setup.cfg": "[tool:pytest]\n" }, "pytest"],
    [{ "pytest.ini": "", "poetry.lock": "" }, "poetry run pytest"],
    [{ "deno.jsonc": '{ // c\n "tasks": { "test": "deno test // x", },\n}' }, "deno task test"],
    [{ "composer.json": '{"scripts":{"test":["phpunit"]}}' }, "composer test"],
    [{ "composer.json": "[]" }, null],
  ])("the test command of %j is %s", async (files, expected) => {
    const found = await ask(place(files), { testCommand: true });
    expect(found).toMatchObject({ text: expected ?? "", exitCode: expected === null ? 1 : 0 });
  });

  test("techniques come from scripts, targets and manifests; names and remote are seen", async () => {
    const path = place({
      "package.json": '{"scripts":{"lint":"x","other":"y"}}',
      Makefile: "mutation:\n\ttrue\n",
      ".claude/workflow.md":
        "---\nphases: { validation: { harness: { techniques: [{ id: fuzz }] } } }\n---\n",
      ".claude/craft-ci.md": "---\nphases: [\n---\n",
      ".claude/craft-b.md": "---\nphases: 3\n---\n",
    });
    execFileSync("git", ["init", "-q", path]);
    execFileSync("git", ["-C", path, "remote", "add", "origin", "/nowhere"]);
    expect((await ask(path, { json: true })).data).toMatchObject({
      hasRemote: true,
      harnessTechniques: ["fuzz", "lint", "mutation"],
      existingNames: ["b", "ci"],
    });
  });
});
