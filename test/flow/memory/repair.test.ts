import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../../src/flow/memory/repair/diff.ts";
import { repairLines } from "../../../src/flow/memory/repair/lines.ts";
import { MissingHeading, repairText } from "../../../src/flow/memory/repair/repair-text.ts";
import { templateOf } from "../../../src/flow/memory/text/files.ts";
import { type MemoryWorld, memoryWorld, PROJECT } from "./world.ts";

const NOW = Date.parse("2026-07-06T15:00:00Z");
const PATTERNS = [
  "# Project Patterns",
  "## Common Gotchas",
  "- first (conf: 0.8) (conf: 0.9) (conf: 1.0, organic)",
  "",
  "API Patterns",
  "- use the client",
  "- axios",
  "Project SKILL_HINTS",
  "- [full-skill-id]",
  "## Last Updated",
  "today",
  "- stranded (conf: 0.8)",
  "",
].join("\n");

function prepared(files: Record<string, string> = {}): {
  world: MemoryWorld;
  run: (...words: string[]) => ReturnType<MemoryWorld["flow"]>;
} {
  const world = memoryWorld();
  for (const file of ["activeContext.md", "patterns.md", "progress.md"] as const) {
    world.write(`${PROJECT}/${file}`, files[file] ?? templateOf(file));
  }
  const run = (...words: string[]) =>
    world.flow(["memory", "repair", "--target-dir", PROJECT, ...words], { now: NOW });
  return { world, run };
}

describe("memory repair", () => {
  test("a dry run shows the reports and diffs and writes nothing", async () => {
    const { world, run } = prepared({ "patterns.md": PATTERNS });
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^=== patterns\.md ===\nReport: \{"moved": 1, "relocated": 1, "evicted": 0, "removed": 0, "bullets_before": 5, "bullets_after": 5, "zero_data_loss_ok": true\}\n--- patterns\.md \(original\)\n\+\+\+ patterns\.md \(repaired\)\n@@ /,
    );
    expect(stdout).toContain("\n\n=== progress.md ===\n");
    expect(stdout).toMatch(/\n\nDry run complete\. No files written\. Pass --apply to write changes\.\n$/);
    expect(world.read(`${PROJECT}/patterns.md`)).toBe(PATTERNS);
    expect(readdirSync(join(world.root, ".craftflow/state")).sort()).toEqual(["project", "workflows"]);
  });

  test("--apply writes after a backup of all three, which is never overwritten", async () => {
    const { world, run } = prepared({ "patterns.md": PATTERNS });
    const { stdout } = await run("--apply");
    const backup = join(world.root, ".craftflow/state/.memory-repair-backup-20260706T150000Z");
    expect(stdout).toContain(`Applied. Backup written to ${backup}\n`);
    expect(stdout).toContain("git clean -fdx");
    expect(readFileSync(join(backup, "patterns.md"), "utf8")).toBe(PATTERNS);
    expect(readdirSync(backup).sort()).toEqual(["activeContext.md", "patterns.md", "progress.md"]);
    const repaired = [
      "# Project Patterns",
      "## Common Gotchas",
      "- first (conf: 1.0, organic)",
      "- use the client",
      "- stranded (conf: 0.8)",
      "",
      "## API Patterns",
      "- axios",
      "## Project SKILL_HINTS",
      "- [full-skill-id]",
      "## Last Updated",
      "today",
      "",
    ].join("\n");
    expect(world.read(`${PROJECT}/patterns.md`)).toBe(repaired);
    await run("--apply");
    expect(world.read(`${PROJECT}/patterns.md`)).toBe(repaired);
    expect(existsSync(`${backup}-2`)).toBe(true);
    expect(await world.json("memory", "repair", "--target-dir", PROJECT)).toMatchObject({
      applied: false,
      backup: null,
    });
  });

  test("what is over sixty is evicted, oldest first, and kept in the backup", async () => {
    const bullets = Array.from({ length: 62 }, (_, index) => `- ${index}\n`).join("");
    const { world, run } = prepared({
      "progress.md": `## Completed\n${bullets}## Last Updated\n- stranded\n`,
    });
    await run("--apply");
    const backup = join(world.root, ".craftflow/state/.memory-repair-backup-20260706T150000Z");
    expect(readFileSync(join(backup, "evicted.md"), "utf8")).toBe(
      "# Evicted\n\n## progress.md\n- 0\n- 1\n- 2\n",
    );
    expect(world.read(`${PROJECT}/progress.md`)).toMatch(
      /^## Completed\n- 3\n(?:.*\n)*- 61\n- stranded\n## Last Updated\n$/,
    );
  });

  test("internal task lines and repeated plan lines go from the context", async () => {
    const context =
      "## References\n- Plan: `a.md`\n- Plan: `b.md`\n- Plan: `a.md`\n- [cc10x-internal] memory_task_id: 5\n## Learnings\n- Plan: `a.md`\n";
    const { world, run } = prepared({ "activeContext.md": context });
    expect((await run("--apply")).code).toBe(0);
    expect(world.read(`${PROJECT}/activeContext.md`)).toBe(
      "## References\n- Plan: `a.md`\n- Plan: `b.md`\n## Learnings\n- Plan: `a.md`\n",
    );
  });

  test.each([
    [
      "patterns.md",
      "## Last Updated\n",
      "Error repairing patterns.md: '## Common Gotchas' heading not found",
    ],
    ["progress.md", "## Completed\n", "Error repairing progress.md: '## Last Updated' heading not found"],
    ["activeContext.md", "", "Error repairing activeContext.md: '## References' heading not found"],
  ])("%s without a heading: exit 1, nothing written", async (file, text, message) => {
    const { world, run } = prepared({ "patterns.md": PATTERNS, [file]: text });
    expect(await run("--apply")).toEqual({ code: 1, stdout: "", stderr: `${message}\n` });
    expect(world.read(`${PROJECT}/${file}`)).toBe(text);
    expect(readdirSync(join(world.root, ".craftflow/state"))).not.toContainEqual(
      expect.stringContaining("backup"),
    );
  });

  test("a file that is missing, and no directory at all", async () => {
    const world = memoryWorld();
    mkdirSync(join(world.root, "d"));
    expect(await world.flow(["memory", "repair", "--target-dir", "d"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error: target file not found: ${join(world.root, "d/patterns.md")}\n`,
    });
  });
});

describe("repaired texts", () => {
  const line = fc.constantFrom(
    "## Common Gotchas",
    "## Last Updated",
    "## Dependencies",
    "API Patterns",
    "Error Handling ",
    "- a b",
    "- token",
    "- a (conf: 0.8) (conf: 0.9)",
    "  - nested one",
    "```",
    "text",
    "",
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("", "\n"))
    .map(([lines, end]) => `${lines.join("\n")}${end}`);

  test("no bullet is lost, and a repaired text needs no repair of its bullets", () => {
    fc.assert(
      fc.property(text, (original) => {
        let repaired: ReturnType<typeof repairText>;
        try {
          repaired = repairText("patterns.md", original);
        } catch (error) {
          expect(error).toBeInstanceOf(MissingHeading);
          return;
        }
        expect(repaired.report.zero_data_loss_ok).toBe(true);
        const again = repairText("patterns.md", repaired.text);
        expect(again.text).toBe(repaired.text);
        expect(again.report).toMatchObject({ moved: 0, relocated: 0, evicted: 0 });
      }),
    );
  });

  test("the diff turns the original into the repaired text, as patch(1) reads it", () => {
    const world = memoryWorld();
    fc.assert(
      fc.property(text, (body) => {
        const original = `## Common Gotchas\n${body}\n## Last Updated\n- x y\n`;
        const { lines, text: repaired } = repairText("patterns.md", original);
        const path = join(world.base, "f.md");
        writeFileSync(path, original);
        const diff = unifiedDiff(
          "f.md",
          repairLines(original).map((one) => one.text),
          lines,
        );
        const run = spawnSync("git", ["apply", "--unidiff-zero", "-p0", "-"], {
          cwd: world.base,
          input: diff.replace(/^--- .*\n\+\+\+ .*\n/, "--- f.md\n+++ f.md\n").concat("\n"),
          encoding: "utf8",
        });
        expect(run.stderr).toBe("");
        expect(readFileSync(path, "utf8")).toBe(repaired);
      }),
      { numRuns: 30 },
    );
  });
});
