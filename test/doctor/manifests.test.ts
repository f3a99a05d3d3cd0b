import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DoctorReport } from "../../src/doctor/schema.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

test("doctor tells which craft manifests of a directory are refused, and why", async () => {
  const base = tempDir();
  const claude = join(base, "repository/.claude");
  mkdirSync(claude, { recursive: true });
  const env = { HOME: base, TMPDIR: base };
  const checks = async () => {
    const { stdout } = await runJig(["doctor", "--json"], { cwd: join(base, "repository"), env });
    const report: DoctorReport = JSON.parse(stdout);
    return report.checks
      .filter(({ check }) => check === "craft manifests")
      .map(({ level, message, mend }) => [level, message, mend]);
  };
  expect(await checks()).toEqual([["note", expect.stringContaining("none here"), null]]);
  writeFileSync(join(claude, "workflow.md"), "---\npipeline: { profile: lean }\n---\n");
  writeFileSync(join(claude, "craft-ci.md"), "---\npipeline: { skip: [review] }\n---\n");
  expect(await checks()).toEqual([["ok", "2 here, each resolves", null]]);
  writeFileSync(join(claude, "craft-ci.md"), "---\npipeline: { skip: [design] }\n---\n");
  writeFileSync(join(claude, "workflow.md"), "---\nfoo: 1\n---\n");
  expect(await checks()).toEqual([
    ["finding", ".claude/workflow.md is refused: unknown top-level key: foo (line 2)", "jig craft explain"],
    [
      "finding",
      expect.stringMatching(/^config ci is refused: Strand: skipping "design"/),
      "jig craft explain --config ci",
    ],
  ]);
});
