/** The run ledger as a user runs it: the compiled binary, real repositories, real processes. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const GIT = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];

function world() {
  const base = tempDir();
  const cwd = join(base, "r");
  const home = join(base, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  const git = (...words: string[]) => execFileSync("git", [...GIT, ...words], { cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "one");
  const runs = join(cwd, ".git/craft-runs");
  const run = (words: string[], stdin = "", at = cwd) =>
    runJig(["craft", "ledger", ...words], {
      cwd: at,
      env: { HOME: home, PATH: process.env["PATH"]! },
      stdin,
    });
  const file = (name: string) => readFileSync(join(runs, name), "utf8");
  return { base, cwd, home, git, runs, run, file };
}

const IMPACT = `title: retry counter survives a success
locus: src/net/retry.ts:L42
reason: out of scope
proof:
  node demo/retry.js --fail 2 --then ok && cat demo/state.json
expected: {"attempts":2}
`;
const STAMP = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;

describe("open and close", () => {
  test("craft-run-1 open makes three files that git cannot see, and prints the pointer", async () => {
    const { run, runs, file, git, base } = world();
    git("worktree", "add", "-q", join(base, "w"));
    const { code, stdout } = await run(["open", "demo"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^demo@${STAMP} ${runs}/demo\\.md\n$`));
    expect(file("demo.md")).toBe("# craft run record (append-only)\n");
    expect(file("demo.pointer")).toBe(stdout);
    expect(file("demo.impacts.md")).toBe("# craft discovered impacts (append-only)\n");
    for (const at of [".", join(base, "w")]) {
      expect(git("-C", at, "status", "--porcelain", "--ignored")).toBe("");
    }
  });

  test("craft-run-2 a second open is exit 3 and changes nothing", async () => {
    const { run, runs, file } = world();
    const first = await run(["open", "demo"]);
    const since = /@(\S+) /.exec(first.stdout)![1];
    const before = readdirSync(runs).map((name) => [name, file(name)]);
    const { code, stdout, stderr } = await run(["open", "demo"]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(`run-id demo already open since ${since}`);
    expect(readdirSync(runs).map((name) => [name, file(name)])).toEqual(before);
  });

  test("craft-run-3 of twenty opens at once one wins", async () => {
    const { run, file } = world();
    const codes = (await Promise.all(Array.from({ length: 20 }, () => run(["open", "demo"])))).map(
      (r) => r.code,
    );
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
    expect(codes.filter((code) => code === 3)).toHaveLength(19);
    expect(file("demo.md")).toBe("# craft run record (append-only)\n");
  });

  test("craft-run-4 bad words make nothing", async () => {
    const { run, runs } = world();
    for (const words of [["open", "Bad_Id"], ["open", "a\nb"], ["open", "demo", "extra"], ["open", ""], []]) {
      const { code, stdout } = await run(words);
      expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: "" });
    }
    expect(existsSync(runs)).toBe(false);
  });

  test("a seed is in the ledger with the open, or nothing is made", async () => {
    const { run, runs, file } = world();
    expect((await run(["open", "demo", "--seed", "-"], " \n\n")).code).toBe(2);
    expect(existsSync(runs)).toBe(false);
    await run(["open", "demo", "--seed", "-"], "RESOLVE: none\nEFFECTIVE: design\n");
    expect(file("demo.md")).toBe(
      "# craft run record (append-only)\ndemo resolve RESOLVE: none\ndemo resolve EFFECTIVE: design\n",
    );
    const again = await run(["open", "demo", "--seed", "-"], "RESOLVE: --skip x\n");
    expect(again.code).toBe(3);
    expect(file("demo.md")).not.toContain("--skip x");
  });

  test("a leftover with records is kept aside, a bare one replaced, a link refused", async () => {
    const { run, runs, file, base } = world();
    mkdirSync(runs);
    writeFileSync(join(runs, "demo.md"), "# craft run record (append-only)\ndemo p mine\n");
    writeFileSync(join(runs, "demo.impacts.md"), "# craft discovered impacts (append-only)\n");
    const { stderr, code } = await run(["open", "demo"]);
    expect(code).toBe(0);
    const kept = /kept leftover ledger as (\S+)/.exec(stderr)![1]!;
    expect(kept).toMatch(/demo\.orphan-\d{8}T\d{6}Z\.md$/);
    expect(readFileSync(kept, "utf8")).toContain("demo p mine");
    expect(file("demo.md")).toBe("# craft run record (append-only)\n");
    writeFileSync(join(base, "target"), "x");
    symlinkSync(join(base, "target"), join(runs, "other.md"));
    const refused = await run(["open", "other"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("refusing a symlinked or directory run file");
    expect(readFileSync(join(base, "target"), "utf8")).toBe("x");
  });

  test("open sweeps pointers whose ledger is gone, not links and not others", async () => {
    const { run, runs, base } = world();
    await run(["open", "keep"]);
    writeFileSync(join(runs, "gone.pointer"), "x");
    writeFileSync(join(base, "elsewhere"), "x");
    symlinkSync(join(base, "elsewhere"), join(runs, "link.pointer"));
    await run(["open", "demo"]);
    expect(
      readdirSync(runs)
        .filter((name) => name.endsWith(".pointer"))
        .sort(),
    ).toEqual(["demo.pointer", "keep.pointer", "link.pointer"]);
  });

  test("craft-run-10 close takes one run away, twice without a word", async () => {
    const { run, runs } = world();
    await run(["open", "demo"]);
    await run(["open", "other"]);
    for (let time = 0; time < 2; time++) {
      expect(await run(["close", "demo"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    }
    expect(readdirSync(runs).sort()).toEqual([".lock", "other.impacts.md", "other.md", "other.pointer"]);
    expect(await run(["locate", "--run", "demo"])).toMatchObject({ code: 0, stdout: "" });
  });

  test("outside a work tree, inside a git directory, behind a linked run directory", async () => {
    const { run, base, cwd, runs } = world();
    const outside = tempDir();
    expect((await run(["open", "demo"], "", outside)).stderr).toBe(
      "run-ledger: not inside a git repository's work tree\n",
    );
    const odd = join(base, "odd");
    mkdirSync(odd);
    execFileSync("git", ["init", "-q"], { cwd: odd });
    execFileSync("git", ["config", "core.repositoryformatversion", "99"], { cwd: odd });
    for (const words of [["open", "demo"], ["dir"], ["show"]]) {
      expect((await run(words, "", odd)).stderr).toMatch(/^run-ledger: not inside .* \(.*99.*\)\n$/);
    }
    expect((await run(["dir"], "", join(cwd, ".git"))).code).toBe(1);
    expect(await run(["locate", "--run", "demo"], "", outside)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
    mkdirSync(join(base, "trap"));
    symlinkSync(join(base, "trap"), runs);
    for (const words of [
      ["open", "demo"],
      ["append", "demo", "p"],
      ["close", "demo"],
    ]) {
      const { code, stderr } = await run(words, "x\n");
      expect({ code, words }).toEqual({ code: 1, words });
      expect(stderr).toContain("refusing a symlinked run directory");
    }
    expect(await run(["locate", "--run", "demo"])).toMatchObject({ code: 0, stdout: "" });
    expect(readdirSync(join(base, "trap"))).toEqual([]);
  });

  test("a container directory whose .git file names a sibling bare repository is a valid place", async () => {
    const { base, cwd, run } = world();
    execFileSync("git", ["clone", "-q", "--bare", cwd, join(base, "box.git")]);
    mkdirSync(join(base, "box"));
    writeFileSync(join(base, "box/.git"), `gitdir: ${join(base, "box.git")}\n`);
    const { stdout } = await run(["dir"], "", join(base, "box"));
    expect(stdout).toBe(`${join(base, "box.git")}/craft-runs\n`);
    expect((await run(["dir"], "", join(base, "box.git"))).code).toBe(1);
  });
});

describe("append", () => {
  test("craft-run-5 from a worktree's folder, blanks trimmed", async () => {
    const { run, git, base, file } = world();
    await run(["open", "demo"]);
    git("worktree", "add", "-q", join(base, "w"));
    mkdirSync(join(base, "w/sub"));
    await run(["append", "demo", "design"], "r1\n\n  r2\n", join(base, "w/sub"));
    expect(file("demo.md").split("\n").slice(1)).toEqual(["demo design r1", "demo design r2", ""]);
  });

  test("craft-run-6 a phase's start gets our own stamp", async () => {
    const { run, file } = world();
    await run(["open", "demo"]);
    await run(["append", "demo", "design"], "PHASE-START(design): 2001-01-01T00:00:00Z\n");
    await run(["append", "demo", "design"], "PHASE-START(design):");
    const lines = file("demo.md").trimEnd().split("\n").slice(1);
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatch(new RegExp(`^demo design PHASE-START\\(design\\): ${STAMP}$`));
      expect(line).not.toContain("2001");
    }
  });

  test("craft-run-7 many appenders at once: every line whole, each call's lines together", async () => {
    const { run, file } = world();
    await run(["open", "demo"]);
    const calls = process.env["JIG_TEST_ALL"] === "1" ? 200 : 8;
    await Promise.all(
      Array.from({ length: 16 }, async (_, process) => {
        for (let call = 0; call < calls; call++) {
          const text = (part: number) => `${process}.${call}.${part} ${"x".repeat(290)}\n`;
          expect((await run(["append", "demo", "p"], text(0) + text(1) + text(2))).code).toBe(0);
        }
      }),
    );
    const lines = file("demo.md").trimEnd().split("\n").slice(1);
    expect(lines).toHaveLength(16 * calls * 3);
    for (let at = 0; at < lines.length; at += 3) {
      const parts = [0, 1, 2].map((part) => /^demo p (\d+\.\d+)\.(\d) x{290}$/.exec(lines[at + part]!));
      expect(parts.map((part) => part?.[2])).toEqual(["0", "1", "2"]);
      expect(new Set(parts.map((part) => part?.[1])).size).toBe(1);
    }
  });

  test("fifty appenders from five worktrees at once: ten thousand lines in one ledger", async () => {
    const { run, git, base, file } = world();
    await run(["open", "demo"]);
    const places = Array.from({ length: 5 }, (_, index) => join(base, `w${index}`));
    for (const place of places) git("worktree", "add", "-q", place);
    const lines = (writer: number) =>
      Array.from({ length: 200 }, (_, line) => `${writer} ${line}\n`).join("");
    const runs = await Promise.all(
      Array.from({ length: 50 }, (_, writer) =>
        run(["append", "demo", "p"], lines(writer), places[writer % 5]),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual(Array.from({ length: 50 }, () => 0));
    const found = file("demo.md").trimEnd().split("\n").slice(1);
    expect(new Set(found).size).toBe(10_000);
    expect(found.every((line) => /^demo p \d+ \d+$/.test(line))).toBe(true);
  });

  test("craft-run-8 no input, no run, no ledger, a bad phase", async () => {
    const { run, runs, file } = world();
    expect((await run(["append", "demo", "p"], "x\n")).stderr).toBe("run-ledger: no open run: demo\n");
    await run(["open", "demo"]);
    expect(await run(["append", "demo", "p"], " \n\t\n")).toMatchObject({ code: 1 });
    expect((await run(["append", "demo", "Bad"], "x\n")).code).toBe(2);
    expect(file("demo.md")).toBe("# craft run record (append-only)\n");
    rmSync(join(runs, "demo.md"));
    const gone = await run(["append", "demo", "p"], "x\n");
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain("ledger is missing, not recreating");
    expect(existsSync(join(runs, "demo.md"))).toBe(false);
  });

  test("craft-run-9 a pointer that lies is not trusted", async () => {
    const { run, runs, base } = world();
    const lies: ((pointer: string) => void)[] = [
      (pointer) => writeFileSync(pointer, `demo@2026-01-01T00:00:00Z ${runs}/other.md\n`),
      (pointer) => writeFileSync(pointer, `demo@2999-01-01T00:00:00Z ${runs}/demo.md\n`),
      (pointer) => writeFileSync(pointer, `other@2026-01-01T00:00:00Z ${runs}/demo.md\n`),
      (pointer) => writeFileSync(pointer, "demo"),
      (pointer) => {
        writeFileSync(join(base, "real"), readFileSync(pointer));
        rmSync(pointer);
        symlinkSync(join(base, "real"), pointer);
      },
    ];
    for (const lie of lies) {
      rmSync(runs, { recursive: true, force: true });
      await run(["open", "demo"]);
      lie(join(runs, "demo.pointer"));
      const appended = await run(["append", "demo", "p"], "x\n");
      expect(appended.code).toBe(1);
      expect(appended.stderr).toContain("refusing an untrusted pointer for run-id: demo");
      expect(await run(["locate", "--run", "demo"])).toMatchObject({ code: 0, stdout: "" });
      expect((await run(["open", "demo"])).code).toBe(3);
      expect((await run(["show"])).stdout).toMatch(/ untrusted\n$/);
    }
  });

  test("craft-run-16 a torn tail stays alone on its line", async () => {
    const { run, runs, file } = world();
    await run(["open", "demo"]);
    await run(["append", "demo", "p"], "first\nsecond\n");
    truncateSync(join(runs, "demo.md"), statSync(join(runs, "demo.md")).size - 4);
    await run(["append", "demo", "p"], "x\n");
    expect(file("demo.md").split("\n").slice(1)).toEqual(["demo p first", "demo p sec", "demo p x", ""]);
  });

  test("escapes and control characters are taken out, sizes are bounded, --line is one record", async () => {
    const { run, file } = world();
    await run(["open", "demo"]);
    await run(
      ["append", "demo", "p"],
      "\u001b[31mred\u001b[0m\u0007 a\tb\r\n\u001b]0;title\u0007x\u009b1mY\n",
    );
    expect(file("demo.md").split("\n").slice(1, 3)).toEqual(["demo p red a\tb", "demo p xY"]);
    const long = await run(["append", "demo", "p"], `ok\n${"x".repeat(65_537)}\n`);
    expect(long.code).toBe(2);
    expect(long.stderr).toContain("line 2");
    expect(file("demo.md")).not.toContain("demo p ok");
    expect((await run(["append", "demo", "p", "--line", "a\nb"])).code).toBe(2);
    expect((await run(["append", "demo", "p", "--line", "a", "--line", " b "])).code).toBe(0);
    expect(file("demo.md")).toMatch(/demo p a\ndemo p b\n$/);
    expect((await run(["append", "demo", "p", "--line", "a", "--from", "x"])).code).toBe(2);
    const odd = await run(["append", "demo", "p"], "PHASE-START(Bad): x\nPHASE-DONE(q): y\n");
    expect(odd.stderr).toMatch(/malformed PHASE-START[\s\S]*names phase q/);
  });
});

describe("locate and show", () => {
  test("craft-run-11 a run is found by its key in a transcript", async () => {
    const { run, git, base, runs } = world();
    const { stdout } = await run(["open", "demo"]);
    await run(["open", "a-demo"]);
    git("worktree", "add", "-q", join(base, "w"));
    const transcript = join(base, "t.jsonl");
    writeFileSync(transcript, `{}\n${JSON.stringify({ output: stdout })}\n`);
    for (const at of [undefined, join(base, "w")]) {
      expect((await run(["locate", "--transcript", transcript], "", at)).stdout).toBe(
        `demo ${runs}/demo.md\n`,
      );
    }
    expect((await run(["locate", "--run", "demo", "--bind"])).stdout).toBe(stdout);
    expect(await run(["locate", "--transcript", transcript], "", tempDir())).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(await run(["locate", "--transcript", "/no/such"])).toMatchObject({ code: 0, stdout: "" });
    for (const words of [
      ["locate"],
      ["locate", "--run", "demo", "--transcript", "x"],
      ["locate", "--run", ""],
    ]) {
      expect((await run(words)).code).toBe(2);
    }
  });

  test("the key is found across the seam of two reads", async () => {
    const { run, base } = world();
    const { stdout } = await run(["open", "demo"]);
    const key = stdout.split(" ")[0]!;
    for (const before of [(1 << 20) - 5, (1 << 20) - 1, (2 << 20) - 10]) {
      writeFileSync(join(base, "t"), "x".repeat(before) + key);
      expect((await run(["locate", "--transcript", join(base, "t")])).stdout).toContain("demo ");
    }
  });

  test("show filters by phase and token, counts lines, never prints a key", async () => {
    const { run } = world();
    await run(["open", "demo"]);
    await run(["append", "demo", "design"], "GATE(design): green\nfree text: here\nRULED-OUT x\n");
    await run(["append", "demo", "review"], "GATE(review): red\n");
    expect((await run(["show", "demo", "--token", "GATE", "--tail", "1"])).stdout).toBe(
      "demo review GATE(review): red\n",
    );
    const records = JSON.parse((await run(["show", "demo", "--phase", "design", "--json"])).stdout);
    expect(records).toEqual([
      { line: 2, phase: "design", token: "GATE", arg: "design", text: "GATE(design): green" },
      { line: 3, phase: "design", token: null, arg: null, text: "free text: here" },
      { line: 4, phase: "design", token: "RULED-OUT", arg: null, text: "RULED-OUT x" },
    ]);
    for (const words of [["show"], ["show", "demo"], ["show", "--json"]]) {
      expect((await run(words)).stdout).not.toMatch(/demo@/);
    }
    expect((await run(["show", "nope"])).stderr).toBe("run-ledger: no open run: nope\n");
    for (const words of [["--tail", "1"], ["--phase", "p"], ["--token", "T"], ["--impacts"]]) {
      expect(await run(["show", ...words])).toMatchObject({ code: 2, stdout: "" });
    }
    expect((await run(["show", "demo", "--impacts", "--tail", "1"])).code).toBe(2);
  });
});

describe("impacts", () => {
  test("craft-run-12 defer stores, says so in the ledger, and knows the same entry again", async () => {
    const { run, file } = world();
    await run(["open", "demo"]);
    expect((await run(["defer", "demo", "review"], IMPACT)).stdout).toBe("I1\n");
    expect(file("demo.md")).toContain(
      "demo review DEFERRED(src/net/retry.ts): I1 retry counter survives a success\n",
    );
    expect((await run(["defer", "demo", "review"], IMPACT.replace("retry counter", "other"))).stdout).toBe(
      "I2\n",
    );
    const before = [file("demo.md"), file("demo.impacts.md")];
    const again = await run(["defer", "demo", "review"], IMPACT);
    expect(again.stdout).toBe("I1\n");
    expect(again.stderr).toContain("already deferred as I1");
    expect([file("demo.md"), file("demo.impacts.md")]).toEqual(before);
  });

  test("craft-run-13 a bad entry is refused, naming the field", async () => {
    const { run, file } = world();
    await run(["open", "demo"]);
    const change = (from: string | RegExp, to: string) => IMPACT.replace(from, to);
    const bad: [string, string][] = [
      [change(/proof:\n.*\n/, "proof:\n"), "proof"],
      [change(/proof:\n.*\n/, ""), "proof"],
      [change(/expected:.*\n/, ""), "expected"],
      [change("src/net/retry.ts:L42", "/etc/x"), "locus"],
      [change("src/net/retry.ts:L42", "C:\\x"), "locus"],
      [change("src/net/retry.ts:L42", "~/x"), "locus"],
      [change("src/net/retry.ts:L42", "a b"), "locus"],
      [change("src/net/retry.ts:L42", "a/../../b"), "locus"],
      [change("src/net/retry.ts:L42", "a.ts:L0"), "locus"],
      [change("retry counter", "retry\u0007counter"), "control character"],
      [change("out of scope", "later"), "reason"],
      [change(/title:.*\n/, ""), "title"],
      [change(/title:.*/, `title: ${"x".repeat(201)}`), "title"],
      [change("title:", "more: x\ntitle:"), "more"],
      [change("title:", "title: twice\ntitle:"), "title"],
      [`text\n${IMPACT}`, "text"],
    ];
    const before = [file("demo.md"), file("demo.impacts.md")];
    for (const [entry, word] of bad) {
      const { code, stdout, stderr } = await run(["defer", "demo", "review"], entry);
      expect({ entry, code, stdout }).toEqual({ entry, code: 2, stdout: "" });
      expect(stderr).toContain(word);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    }
    expect([file("demo.md"), file("demo.impacts.md")]).toEqual(before);
    expect((await run(["defer", "nope", "review"], "bad")).stderr).toBe("run-ledger: no open run: nope\n");
  });

  test("craft-run-14 a verdict is stored and said; an unknown id changes nothing", async () => {
    const { run, file } = world();
    await run(["open", "demo"]);
    await run(["defer", "demo", "review"], IMPACT);
    const verdict = "verdict: backlog:candidate\nrationale: real\n";
    expect((await run(["verdict", "demo", "I1"], verdict)).stdout).toBe("I1\n");
    expect(file("demo.md")).toMatch(/demo impact-triage TRIAGED\(I1\): backlog:candidate — real\n$/);
    const before = [file("demo.md"), file("demo.impacts.md")];
    for (const [words, text] of [
      [["verdict", "demo", "I9"], verdict],
      [["verdict", "demo"], `id: I1\n${verdict}\nid: I2\n${verdict}`],
      [["verdict", "demo"], `id: I1\n${verdict}\nid: I1\n${verdict}`],
      [["verdict", "demo", "I1"], "verdict: Bad\nrationale: x\n"],
      [["verdict", "demo", "I1"], "verdict: ok\nrationale:\n"],
    ] as const) {
      expect((await run([...words], text)).code).toBe(2);
    }
    expect([file("demo.md"), file("demo.impacts.md")]).toEqual(before);
    await run(["verdict", "demo", "I1"], "verdict: wont-do\nrationale: no\n");
    const [impact] = JSON.parse((await run(["show", "demo", "--impacts", "--json"])).stdout);
    expect(impact).toMatchObject({
      id: "I1",
      verdict: "wont-do",
      rationale: "no",
      locus: "src/net/retry.ts:L42",
      proof: "node demo/retry.js --fail 2 --then ok && cat demo/state.json",
      deferredLine: true,
      filed: false,
      incomplete: false,
    });
  });

  test("what a crash left out is restored, what it cut off is named", async () => {
    const { run, runs, file } = world();
    await run(["open", "demo"]);
    await run(["defer", "demo", "review"], IMPACT);
    await run(["verdict", "demo", "I1"], "verdict: wont-do\nrationale: no\n");
    const ledger = join(runs, "demo.md");
    writeFileSync(ledger, "# craft run record (append-only)\n");
    appendFileSync(join(runs, "demo.impacts.md"), "\n## I7 cut off\nphase: review\nloc");
    const { stdout, stderr } = await run(["defer", "demo", "design"], IMPACT.replace("retry counter", "new"));
    expect(stdout).toBe("I8\n");
    expect(stderr).toContain("restored DEFERRED line for I1");
    expect(stderr).toContain("restored TRIAGED line for I1");
    expect(file("demo.md").split("\n").slice(1)).toEqual([
      "demo review DEFERRED(src/net/retry.ts): I1 retry counter survives a success",
      "demo impact-triage TRIAGED(I1): wont-do — no",
      "demo design DEFERRED(src/net/retry.ts): I8 new survives a success",
      "",
    ]);
    expect((await run(["show", "demo", "--impacts"])).stderr).toContain("impact I7 is incomplete");
    expect((await run(["verdict", "demo", "I7"], "verdict: ok\nrationale: x\n")).code).toBe(2);
  });

  test("no stored text can forge a heading; leaks are warned of", async () => {
    const { run, home } = world();
    await run(["open", "demo"]);
    const forged = IMPACT.replace(
      "  node demo",
      `  ## I99 forged\n  phase: x\n  cat ${home}/x && API_KEY=abc\n\n  node demo`,
    );
    const { stderr } = await run(["defer", "demo", "review"], forged);
    expect(stderr).toContain("warning: proof holds an absolute path");
    const impacts = JSON.parse((await run(["show", "demo", "--impacts", "--json"])).stdout);
    expect(impacts.map((impact: { id: string }) => impact.id)).toEqual(["I1"]);
    expect(impacts[0].proof).toContain("## I99 forged\nphase: x");
    expect(impacts[0].proof).toContain("\n\nnode demo");
  });
});
