import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canMount, smallDisk } from "../support/disk.ts";
import { ANCHOR, readJson, world } from "./fixture.ts";

const asked = ["--source", "askuserquestion"];

test("base-dir-30 makes the directories and prints the anchor", async () => {
  const w = world();
  const base = w.at("newdir/deep");
  const run = await w.run(w.root, ["record", "--base", base, ...asked]);
  expect([run.code, run.stdout, run.stderr]).toEqual([0, `anchor: ${base}/${ANCHOR}\n`, ""]);
  expect(readJson(join(base, ANCHOR))).toMatchObject({ version: 1, base, source: "askuserquestion" });
  const json = await w.run(w.root, ["record", "--base", base, ...asked, "--json"]);
  expect(json.stdout).toBe(`${JSON.stringify({ anchor: join(base, ANCHOR) })}\n`);
});

test("base-dir-31 a tip for a repository, once; a repeat changes nothing", async () => {
  const w = world();
  const repo = w.repo("repo");
  const first = await w.run(w.root, ["record", "--base", repo, ...asked, "--json"]);
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(/^tip: [^\n]*\n$/);
  expect(first.stderr).toContain(ANCHOR);
  expect(first.stderr).toContain("~/.config/git/ignore");
  const before = readFileSync(join(repo, ANCHOR));
  const again = await w.run(w.root, ["record", "--base", repo, "--source", "cwd-inference"]);
  expect([again.code, again.stderr]).toEqual([0, ""]);
  expect(readFileSync(join(repo, ANCHOR))).toEqual(before);
});

test("base-dir-32 an anchor that names another directory wins", async () => {
  const w = world();
  const file = w.anchor("other", { base: w.at("proj") });
  const before = readFileSync(file);
  const run = await w.run(w.root, ["record", "--base", w.at("other"), ...asked]);
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain(`records base=${w.at("proj")}`);
  expect(run.stderr).toContain("refusing to overwrite");
  expect(readFileSync(file)).toEqual(before);
});

test("base-dir-33 a relative base is exit 1, wrong or missing flags are exit 2, nothing is written", async () => {
  const w = world();
  const relative = await w.run(w.root, ["record", "--base", "rel", ...asked]);
  expect([relative.code, relative.stdout]).toEqual([1, ""]);
  expect(relative.stderr).toMatch(/^Error: base must be an absolute path/);
  const x = w.at("x");
  for (const words of [
    ["--base", x, "--source", "task-scope"],
    ["--base", x],
    asked,
    ["--base", x, ...asked, "y"],
  ]) {
    const run = await w.run(w.root, ["record", ...words]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toContain("usage: jig base-dir record");
  }
  const control = await w.run(w.root, ["record", "--base", `${x}\n`, ...asked]);
  expect(control.code).toBe(1);
  expect(control.stderr).toContain("contains a control character");
  expect(readdirSync(w.root)).toEqual(["home"]);
});

test("the path is normalised, with .. resolved on the real file system", async () => {
  const w = world();
  mkdirSync(w.at("deep/target"), { recursive: true });
  symlinkSync("deep/target", w.at("link"));
  const cases = [
    [`${w.root}//a/./b///`, w.at("a/b")],
    [`${w.root}/missing/../c`, w.at("c")],
    [`${w.root}/link/../d`, w.at("deep/d")],
    [`${w.root}/link/e/`, w.at("link/e")],
  ];
  for (const [given, expected] of cases) {
    const run = await w.run(w.root, ["record", "--base", given!, ...asked]);
    expect(run.stdout).toBe(`anchor: ${expected}/${ANCHOR}\n`);
    expect(readJson(join(expected!, ANCHOR))["base"]).toBe(expected);
  }
  expect(existsSync(w.at("missing"))).toBe(false);
  // The same directory by its other name is the same base.
  expect((await w.run(w.root, ["record", "--base", w.at("deep/target/e"), ...asked])).code).toBe(0);
});

test("resolve and record agree on one anchor when they race", async () => {
  const w = world();
  const proj = w.dir("proj");
  const runs = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      w.run(proj, index % 2 ? ["resolve"] : ["record", "--base", proj, ...asked]),
    ),
  );
  expect(runs.map((run) => [run.code, run.stderr])).toEqual(runs.map(() => [0, ""]));
  expect(readdirSync(proj)).toEqual([ANCHOR]);
});

test.runIf(canMount)("a full disk is exit 1 with the reason, and leaves no half anchor", async () => {
  const w = world();
  const disk = smallDisk();
  writeFileSync(join(disk, "filler"), "x".repeat(65_536));
  const run = await w.run(disk, ["resolve"]);
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toBe(`Error: cannot write ${join(disk, ANCHOR)}: no space left on device\n`);
  expect(readdirSync(disk)).toEqual(["filler"]);
});
