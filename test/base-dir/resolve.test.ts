import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { runUnprivileged } from "../support/unprivileged.ts";
import { ANCHOR, hasAnchor, readJson, world } from "./fixture.ts";

const isRoot = process.geteuid?.() === 0;

describe("shared-root form", () => {
  test("base-dir-1 anchors the working directory", async () => {
    const w = world();
    const proj = w.dir("proj");
    const run = await w.run(proj, ["resolve", "--json"]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toBe(
      `${JSON.stringify({ status: "resolved", base: proj, source: "cwd-inference", anchor: join(proj, ANCHOR) })}\n`,
    );
    const anchor = readJson(join(proj, ANCHOR));
    expect(anchor).toEqual({
      version: 1,
      base: proj,
      source: "cwd-inference",
      resolved_at: anchor["resolved_at"],
    });
    expect(anchor["resolved_at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(readdirSync(proj)).toEqual([ANCHOR]);
  });

  test("base-dir-2 a second call reads the anchor and leaves its bytes", async () => {
    const w = world();
    const proj = w.dir("proj");
    await w.run(proj, ["resolve", "--json"]);
    const before = readFileSync(join(proj, ANCHOR));
    const run = await w.run(proj, ["resolve", "--json"]);
    expect(JSON.parse(run.stdout).source).toBe("anchor");
    expect(readFileSync(join(proj, ANCHOR))).toEqual(before);
  });

  test("base-dir-3 text output", async () => {
    const w = world();
    const proj = w.dir("proj");
    const run = await w.run(proj, ["resolve"]);
    expect(run.stdout).toBe(
      `status: resolved\nbase:   ${proj}\nsource: cwd-inference\nanchor: ${join(proj, ANCHOR)}\n`,
    );
  });

  test("base-dir-4 at home only a person can decide, and nothing is made", async () => {
    const w = world();
    const home = w.at("home");
    const run = await w.run(home, ["resolve", "--json"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toBe(
      `${JSON.stringify({ status: "needs-user-input", base: null, source: null, candidates: [w.tmpbase, home] })}\n`,
    );
    expect(readdirSync(w.root)).toEqual(["home"]);
    expect(readdirSync(home)).toEqual([]);
    const text = await w.run(home, ["resolve"]);
    expect(text.stdout).toBe(`status: needs-user-input\ncandidates:\n  - ${w.tmpbase}\n  - ${home}\n`);
  });

  test("base-dir-5 below ~/.claude it is the same", async () => {
    const w = world();
    const below = w.dir("home/.claude/x/y");
    const run = await w.run(below, ["resolve", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: "needs-user-input",
      candidates: [w.tmpbase, below],
    });
  });

  test("base-dir-6 the temp candidate's anchor wins over home's", async () => {
    const w = world();
    w.anchor("t/claude-code");
    w.anchor("home");
    const run = await w.run(w.at("home"), ["resolve", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ base: w.tmpbase, source: "anchor" });
  });

  test("base-dir-7 home's own anchor counts when the temp candidate has none", async () => {
    const w = world();
    w.anchor("home");
    const run = await w.run(w.at("home"), ["resolve", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ base: w.at("home"), source: "anchor" });
  });

  test("base-dir-8 an invalid anchor in the temp candidate is fatal", async () => {
    const w = world();
    w.anchor("t/claude-code", { version: 2 });
    w.anchor("home");
    const run = await w.run(w.at("home"), ["resolve", "--json"]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toMatch(/^Error: .*has version=2.*Delete the anchor and re-resolve\.\n$/);
  });

  test("base-dir-9 home spelled through a symlink is still home", async () => {
    const w = world();
    symlinkSync(w.at("home"), w.at("alias"));
    const run = await w.run(w.at("home"), ["resolve", "--json"], { env: { HOME: w.at("alias") } });
    expect(JSON.parse(run.stdout).status).toBe("needs-user-input");
  });

  test("base-dir-10 an unset or empty HOME is fatal in the shared form only", async () => {
    const w = world();
    const proj = w.repo("proj");
    for (const HOME of [undefined, ""]) {
      const run = await w.run(proj, ["resolve"], { env: { HOME } });
      expect([run.code, run.stdout, run.stderr]).toEqual([
        1,
        "",
        "HOME environment variable is not set or is empty\n",
      ]);
      expect((await w.run(proj, ["resolve", "t"], { env: { HOME } })).code).toBe(0);
    }
  });

  test("base-dir-37 a subdirectory of a repository is its own base", async () => {
    const w = world();
    const repo = w.repo("repo");
    const sub = w.dir("repo/sub");
    const run = await w.run(sub, ["resolve", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ base: sub, source: "cwd-inference" });
    expect(run.stderr).toBe("");
    expect(readdirSync(repo).sort()).toEqual([".git", "sub"]);
  });

  test("base-dir-38 a drifted working directory gets a note naming the anchor above", async () => {
    const w = world();
    const repo = w.repo("repo");
    expect(JSON.parse((await w.run(repo, ["resolve", "--json"])).stdout).base).toBe(repo);
    const sub = w.dir("repo/sub2");
    const run = await w.run(sub, ["resolve", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ base: sub, source: "cwd-inference" });
    expect(run.stderr).toMatch(/^note: [^\n]*\n$/);
    expect(run.stderr).toContain(join(repo, ANCHOR));
    // An anchor above the repository root is somebody else's.
    w.anchor(".");
    const other = w.repo("other");
    expect((await w.run(other, ["resolve"])).stderr).toBe("");
  });

  test("base-dir-42 ~/.claude reached through its link is still home", async () => {
    const w = world();
    const below = w.dir("dots/x");
    symlinkSync(w.at("dots"), w.at("home/.claude"));
    const run = await w.run(below, ["resolve", "--json"]);
    expect(JSON.parse(run.stdout).status).toBe("needs-user-input");
  });

  test.runIf(isRoot)("a temp candidate of another user is ignored with a warning", async () => {
    const w = world();
    const home = w.at("home");
    for (const planted of ["directory", "anchor", "link", "loop"]) {
      const other = w.dir(`tmp-${planted}`);
      const candidate = join(other, "claude-code");
      if (planted === "link") {
        w.anchor("mine");
        symlinkSync(w.at("mine"), candidate);
        lchownSync(candidate, 12_345, 12_345);
      } else if (planted === "loop") {
        symlinkSync(candidate, candidate);
        lchownSync(candidate, 12_345, 12_345);
      } else {
        const file = w.anchor(`tmp-${planted}/claude-code`);
        chownSync(planted === "directory" ? candidate : file, 12_345, 12_345);
      }
      const run = await w.run(home, ["resolve", "--json"], { env: { JIG_TMP_ROOT: other } });
      expect(JSON.parse(run.stdout)).toMatchObject({
        status: "needs-user-input",
        candidates: [candidate, home],
      });
      expect(run.stderr).toMatch(/^warning: [^\n]*\n$/);
    }
  });

  test("a temp candidate of ours that cannot be looked at is fatal", async () => {
    const w = world();
    w.dir("t");
    symlinkSync(w.tmpbase, w.tmpbase);
    const run = await w.run(w.at("home"), ["resolve"]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toBe(`Error: cannot look at ${w.tmpbase}: too many levels of symbolic links\n`);
  });

  test("a home that cannot be looked at is not where we are, unless it is spelled so", async () => {
    const w = world();
    const proj = w.dir("proj");
    symlinkSync("loop", w.at("loop"));
    const elsewhere = await w.run(proj, ["resolve", "--dry-run", "--json"], { env: { HOME: w.at("loop") } });
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ source: "cwd-inference", base: proj });
    symlinkSync("loop", w.dir("home2") + "/.claude");
    const run = (cwd: string) => w.run(cwd, ["resolve", "--json"], { env: { HOME: w.at("home2") } });
    expect(JSON.parse((await run(proj)).stdout)).toMatchObject({ source: "cwd-inference" });
    expect(JSON.parse((await run(w.at("home2"))).stdout).status).toBe("needs-user-input");
  });

  test("a directory's name forges no line of a message and reaches no terminal", async () => {
    const w = world();
    const cwd = w.dir("a\u001b[31m\nstatus: resolved");
    writeFileSync(join(cwd, ANCHOR), "[]");
    for (const words of [["resolve"], ["resolve", "x"]]) {
      const run = await w.run(cwd, words);
      expect([run.code, run.stdout]).toEqual([1, ""]);
      expect(run.stderr).toMatch(/^[^\n\u001b]*a\\x1b\[31m\\x0astatus: resolved[^\n\u001b]*\n$/);
    }
  });

  test("a relative JIG_TMP_ROOT is an error", async () => {
    const w = world();
    const run = await w.run(w.dir("proj"), ["resolve"], { env: { JIG_TMP_ROOT: "rel" } });
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toMatch(/^Error: JIG_TMP_ROOT .*absolute/);
  });

  test.runIf(process.platform !== "win32")(
    "base-dir-29 an unwritable directory fails with the reason, unless it is anchored already",
    async () => {
      const w = world();
      const ro = w.dir("ro");
      const giveAway = (path: string) => isRoot && chownSync(path, 65_534, 65_534);
      for (const path of [w.root, ro, w.at("home")]) giveAway(path);
      chmodSync(ro, 0o555);
      const env = { HOME: w.at("home"), JIG_TMP_ROOT: w.at("t") };
      const run = (...words: string[]) => runUnprivileged(["base-dir", ...words], { cwd: ro, env });
      for (const words of [["resolve"], ["resolve", "--dry-run"]]) {
        const { code, stdout, stderr } = await run(...words);
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toBe(`Error: cannot write ${join(ro, ANCHOR)}: permission denied\n`);
      }
      expect(readdirSync(ro)).toEqual([]);
      chmodSync(ro, 0o755);
      giveAway(w.anchor("ro"));
      chmodSync(ro, 0o555);
      expect(JSON.parse((await run("resolve", "--json")).stdout)).toMatchObject({
        base: ro,
        source: "anchor",
      });
    },
  );
});

describe("task form", () => {
  test("base-dir-11 and its repeat: a task folder below the root, from anywhere in the repository", async () => {
    const w = world();
    const repo = w.repo("repo");
    const sub = w.dir("repo/sub");
    const base = join(repo, "researches/my-topic");
    const expected = {
      status: "resolved",
      base,
      source: "task-scope",
      anchor: join(base, ANCHOR),
      task_name: "researches/my-topic",
    };
    const run = await w.run(sub, ["resolve", "researches/my-topic", "--json"]);
    expect(run.stdout).toBe(`${JSON.stringify(expected)}\n`);
    expect(readJson(join(base, ANCHOR))).toMatchObject({ version: 1, base, source: "task-scope" });
  });

  test("base-dir-12 the second call answers from the anchor", async () => {
    const w = world();
    const repo = w.repo("repo");
    await w.run(repo, ["resolve", "researches/my-topic"]);
    const again = await w.run(w.dir("repo/sub"), ["resolve", "researches/my-topic", "--json"]);
    const base = join(repo, "researches/my-topic");
    expect(JSON.parse(again.stdout)).toEqual({
      status: "resolved",
      base,
      source: "anchor",
      anchor: join(base, ANCHOR),
      task_name: "researches/my-topic",
    });
    const text = await w.run(repo, ["resolve", "researches/my-topic"]);
    expect(text.stdout.split("\n").at(-2)).toBe("task_name: researches/my-topic");
  });

  test("base-dir-13 a .git file marks a repository, a dangling .git link does not", async () => {
    const w = world();
    const repo = w.dir("repo");
    writeFileSync(join(repo, ".git"), "gitdir: /nowhere\n");
    const nested = w.dir("repo/nested");
    symlinkSync("/nowhere/at/all", join(nested, ".git"));
    const run = await w.run(nested, ["resolve", "researches/my-topic", "--json"]);
    expect(JSON.parse(run.stdout).base).toBe(join(repo, "researches/my-topic"));
  });

  test("base-dir-14 outside any repository: one fixed line, no JSON", async () => {
    const w = world();
    const cwd = w.dir("plain");
    const run = await w.run(cwd, ["resolve", "x", "--json"]);
    expect([run.code, run.stdout, run.stderr]).toEqual([
      1,
      "",
      `cannot resolve task-scope base-dir: no .git ancestor found from CWD ${cwd}. cd to the repo root and retry.\n`,
    ]);
  });

  test("base-dir-15 a name that leaves the repository", async () => {
    const w = world();
    const repo = w.repo("repo");
    for (const name of ["../outside", "a/../../escaped"]) {
      const run = await w.run(repo, ["resolve", name]);
      expect([run.code, run.stdout]).toEqual([1, ""]);
      expect(run.stderr).toContain(`task_name '${name}' resolves outside the repo root`);
      expect(run.stderr).toContain("refusing to create a task folder outside the repo");
      expect(run.stderr).not.toMatch(/^Error/);
    }
    expect([readdirSync(w.root).sort(), readdirSync(repo)]).toEqual([["home", "repo"], [".git"]]);
  });

  test("base-dir-16 a name that means the root itself", async () => {
    const w = world();
    const repo = w.repo("repo");
    for (const name of [".", "", "design-docs/..", "./"]) {
      const run = await w.run(repo, ["resolve", name]);
      expect([name, run.code, run.stdout]).toEqual([name, 1, ""]);
      expect(run.stderr).toContain(`task_name '${name}' resolves to the repo root`);
      expect(run.stderr).toContain("is not a task folder");
    }
    expect(readdirSync(repo)).toEqual([".git"]);
  });

  test("base-dir-17 an absolute name outside the repository is unset", async () => {
    const w = world();
    const repo = w.repo("repo");
    const name = w.at("elsewhere/x");
    const run = await w.run(repo, ["resolve", name, "--json"]);
    const expected = {
      status: "unset",
      base: null,
      source: "absolute-path-arg",
      anchor: null,
      task_name: name,
    };
    expect([run.code, run.stdout]).toEqual([0, `${JSON.stringify(expected)}\n`]);
    expect(existsSync(w.at("elsewhere"))).toBe(false);
    const text = await w.run(repo, ["resolve", name]);
    expect(text.stdout).toBe(`status: unset\nsource: absolute-path-arg\ntask_name: ${name}\n`);
  });

  test("base-dir-18 the absolute root is unset and gets no anchor", async () => {
    const w = world();
    const repo = w.repo("repo");
    const run = await w.run(repo, ["resolve", repo, "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "unset", task_name: repo });
    expect(hasAnchor(repo)).toBe(false);
  });

  test("base-dir-19 a file-like name makes a directory of that name, with a note", async () => {
    const w = world();
    const repo = w.repo("repo");
    const name = join(repo, "researches/t/report.md");
    const run = await w.run(repo, ["resolve", name, "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "resolved", base: name, source: "task-scope" });
    expect(run.stderr).toMatch(/^note: [^\n]*\n$/);
    expect(hasAnchor(name)).toBe(true);
    expect((await w.run(repo, ["resolve", name])).stderr).toBe("");
    expect((await w.run(repo, ["resolve", "plain"])).stderr).toBe("");
  });

  test("base-dir-20 a symlink that leaves the repository; one that stays is followed", async () => {
    const w = world();
    const repo = w.repo("repo");
    symlinkSync(w.dir("outside"), join(repo, "link"));
    const run = await w.run(repo, ["resolve", "link/t"]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("resolves outside the repo root");
    expect(existsSync(w.at("outside/t"))).toBe(false);
    symlinkSync(w.dir("repo/real"), join(repo, "stays"));
    const stays = await w.run(repo, ["resolve", "stays/t", "--json"]);
    expect(JSON.parse(stays.stdout).base).toBe(join(repo, "real/t"));
  });

  test("base-dir-21 a name inside .git", async () => {
    const w = world();
    const repo = w.repo("repo");
    symlinkSync(join(repo, ".git"), join(repo, "g"));
    for (const name of [".git/x", ".git", "g/x"]) {
      const run = await w.run(repo, ["resolve", name]);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain(`task_name '${name}' resolves inside .git`);
    }
    expect(readdirSync(join(repo, ".git"))).toEqual([]);
  });

  test("base-dir-22 spaces, quotes and other scripts stay verbatim", async () => {
    const w = world();
    const repo = w.repo("repo");
    for (const name of ["name with space", 'it\'s "quoted" $HOME', "設計/ü"]) {
      const run = await w.run(repo, ["resolve", name]);
      expect(run.stdout).toContain(`\nbase:   ${join(repo, name)}\n`);
    }
    expect((await w.run(repo, ["resolve", "--", "-x"])).stdout).toContain(`base:   ${join(repo, "-x")}\n`);
  });

  test("base-dir-23 a control character or broken UTF-8 could forge output", async () => {
    const w = world();
    const repo = w.repo("repo");
    for (const name of ["a\nb", "a\tb", "a\u007fb"]) {
      const run = await w.run(repo, ["resolve", name]);
      expect([run.code, run.stdout]).toEqual([1, ""]);
      expect(run.stderr).toContain("contains a control character");
    }
    const sh = `exec "$0" base-dir resolve "$(printf 'a\\377b')"`;
    const env = { HOME: w.at("home"), JIG_TMP_ROOT: w.at("t") };
    const bytes = await runJig(["-c", sh, JIG], { program: "/bin/sh", cwd: repo, env });
    expect(bytes.code).toBe(1);
    expect(bytes.stderr).toContain("is not valid UTF-8");
    expect(readdirSync(repo)).toEqual([".git"]);
  });

  // Other systems refuse such a name.
  test.runIf(process.platform === "linux")(
    "a working directory that is not valid UTF-8 is refused",
    async () => {
      const w = world();
      const sh = `cd "$(printf 'bad\\377')" && exec "$0" base-dir resolve`;
      mkdirSync(Buffer.concat([Buffer.from(`${w.root}/bad`), Buffer.from([0xff])]));
      const env = { HOME: w.at("home"), JIG_TMP_ROOT: w.at("t") };
      const run = await runJig(["-c", sh, JIG], { program: "/bin/sh", cwd: w.root, env });
      expect([run.code, run.stdout]).toEqual([1, ""]);
      expect(run.stderr).toContain("is not valid UTF-8");
      // A directory that really has the replacement character in its name is fine.
      const real = w.dir("real\ufffd");
      expect((await w.run(real, ["resolve"])).code).toBe(0);
    },
  );

  test("base-dir-40 an absolute name inside .git", async () => {
    const w = world();
    const repo = w.repo("repo");
    const run = await w.run(repo, ["resolve", join(repo, ".git/x")]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("inside .git");
  });

  test("base-dir-41 an absolute name through a link into the repository is inside", async () => {
    const w = world();
    const repo = w.repo("repo");
    symlinkSync(repo, w.at("link"));
    const name = w.at("link/t");
    const run = await w.run(repo, ["resolve", name, "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: "resolved",
      base: join(repo, "t"),
      task_name: name,
    });
  });

  test("a file in the way: exit 1 and the file stays, also in a dry run", async () => {
    const w = world();
    const repo = w.repo("repo");
    writeFileSync(join(repo, "file"), "x");
    for (const [name, why] of [
      ["file", /file exists|is not a directory/],
      ["file/t", /not a directory/],
    ] as const) {
      for (const extra of [[], ["--dry-run"]]) {
        const run = await w.run(repo, ["resolve", name, ...extra]);
        expect([run.code, run.stdout]).toEqual([1, ""]);
        expect(run.stderr).toMatch(/^Error: /);
        expect(run.stderr).toMatch(why);
      }
    }
    expect(readFileSync(join(repo, "file"), "utf8")).toBe("x");
  });

  test("an invalid task anchor is fatal and stays", async () => {
    const w = world();
    const repo = w.repo("repo");
    const file = w.anchor("repo/t", { base: w.at("elsewhere") });
    const before = readFileSync(file);
    const run = await w.run(repo, ["resolve", "t"]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("refusing to use");
    expect(readFileSync(file)).toEqual(before);
  });
});

test("base-dir-39 a dry run decides the same and makes nothing", async () => {
  const w = world();
  const proj = w.repo("proj");
  for (let turn = 0; turn < 2; turn++) {
    const run = await w.run(proj, ["resolve", "--dry-run", "--json"]);
    expect(run.stdout).toBe(
      `${JSON.stringify({ status: "resolved", base: proj, source: "cwd-inference", anchor: null })}\n`,
    );
    expect(hasAnchor(proj)).toBe(false);
  }
  expect((await w.run(proj, ["resolve", "--dry-run"])).stdout).toBe(
    `status: resolved\nbase:   ${proj}\nsource: cwd-inference\n`,
  );
  const task = await w.run(proj, ["resolve", "t", "--dry-run", "--json"]);
  expect(JSON.parse(task.stdout)).toMatchObject({
    base: join(proj, "t"),
    source: "task-scope",
    anchor: null,
  });
  expect(existsSync(join(proj, "t"))).toBe(false);
  expect((await w.run(proj, ["resolve", "../x", "--dry-run"])).code).toBe(1);
  const anchor = w.anchor("proj");
  const anchored = await w.run(proj, ["resolve", "--dry-run", "--json"]);
  expect(JSON.parse(anchored.stdout)).toMatchObject({ source: "anchor", anchor });
});

test("base-dir-34 fifty calls at once: one writes, all agree", async () => {
  const w = world();
  const repo = w.repo("repo");
  const runs = await Promise.all(
    Array.from({ length: 50 }, () => w.run(repo, ["resolve", "t", "--json"], { timeout: 60_000 })),
  );
  expect(runs.map((run) => [run.code, run.stderr])).toEqual(runs.map(() => [0, ""]));
  const answers = runs.map((run) => JSON.parse(run.stdout) as { base: string; source: string });
  expect(new Set(answers.map((answer) => answer.base))).toEqual(new Set([join(repo, "t")]));
  expect(answers.filter((answer) => answer.source === "task-scope")).toHaveLength(1);
  expect(answers.filter((answer) => answer.source === "anchor")).toHaveLength(49);
  expect(readJson(join(repo, "t", ANCHOR))).toMatchObject({ version: 1, source: "task-scope" });
  expect(readdirSync(join(repo, "t"))).toEqual([ANCHOR]);
}, 60_000);

test("base-dir-36 under the name cafleet", async () => {
  const w = world();
  const proj = w.dir("proj");
  w.anchor("proj");
  const link = await runJig(["link", w.at("bin"), "cafleet"]);
  expect(link.code).toBe(0);
  const env = { HOME: w.at("home"), JIG_TMP_ROOT: w.at("t") };
  const cafleet = (words: string[]) => runJig(words, { program: w.at("bin/cafleet"), cwd: proj, env });
  const plain = await w.run(proj, ["resolve", "--json"]);
  expect((await cafleet(["--json", "base-dir", "resolve"])).stdout).toBe(plain.stdout);
  expect((await cafleet(["--session-id", "s", "base-dir", "resolve", "--json"])).stdout).toBe(plain.stdout);
  const pretty = await cafleet(["--json", "--pretty", "base-dir", "resolve"]);
  expect(pretty.stdout).toBe(`${JSON.stringify(JSON.parse(plain.stdout), null, 2)}\n`);
  const other = await cafleet(["member", "list"]);
  expect([other.code, other.stdout]).toEqual([2, ""]);
  expect(other.stderr).toContain("base-dir");
});

test("usage errors: exit 2, usage on stderr, nothing written", async () => {
  const w = world();
  const repo = w.repo("repo");
  for (const words of [["resolve", "a", "b"], ["resolve", "--nope"], ["what"], []]) {
    const run = await w.run(repo, words);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toContain("usage: jig base-dir");
  }
  expect(readdirSync(repo)).toEqual([".git"]);
});
