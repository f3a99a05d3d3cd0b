/** The memory store and the hand-over of an election: the old or the new, whatever happens to the call that writes. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { JIG } from "../support/paths.ts";
import { runJig, testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { type Ended, faults } from "./harness.ts";

const STORE = ".claude/craft-memory.md";
const observation = (size: string) =>
  JSON.stringify([{ concern: "part-sizing", payload: { size, outcome: "pass" } }]);

/** A repository with a store of one entry, and what a save or a retraction makes of it. */
function scene(words: readonly string[]) {
  const root = tempDir();
  execFileSync("git", ["init", "-q", root]);
  mkdirSync(join(root, ".claude"));
  const jig = (more: readonly string[], input = "") =>
    execFileSync(JIG, ["craft", "memory", ...more], { cwd: root, input, env: testEnv() });
  jig(["save", "--delta", "-", "--date", "2026-01-01"], observation("old"));
  writeFileSync(join(root, "delta.json"), observation("new"));
  const before = readFileSync(join(root, STORE), "utf8");
  return {
    command: [JIG, "craft", "memory", ...words],
    directory: join(root, ".claude"),
    cwd: root,
    root,
    before,
  };
}

async function sizesIn(root: string): Promise<string[]> {
  const { stdout } = await runJig(["craft", "memory", "load"], { cwd: root });
  const view = JSON.parse(stdout);
  expect(view).toMatchObject({ degraded: false, loadNote: null });
  return view.entries["part-sizing"].map(({ size }: { size: string }) => size);
}

const SAVE = ["save", "--delta", "delta.json", "--date", "2026-01-02"];

faults({
  what: "craft memory save",
  least: 2,
  prepare: () => scene(SAVE),
  async holds({ root, before }, { stdout, code }: Ended) {
    const sizes = await sizesIn(root);
    expect([["old"], ["new"]]).toContainEqual(sizes);
    const report = stdout === "" ? undefined : JSON.parse(stdout);
    if (report?.written === true) expect(sizes).toEqual(["new"]);
    else if (code === 0) {
      expect(report.writeNote).toMatch(/^save (?:failed|skipped): /);
      // Only a directory that cannot be flushed comes after the new content is there.
      if (!/flush/.test(report.writeNote)) expect(readFileSync(join(root, STORE), "utf8")).toBe(before);
    }
    const next = await runJig(["craft", "memory", ...SAVE], { cwd: root });
    expect(JSON.parse(next.stdout)).toMatchObject({ written: true });
  },
});

faults({
  what: "craft memory retract --apply",
  least: 2,
  prepare: () => scene(["retract", "part-sizing", "old", "--apply"]),
  async holds({ root }, { stdout, code }: Ended) {
    const sizes = await sizesIn(root);
    expect([["old"], []]).toContainEqual(sizes);
    if (stdout === "retracted\n") expect([code, sizes]).toEqual([0, []]);
    const next = await runJig(["craft", "memory", "retract", "part-sizing", "old", "--apply"], { cwd: root });
    expect(next.code).toBe(0);
    expect(await sizesIn(root)).toEqual([]);
  },
});

faults({
  what: "craft backlog elect --out",
  least: 2,
  prepare() {
    const root = tempDir();
    const [repository, out] = [join(root, "repository"), join(root, "out")];
    execFileSync("git", ["init", "-q", repository]);
    mkdirSync(out);
    writeFileSync(join(repository, "BACKLOG.md"), "- [ ] **P1** — do it\n");
    const command = [JIG, "craft", "backlog", "elect", "--file", "BACKLOG.md", "--out", out];
    return { command, directory: out, cwd: repository, out };
  },
  async holds({ command, cwd, out }, { stdout }: Ended) {
    const [prompt, draft] = [join(out, "next.prompt"), join(out, "next.md")];
    // Who sees the prompt sees the draft, each whole.
    if (existsSync(prompt)) {
      expect(readFileSync(prompt, "utf8")).toBe("/craft:run P1\n");
      expect(readFileSync(draft, "utf8")).toMatch(/^# P1\n/);
    } else expect(stdout).toBe("");
    expect((await runJig(command.slice(1), { cwd })).code).toBe(0);
    expect(existsSync(prompt)).toBe(true);
  },
});
