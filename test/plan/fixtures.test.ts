import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlanReport } from "../../src/plan/schema.ts";
import { runJig } from "../support/run.ts";
import { makeTempDir, removeDir } from "../support/temp.ts";
import { FIXTURES, GOOD, summary, writePlan } from "./support.ts";

const files = readdirSync(join(FIXTURES, "good")).sort();

/** What is told about a good document without being a fault. */
const INFORMATION = /^PLAN-(?:M10|M11|M13|D10) info /;

describe("documents that people wrote well", () => {
  const directory = makeTempDir();
  const reports = new Map<string, PlanReport>();

  beforeAll(async () => {
    // Away from this repository, as documents of their own.
    cpSync(join(FIXTURES, "good"), directory, { recursive: true });
    // Version control would not keep these line ends.
    const windows = join(directory, "2026-09-02-0001-fix-windows-eol-plan.md");
    writeFileSync(windows, readFileSync(windows, "utf8").replaceAll(/\r?\n/g, "\r\n"));
    const run = await runJig(["plan", "check", ...files, "--json"], { cwd: directory, timeout: 60_000 });
    for (const report of JSON.parse(run.stdout) as PlanReport[]) reports.set(basename(report.file), report);
  }, 60_000);
  afterAll(() => removeDir(directory));

  test("there are at least thirty, of every shape", () => {
    const shapes = [...reports.values()].map(({ format, generation, stage, status }) =>
      [status, format, stage, generation].filter(Boolean).join(" "),
    );
    expect(shapes.length).toBeGreaterThanOrEqual(30);
    expect([...new Set(shapes)].sort()).toEqual([
      "legacy html",
      "legacy md",
      "pass html planned current",
      "pass html requirements-only current",
      "pass html requirements-only earlier",
      "pass md planned current",
      "pass md planned earlier",
      "pass md requirements-only current",
      "pass md requirements-only earlier",
    ]);
  });

  test.each(files)("%s", (name) => {
    const report = reports.get(name)!;
    expect(["pass", "legacy"]).toContain(report.status);
    // What an earlier wording allowed is a warning, never an error.
    if (report.generation === "earlier") expect(report.errors).toBe(0);
    else expect(summary(report).filter((line) => !INFORMATION.test(line))).toEqual([]);
  });

  test("a huge one, with an index of 1000 requirements", async () => {
    const text =
      "A requirement of about the usual length, with `code`, **bold** and a comma, and no more than that.";
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 6);
    const heading = (number: number) => (number % 25 === 0 ? `\n#### Group ${number / 25}\n\n` : "");
    const list = numbers.map((number) => `${heading(number)}- R${number}. ${text}`).join("\n");
    const index = `| ID | Owner |\n|---|---|\n${numbers.map((number) => `| R${number} | x |`).join("\n")}`;
    const huge = GOOD.replace("\nThe list keeps", `\n${list}\n\n${index}\n\nThe list keeps`);
    expect(huge.length).toBeGreaterThan(120_000);
    const run = await runJig(["plan", "check", writePlan(huge)], { timeout: 60_000 });
    expect(run.stdout).toBe("pass: 0 errors, 0 warnings (md, requirements-only, current)\n");
  }, 60_000);
});
