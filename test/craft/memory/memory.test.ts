import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MemoryView } from "../../../src/craft/memory/load.ts";
import type { MemorySave } from "../../../src/craft/memory/schema.ts";
import { tempDir } from "../../support/temp.ts";
import { type RepositoryWorld, repositoryWorld } from "../repository.ts";
import { craft, type World } from "../world.ts";

const STORE = ".claude/craft-memory.md";
const store = (at: World) => readFileSync(join(at.root, STORE), "utf8");

async function load(at: World, ...words: string[]): Promise<MemoryView> {
  const run = await craft(at, ["memory", "load", ...words]);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return JSON.parse(run.stdout);
}

async function save(at: World, delta: unknown, ...words: string[]): Promise<MemorySave> {
  const run = await craft(at, ["memory", "save", "--delta", "-", ...words], JSON.stringify(delta));
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return JSON.parse(run.stdout);
}

const npm = { concern: "toolchain", payload: { ecosystem: "npm", lockfileFingerprint: "0123456789abcdef" } };
const finding = (severity: string, file = "src/a.ts", pattern = "unchecked cast") => ({
  concern: "findings",
  payload: { file, severity, pattern },
});

describe("memory", () => {
  test("craft-run-28 a fact gains confidence when it is seen again, and goes when it is not", async () => {
    const at = repositoryWorld();
    expect(await load(at)).toEqual({
      entries: { toolchain: [], "gate-cmd": [], "validation-tool": [], findings: [], "part-sizing": [] },
      evicted: [],
      loadNote: "no store",
      degraded: false,
      path: STORE,
      digest: null,
    });
    expect(await save(at, [npm])).toMatchObject({ written: true, writeNote: null, added: 1, dropped: [] });
    expect((await load(at)).entries.toolchain).toMatchObject([{ ...npm.payload, confidence: 1 }]);
    expect(await save(at, [npm])).toMatchObject({ refreshed: 1, added: 0 });
    expect((await load(at)).entries.toolchain).toMatchObject([{ confidence: 2 }]);
    expect(await save(at, [])).toMatchObject({ decayed: 1, evicted: 0 });
    expect(await save(at, [])).toMatchObject({ decayed: 1, evicted: 1 });
    expect((await load(at)).entries.toolchain).toEqual([]);
  });

  test("craft-run-29 a store that cannot be read is not written over", async () => {
    const at = repositoryWorld();
    const broken = "---\ntoolchain: [\n---\n";
    at.write(STORE, broken);
    const view = join(at.root, "view.json");
    expect(await craft(at, ["memory", "load", "--out", view])).toMatchObject({
      code: 0,
      stdout: `${view}\n`,
    });
    expect(await load(at)).toMatchObject({ loadNote: "malformed store", degraded: true });
    for (const more of [[], ["--view", view]]) {
      expect(await save(at, [npm], ...more)).toMatchObject({
        written: false,
        writeNote: "save skipped: load was degraded",
      });
    }
    expect(store(at)).toBe(broken);
  });

  test("craft-run-30 nothing is read or written outside the repository", async () => {
    const at = repositoryWorld();
    const outside = at.write("../x.md", "---\ntoolchain: []\n---\n");
    const note = { loadNote: "store path outside repo", degraded: true, digest: null };
    const skipped = { written: false, writeNote: "save skipped: store path outside repo" };
    expect(await load(at, "--ref", "../x.md")).toMatchObject(note);
    expect(await save(at, [npm], "--ref", "../x.md")).toMatchObject(skipped);
    expect(readFileSync(outside, "utf8")).toBe("---\ntoolchain: []\n---\n");
    const elsewhere = tempDir();
    symlinkSync(elsewhere, join(at.root, ".claude"));
    expect(await load(at)).toMatchObject(note);
    expect(await save(at, [npm])).toMatchObject(skipped);
    expect(existsSync(join(elsewhere, "craft-memory.md"))).toBe(false);
    symlinkSync(join(at.root, "nowhere"), join(at.root, "dangling.md"));
    expect(await load(at, "--ref", "dangling.md")).toMatchObject(note);
    expect(await save(at, [npm], "--ref", "dangling.md")).toMatchObject(skipped);
    expect(await save(at, [npm], "--ref", "/etc/x.md")).toMatchObject(skipped);
  });

  test("craft-run-31 what may not be committed is dropped with a reason, or stripped", async () => {
    const at = repositoryWorld();
    const report = await save(at, [
      finding("HIGH"),
      finding("high", "/home/u/a.js"),
      { concern: "gate-cmd", payload: { phase: "implementation", command: "TOKEN=x npm test" } },
    ]);
    expect(report.dropped.map(({ reason }) => reason)).toEqual(["schema", "path"]);
    expect((await load(at)).entries["gate-cmd"]).toMatchObject([{ command: "npm test" }]);
  });

  test("craft-run-32 a retraction beats an observation, in whatever order; a finding keeps its worst rank", async () => {
    const at = repositoryWorld();
    const retraction = { ...npm, payload: { ecosystem: "npm" }, retract: true };
    for (const delta of [
      [npm, retraction],
      [retraction, npm],
    ]) {
      await save(at, [npm]);
      expect(await save(at, delta)).toMatchObject({ retracted: 1, added: 0, refreshed: 0 });
      expect((await load(at)).entries.toolchain).toEqual([]);
    }
    await save(at, [finding("high")]);
    await save(at, [finding("low")]);
    expect((await load(at)).entries.findings).toMatchObject([{ severity: "high", confidence: 2 }]);
    await save(at, [finding("critical")]);
    expect((await load(at)).entries.findings).toMatchObject([{ severity: "critical", confidence: 3 }]);
  });

  test("craft-run-49 a custom source is not read and not written", async () => {
    const at = repositoryWorld();
    const manifest = at.manifest("memory: { source: custom, ref: x }");
    expect(await load(at, "--manifest", manifest)).toMatchObject({
      loadNote: "custom source not supported",
      degraded: true,
    });
    expect(await save(at, [npm], "--manifest", manifest)).toMatchObject({ written: false });
    expect(existsSync(join(at.root, "x"))).toBe(false);
  });

  test("the file is upstream's, byte for byte", async () => {
    const at = repositoryWorld();
    const provenance = ["--run", "add-login", "--commit", "1234567", "--date", "2026-10-05"];
    await save(at, [finding("high", "src/it's.ts", "a: b"), npm], ...provenance);
    expect(store(at)).toBe(`---
toolchain:
  - concern: toolchain
    ecosystem: npm
    lockfileFingerprint: 0123456789abcdef
    confidence: 1
    provenance:
      run: add-login
      commit: '1234567'
      date: '2026-10-05'
gate-cmd: []
validation-tool: []
findings:
  - concern: findings
    file: src/it's.ts
    severity: high
    pattern: 'a: b'
    confidence: 1
    provenance:
      run: add-login
      commit: '1234567'
      date: '2026-10-05'
part-sizing: []
---

# craft memory store
> Machine-maintained. Edit the YAML frontmatter above, not this body.

## toolchain
- confidence: 1 | provenance: 1234567 / 2026-10-05

## gate-cmd
_(none)_

## validation-tool
_(none)_

## findings
- confidence: 1 | provenance: 1234567 / 2026-10-05

## part-sizing
_(none)_
`);
  });

  test("hand edits are read as far as they are entries", async () => {
    const at = repositoryWorld();
    const entry = (more: string) =>
      `  - {concern: toolchain, ecosystem: npm, lockfileFingerprint: a${more}}\n`;
    at.write(
      STORE,
      `---\nother: 1\ngate-cmd: nothing\nfindings: [1, {file: /etc/x, severity: low, pattern: p}]\ntoolchain:\n${[
        entry(", confidence: 3, provenance: {date: 2026-01-01}"),
        entry(", confidence: 3, provenance: {date: 2026-02-01}"),
        entry(", confidence: 99, extra: 1").replace("npm", "go"),
        entry("").replace("npm", "uv"),
        entry(", confidence: 0").replace("npm", "bun"),
      ].join("")}---\n`,
    );
    const view = await load(at);
    expect(view).toMatchObject({ loadNote: "some entries failed validate-on-read", degraded: false });
    expect(view.evicted).toEqual([{ file: "/etc/x", severity: "low", pattern: "p", concern: "findings" }]);
    expect(view.entries.toolchain).toMatchObject([
      { ecosystem: "npm", confidence: 3, provenance: { date: "2026-02-01" } },
      { ecosystem: "go", confidence: 5 },
      { ecosystem: "uv", confidence: 1 },
    ]);
    expect(view.entries.toolchain![1]).not.toHaveProperty("extra");
  });

  test.each([
    ["", "no store", false],
    ["# only a heading\n", "malformed store", true],
    ["---\n- a\n---\n", "malformed store", true],
    ["---\n---\n", "malformed store", true],
    ["---\ntoolchain: []\n", "malformed store", true],
    ["---\ntoolchain: []\n---\n", null, false],
  ])("a store of %j is %s", async (text, loadNote, degraded) => {
    const at = repositoryWorld();
    at.write(STORE, text);
    expect(await load(at)).toMatchObject({ loadNote, degraded });
  });

  test("a directory, or too large a file, is a store that was not seen", async () => {
    const at = repositoryWorld();
    mkdirSync(join(at.root, STORE), { recursive: true });
    expect(await load(at)).toMatchObject({ loadNote: "store unreadable: EISDIR", degraded: true });
    at.write("big.md", `---\n${"#".repeat(9 << 20)}\n---\n`);
    expect(await load(at, "--ref", "big.md")).toMatchObject({
      loadNote: "store unreadable: EFBIG",
      degraded: true,
    });
  });

  test("--concern and --recheck show what a phase needs and the working tree confirms", async () => {
    const at = repositoryWorld();
    at.write("src/a.ts", "");
    at.write("package-lock.json", "{}");
    await save(at, [
      npm,
      { concern: "toolchain", payload: { ecosystem: "pnpm", lockfileFingerprint: "44136fa355b3678a" } },
      finding("low"),
      finding("low", "src/gone.ts"),
    ]);
    const slice = await load(at, "--concern", "findings");
    expect(Object.keys(slice.entries)).toEqual(["findings"]);
    const checked = await load(at, "--recheck");
    expect(checked.entries.findings).toMatchObject([{ file: "src/a.ts" }]);
    expect(checked.entries.toolchain).toMatchObject([{ ecosystem: "pnpm" }]);
    expect(checked.evicted).toHaveLength(2);
    expect((await craft(at, ["memory", "load", "--concern", "nope"])).code).toBe(2);
  });

  test("a slice of the store as view loses nothing", async () => {
    const at = repositoryWorld();
    await save(at, [npm, finding("low")]);
    const view = at.write("view.json", JSON.stringify(await load(at, "--concern", "findings")));
    await save(at, [finding("low")], "--view", view);
    expect((await load(at)).entries).toMatchObject({
      toolchain: [{ confidence: 1 }],
      findings: [{ confidence: 2 }],
    });
  });

  test("what another run stored meanwhile stays as it is, and what it took out stays out", async () => {
    const at = repositoryWorld();
    await save(at, [npm, finding("low")]);
    const view = at.write("view.json", JSON.stringify(await load(at)));
    await save(at, [npm, { ...finding("low"), retract: true }, finding("high", "b.ts")]);
    await save(at, [npm], "--view", view);
    expect((await load(at)).entries).toMatchObject({
      toolchain: [{ confidence: 3 }],
      findings: [{ file: "b.ts", confidence: 1 }],
    });
  });

  test("the caps take the least sure of the newest", async () => {
    const at = repositoryWorld();
    const many = Array.from({ length: 60 }, (_, index) => finding("low", `f${index}.ts`));
    await save(at, many.slice(0, 30), "--date", "2026-01-01");
    await save(at, many.slice(0, 31), "--date", "2026-02-01", "--max-entries", "30");
    const { entries } = await load(at);
    expect(entries.findings!.map(({ file }) => file)).not.toContain("f30.ts");
    expect(await save(at, many, "--max-bytes", "2000")).toMatchObject({ written: true });
    expect(statSync(join(at.root, STORE)).size).toBeLessThanOrEqual(2000);
    await save(at, many, "--max-entries", "0");
    expect((await load(at)).entries.findings).toEqual([]);
  });

  test("an existing store keeps its mode", async () => {
    const at = repositoryWorld();
    await save(at, []);
    chmodSync(join(at.root, STORE), 0o640);
    await save(at, [npm]);
    expect(statSync(join(at.root, STORE)).mode & 0o777).toBe(0o640);
  });

  test.each([
    ["no source", []],
    ["not JSON", ["--delta", "-"], "{"],
    ["no list", ["--delta", "-"], "{}"],
    ["no object in it", ["--delta", "-"], "[1]"],
    ["a payload that is none", ["--delta", "-"], '[{"concern":"findings","payload":1}]'],
    ["a missing view", ["--delta", "-", "--view", "/none"], "[]"],
    ["a view that is none", ["--delta", "-", "--view", "bad.json"], "[]"],
    ["a bad date", ["--delta", "-", "--date", "today"], "[]"],
    ["a day that is none", ["--delta", "-", "--date", "2023-02-30"], "[]"],
    ["a bad commit", ["--delta", "-", "--commit", "$(id)"], "[]"],
    ["a missing manifest", ["--delta", "-", "--manifest", "none.md"], "[]"],
    ["an unknown flag", ["--delta", "-", "--force"], "[]"],
  ])("%s is refused, and nothing is written", async (_what, words, stdin = "") => {
    const at = repositoryWorld();
    writeFileSync(join(at.root, "bad.json"), "[]");
    const run = await craft(at, ["memory", "save", ...words], stdin);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(existsSync(join(at.root, STORE))).toBe(false);
  });
});

describe("memory retract", () => {
  const withFacts = async (): Promise<RepositoryWorld> => {
    const at = repositoryWorld();
    await save(at, [npm, finding("low")]);
    return at;
  };

  test("--apply takes one entry out and decays nothing", async () => {
    const at = await withFacts();
    const key = "src/a.ts  unchecked cast";
    expect(await craft(at, ["memory", "retract", "findings", key, "--apply"])).toMatchObject({
      code: 0,
      stdout: "retracted\n",
    });
    const before = store(at);
    expect(await craft(at, ["memory", "retract", "findings", key, "--apply"])).toMatchObject({
      code: 0,
      stdout: "no such entry\n",
    });
    expect(store(at)).toBe(before);
    expect((await load(at)).entries).toMatchObject({ toolchain: [{ confidence: 1 }], findings: [] });
    at.write(STORE, "broken");
    expect((await craft(at, ["memory", "retract", "toolchain", "npm", "--apply"])).code).toBe(1);
    expect(store(at)).toBe("broken");
  });

  test.each([
    [["nope", "x", "--apply"]],
    [["toolchain", " ", "--apply"]],
    [["findings", "src/a.ts", "--apply"]],
    [["toolchain", "a\nb", "--apply"]],
    [["toolchain", "npm"]],
    [["toolchain", "npm", "--run", "demo"]],
    [["toolchain", "npm", "--run", "demo", "--phase", "p", "--apply"]],
  ])("%j is refused", async (words) => {
    const at = await withFacts();
    const before = store(at);
    const run = await craft(at, ["memory", "retract", ...words]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(store(at)).toBe(before);
  });
});

describe("a run's ledger", () => {
  test("gives its parts, and takes back what a phase disproved", async () => {
    const at = repositoryWorld();
    await save(at, [npm, finding("low")]);
    const ran = async (...words: string[]) => {
      const run = await craft(at, words);
      expect([run.code, run.stdout]).toEqual([0, expect.any(String)]);
      return run.stderr;
    };
    await ran("ledger", "open", "demo");
    await ran(
      "ledger",
      "append",
      "demo",
      "implementation",
      "--line",
      "PART(1): abc1234 size=module outcome=pass",
    );
    const retract = ["--run", "demo", "--phase", "review"];
    expect(await ran("memory", "retract", "findings", "src/a.ts unchecked cast", ...retract)).toBe("");
    expect(await ran("memory", "retract", "toolchain", "bun", ...retract)).toContain(
      "no stored entry of toolchain",
    );
    const run = await craft(at, ["memory", "save", "--ledger", "demo"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ written: true, added: 1, decayed: 1, retracted: 1 });
    expect((await load(at)).entries["part-sizing"]).toMatchObject([
      { size: "module", outcome: "pass", provenance: { run: "demo" } },
    ]);
    const before = store(at);
    for (const id of ["closed", "--help", "Bad"]) {
      const missing = await craft(at, ["memory", "save", `--ledger=${id}`]);
      expect([id, missing.code, missing.stdout]).toEqual([id, 2, ""]);
    }
    expect(
      (await craft(at, ["memory", "retract", "toolchain", "npm", "--run", "closed", "--phase", "p"])).code,
    ).toBe(1);
    expect(store(at)).toBe(before);
  });
});
