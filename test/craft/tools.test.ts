/** The engine's smaller commands as a user runs them: the compiled binary. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

function world(files: Record<string, string> = {}) {
  const base = tempDir();
  const cwd = join(base, "repo");
  const home = join(base, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const run = (words: string[], stdin = "") => runJig(words, { cwd, env: { HOME: home }, stdin });
  const craft = (...words: string[]) => run(["craft", ...words]);
  const as = (name: string, ...words: string[]) => run(["--as", name, ...words]);
  return { cwd, home, run, craft, as };
}

const CONTEXT = (count: number) =>
  `## Part 1 — X\n### Context\n${Array.from({ length: count }, (_, i) => `\`src/f${i}.ts\``).join(" ")}\n### TDD steps\n### Gate\n### Commit\n`;

describe("findings", () => {
  test("craft-engine-52 --out, --scope-file and two scopes", async () => {
    const { craft, cwd } = world({
      "raw.txt": "HIGH src/a.ts:3 — one | fix\nLOW src/b.ts:1 — two\n",
      "s.txt": "src/a.ts:1-5\n",
    });
    const out = join(cwd, "f.json");
    expect(await craft("normalize-findings", "raw.txt", "--out", "f.json")).toMatchObject({
      code: 0,
      stdout: `${out} n=2\n`,
    });
    const byFile = await craft("filter-findings", "--scope-file", "s.txt", "--repo-root", cwd, "f.json");
    const byText = await craft("filter-findings", "--scope", "src/a.ts:1-5", "--repo-root", cwd, "f.json");
    expect(byFile).toEqual(byText);
    expect(JSON.parse(byFile.stdout)).toEqual([
      { file: "src/a.ts", line: 3, severity: "HIGH", finding: "one", fix: "fix" },
    ]);
    expect(byFile.stderr).toMatch(/dropped.*src\/b\.ts.*\n.*1 of 2 findings dropped/);
    const both = await craft("filter-findings", "--scope", "a:*", "--scope-file", "s.txt", "f.json");
    expect(both).toMatchObject({ code: 2, stdout: "" });
  });

  test("craft-engine-54 a missing file is one prefixed line; answers come on standard input", async () => {
    const { craft, cwd, run } = world({ "m.md": "---\nhygiene: { gate: bogus }\n---\n" });
    for (const words of [
      ["normalize-findings", "/no/such"],
      ["filter-findings", "/no/such", "--scope", "a:1-2"],
    ]) {
      const { code, stdout, stderr } = await craft(...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(new RegExp(`^${words[0]}: /no/such: .*\n$`));
    }
    const emitted = await run(["craft", "init-emit", "", "out.md"], '{"gate":{"phase":"make check"}}');
    expect(emitted).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(cwd, "out.md"), "utf8")).toMatch(
      /^---\ngates:\n {2}phase: make check\n---\n\n# /,
    );
    expect(await craft("hygiene-gate", "m.md")).toMatchObject({
      code: 1,
      stderr: "hygiene-gate: unknown hygiene gate: bogus (expected one of advisory, blocking)\n",
    });
  });

  test("an empty scope keeps nothing; FILE '' is standard input", async () => {
    const { run } = world();
    const list = '[{"file":"/a","line":1,"extra":true}]';
    expect(await run(["craft", "filter-findings", "--scope", "", ""], list)).toMatchObject({
      code: 0,
      stdout: "[]\n",
    });
    const kept = await run(["craft", "filter-findings", "--scope", "/a:*"], list);
    expect(JSON.parse(kept.stdout)).toEqual(JSON.parse(list));
  });

  test("nothing is written over a symlink or on a failure", async () => {
    const { craft, cwd } = world({ "raw.txt": "HIGH a:1 — x\n", bad: "?", target: "kept" });
    symlinkSync(join(cwd, "target"), join(cwd, "link"));
    expect((await craft("normalize-findings", "raw.txt", "--out", "link")).code).toBe(2);
    expect((await craft("normalize-findings", "bad", "--out", "new")).code).toBe(2);
    expect(readFileSync(join(cwd, "target"), "utf8")).toBe("kept");
    expect(readdirSync(cwd).sort()).toEqual(["bad", "link", "raw.txt", "target"]);
  });
});

describe("plan-lint", () => {
  test("craft-engine-53 usage, the ceiling and its flag", async () => {
    const { as, craft } = world({ "p.md": CONTEXT(7), "none.md": "# x\n" });
    for (const name of ["plan-lint.sh", "plan-lint.js"]) {
      const { code, stderr } = await as(name);
      expect({ code, start: stderr.slice(0, 17) }).toEqual({ code: 2, start: "plan-lint: usage:" });
    }
    const over = await craft("plan-lint", "p.md");
    expect(over).toMatchObject({ code: 2, stderr: "" });
    expect(over.stdout).toContain('part "Part 1" declares 7 files — over the ceiling of 6. Split it.');
    expect((await craft("plan-lint", "p.md", "--file-ceiling", "7")).code).toBe(0);
    for (const bad of ["0", "x", "-1", "1.5", ""]) {
      expect((await craft("plan-lint", "p.md", `--file-ceiling=${bad}`)).stderr).toContain(
        "plan-lint: usage:",
      );
    }
    expect(await craft("plan-lint", "no.md")).toMatchObject({
      code: 2,
      stderr: "plan-lint: no such file: no.md\n",
    });
    expect(await craft("plan-lint", "none.md")).toMatchObject({
      code: 2,
      stdout: 'plan-lint: no "## Part" sections found — not a craft plan.\n',
    });
  });

  test("missing sections, files that parts share, spans that are files without looking so", async () => {
    const part = (n: number, rest: string) => `## Part ${n}\n### Context\n\`shared file\`\n${rest}`;
    const { craft } = world({
      "p.md": `${part(1, "### TDD steps\n### Gate\n### Commit\n")}${part(2, "### Gate\n")}`,
      "shared file": "",
    });
    const { stdout, code } = await craft("plan-lint", "p.md");
    expect(code).toBe(2);
    expect(stdout).toContain('plan-lint: part "Part 2" missing: TDD steps, Commit\n');
    expect(stdout).toContain("cognitive-locality warning — `shared file` is named by Part 1, Part 2\n");
    expect(stdout).toContain("plan-lint: 1 part(s) violate the schema. The plan phase cannot close.\n");
  });
});

describe("stub-lint and prose-lint", () => {
  test("finds are printed either way; blocking fails; a waiver exempts", async () => {
    const { craft } = world({
      "a.ts": "// todo\n",
      "b.md": "A robust, ROBUST plan.\n",
      "w.md": "STUB-WAIVE(a.ts): x",
    });
    expect(await craft("stub-lint", "a.ts")).toMatchObject({
      code: 0,
      stdout: "STUB-FOUND(a.ts): TODO@L1\n",
    });
    expect((await craft("stub-lint", "--gate", "blocking", "a.ts")).code).toBe(2);
    const waived = await craft("stub-lint", "--gate", "blocking", "--waiver-source", "w.md", "--", "a.ts");
    expect(waived).toMatchObject({ code: 0, stdout: "" });
    expect((await craft("prose-lint", "b.md")).stdout).toBe("SLOP-FOUND(b.md): robust\n");
    expect(await craft("stub-lint")).toMatchObject({ code: 0, stdout: "" });
  });

  test("unreadable counts when blocking, oversized is only noted", async () => {
    const { craft } = world({ "big.txt": "x".repeat(5_000_001) });
    expect((await craft("stub-lint", "--gate", "blocking", "big.txt")).code).toBe(0);
    const { code, stderr } = await craft("stub-lint", "--gate", "blocking", "no.ts");
    expect(code).toBe(2);
    expect(stderr).toContain("no.ts");
  });
});

describe("dod-assert", () => {
  test("judges gates and files inside the root, runs nothing", async () => {
    const criteria =
      "---\ncriteria:\n  - { id: g, kind: auto, assert: { gate: phase } }\n  - { id: f, kind: auto, assert: { file-exists: a.ts } }\n" +
      "  - { id: o, kind: auto, assert: { file-exists: ../home } }\n  - { id: j, kind: judgment }\n---\n";
    const { craft } = world({
      "dod.md": criteria,
      "a.ts": "",
      "free.md": "text\n",
      "bad.md": "---\ncriteria: 1\n---\n",
    });
    const { stdout } = await craft("dod-assert", "dod.md", ".", " phase ,x");
    expect(stdout).toBe(
      '{"outcomes":[{"id":"g","kind":"auto","outcome":"met"},{"id":"f","kind":"auto","outcome":"met"},' +
        '{"id":"o","kind":"auto","outcome":"unmet"},{"id":"j","kind":"judgment","outcome":"judgment"}]}\n',
    );
    expect((await craft("dod-assert", "dod.md", ".", "")).stdout).toContain(
      '"id":"g","kind":"auto","outcome":"unmet"',
    );
    expect((await craft("dod-assert", "free.md", ".")).stdout).toBe('{"outcomes":null}\n');
    for (const words of [["bad.md", "."], ["no.md", "."], ["dod.md"]]) {
      expect(await craft("dod-assert", ...words)).toMatchObject({ code: 1, stdout: "" });
    }
  });
});

describe("init", () => {
  test("craft-engine-46 a manifest that fails the lint is not landed", async () => {
    const { craft, cwd } = world({ ".claude/draft": "---\nnope: 1\n---\n", ".claude/craft-ci.md": "mine" });
    const landed = await craft("init-land", ".claude/draft", "ci");
    expect(landed).toMatchObject({ code: 1, stdout: "" });
    expect(landed.stderr).toContain("- unknown top-level key: nope");
    expect(readFileSync(join(cwd, ".claude/craft-ci.md"), "utf8")).toBe("mine");
    expect(readFileSync(join(cwd, ".claude/draft"), "utf8")).toBe("---\nnope: 1\n---\n");
  });

  test("a valid one is moved; scopes, shadow and symlinks", async () => {
    const { craft, cwd, home } = world({ ".claude/draft": "---\nexecution: agent\n---\n" });
    const path = join(cwd, ".claude/craft-ci.md");
    expect(await craft("init-land", ".claude/draft", "ci")).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(readdirSync(join(cwd, ".claude"))).toEqual(["craft-ci.md"]);
    const bad = await craft("init-land", "x", "ci", "--scope", "team");
    expect(bad.stderr).toBe('init-land: unknown --scope "team": must be one of local, user\n');
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/draft"), "---\nexecution: agent\n---\n");
    const user = await craft("init-land", join(home, ".claude/draft"), "ci", "--scope", "user");
    expect(user.stderr).toContain("will shadow this user-scope config at read time");
    expect(user.stdout).toBe(`${join(home, ".claude/craft-ci.md")}\n`);
  });

  test("init does all three steps; --dry-run and a refusal leave nothing", async () => {
    const { craft, cwd, run } = world({ "go.mod": "" });
    const dry = await craft("init", "ci", "--dry-run");
    expect(dry.stdout).toContain("phase: go test ./...");
    expect(readdirSync(cwd)).toEqual(["go.mod"]);
    const bad = await run(["craft", "init", "ci", "--answers", "-"], '{"execution":{"nope":"agent"}}');
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toContain("unknown phase: nope");
    expect(readdirSync(cwd)).toEqual(["go.mod"]);
    const path = join(cwd, ".claude/craft-ci.md");
    expect(await craft("init", "ci")).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(await craft("init", "ci")).toMatchObject({
      code: 1,
      stderr: `init: ${path} exists; --force replaces it\n`,
    });
    expect((await craft("init", "ci", "--force")).code).toBe(0);
    expect((await craft("config-resolve", "ci")).stdout).toBe(`${path}\n`);
  });

  test("a repository whose .claude leads elsewhere gets nothing written there", async () => {
    const { craft, cwd, home } = world();
    symlinkSync(home, join(cwd, ".claude"));
    expect((await craft("init", "ci")).code).toBe(1);
    expect(readdirSync(home)).toEqual([]);
    expect(lstatSync(join(cwd, ".claude")).isSymbolicLink()).toBe(true);
  });
});
