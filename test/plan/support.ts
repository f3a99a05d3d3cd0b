import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CheckFlags, checkPlans } from "../../src/plan/check.ts";
import type { PlanReport } from "../../src/plan/schema.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

export const GOOD_NAME = "2026-09-24-0952-feat-mute-alerts-plan.md";
export const FIXTURES = join(import.meta.dirname, "fixtures");
export const GOOD = readFileSync(join(FIXTURES, "good", GOOD_NAME), "utf8");
export const GOOD_HTML_NAME = "2026-09-24-0952-feat-mute-alerts-on-call-plan.html";
export const GOOD_HTML = readFileSync(join(FIXTURES, "good", GOOD_HTML_NAME), "utf8");

/** Write a file below a fresh directory and return its path. */
export function writePlan(text: string | Uint8Array, name = GOOD_NAME, directory = tempDir()): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const NO_FLAGS: CheckFlags = {
  stage: undefined,
  producer: undefined,
  split: false,
  strict: false,
  ignore: [],
};

/** Check one document, given by its text, and return the report with the exit code. */
export async function check(
  text: string | Uint8Array,
  options: Partial<CheckFlags> & { name?: string } = {},
): Promise<PlanReport & { exitCode: number }> {
  const { name, ...flags } = options;
  const path = writePlan(text, name);
  const outcome = await checkPlans(testHost({ cwd: dirname(path) }), [path], { ...NO_FLAGS, ...flags });
  return { ...(outcome.data as PlanReport), exitCode: outcome.exitCode ?? 0 };
}

/** `RULE severity line` of each finding, for comparison at a glance. */
export function summary(report: PlanReport): string[] {
  return report.findings.map(({ line, rule, severity }) => `${rule} ${severity} ${line}`);
}

/** Rule ids and severities of a document's findings, each once, without lines. */
export async function rulesOf(text: string, options: Parameters<typeof check>[1] = {}): Promise<string[]> {
  const report = await check(text, options);
  return [...new Set(report.findings.map(({ rule, severity }) => `${rule} ${severity}`))];
}

/** A text with one part replaced. Fails when the part is not there exactly once. */
export function change(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`'${from}' is there ${parts.length - 1} times`);
  return parts.join(to);
}
