/** What is left of a reservation when the process or the disk ends at any step. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canMount, smallDisk } from "../support/disk.ts";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { callsTouching, canTrace, runInjected, type SystemCall } from "../support/strace.ts";
import { tempDir } from "../support/temp.ts";

const NAME = "2026-09-24-0952-fix-a-plan.md";
const CONTENT = "text\n".repeat(1000);

function repository(): { root: string; plans: string; from: string } {
  const root = tempDir();
  execFileSync("git", ["init", "-q", root]);
  const plans = join(root, "docs/plans");
  mkdirSync(plans, { recursive: true });
  const from = join(root, "content.md");
  writeFileSync(from, CONTENT);
  return { root, plans, from };
}

const reserve = (...more: string[]) => {
  const name = ["--type", "fix", "--topic", "a", "--date", "2026-09-24", "--time", "0952"];
  return [JIG, "plan", "reserve", ...name, ...more];
};

/** Names that a reader of plans sees: everything but the leftovers of a killed writer. */
function visible(plans: string): string[] {
  return readdirSync(plans).filter((name) => !name.startsWith("."));
}

/** Calls that jig makes and the git it starts does not, so that an injection hits the right process. */
function durable(directory: string, command: readonly string[], cwd: string): SystemCall[] {
  return callsTouching(directory, command, { cwd }).filter(
    ({ name }) => !/^(?:openat|close|write)$/.test(name),
  );
}

describe.skipIf(!canTrace)("killed at any call", () => {
  test.each([
    ["an empty reservation", false],
    ["one with content", true],
  ])(
    "%s leaves a whole file or none, and the next call works",
    async (_what, filled) => {
      const sample = repository();
      const words = (from: string) => reserve(...(filled ? ["--from", from] : []));
      const calls = durable(sample.plans, words(sample.from), sample.root);
      expect(calls.length).toBeGreaterThan(filled ? 4 : 1);
      for (const call of calls) {
        const { from, plans, root } = repository();
        const run = runInjected(words(from), call, "signal=KILL", { cwd: root });
        expect(run.stdout).toBe("");
        const left = visible(plans);
        expect(left.length).toBeLessThanOrEqual(1);
        for (const name of left) {
          expect(name).toBe(NAME);
          expect(readFileSync(join(plans, name), "utf8")).toBe(filled ? CONTENT : "");
        }
        const next = await runJig(words(from).slice(1), { cwd: root });
        expect(next.code).toBe(0);
        expect(visible(plans)).toHaveLength(left.length + 1);
      }
    },
    120_000,
  );

  test("a release takes the file or leaves it", () => {
    const sample = repository();
    writeFileSync(join(sample.plans, NAME), "");
    const words = (plans: string) => [JIG, "plan", "release", join(plans, NAME)];
    const calls = durable(sample.plans, words(sample.plans), sample.root);
    expect(calls.map(({ name }) => name).join()).toMatch(/unlink/);
    for (const call of calls) {
      const { plans, root } = repository();
      writeFileSync(join(plans, NAME), "");
      runInjected(words(plans), call, "signal=KILL", { cwd: root });
      expect(["", NAME]).toContain(readdirSync(plans).join());
    }
  }, 120_000);
});

describe.skipIf(!canTrace)("a call that fails", () => {
  test("leaves nothing behind and is said", () => {
    const sample = repository();
    const words = (from: string) => reserve("--from", from);
    const calls = durable(sample.plans, words(sample.from), sample.root).filter(({ name }) =>
      /^(?:fsync|link)/.test(name),
    );
    expect(calls.length).toBeGreaterThan(2);
    for (const call of calls) {
      const { from, plans, root } = repository();
      const run = runInjected(words(from), call, "error=ENOSPC", { cwd: root });
      if (run.code === 0) continue;
      expect([run.code, run.stdout]).toEqual([1, ""]);
      expect(run.stderr).toContain("no space left on device");
      expect(readdirSync(plans).filter((name) => name.startsWith("."))).toEqual([]);
      for (const name of visible(plans)) expect(readFileSync(join(plans, name), "utf8")).toBe(CONTENT);
    }
  }, 120_000);
});

test.skipIf(!canMount)("a full disk reserves nothing", async () => {
  const disk = smallDisk("1m");
  execFileSync("git", ["init", "-q", disk]);
  const large = join(tempDir(), "large.md");
  writeFileSync(large, "x".repeat(2 << 20));
  const run = await runJig(reserve("--from", large).slice(1), { cwd: disk });
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain("no space left on device");
  const plans = join(disk, "docs/plans");
  expect(existsSync(plans) ? readdirSync(plans) : []).toEqual([]);
});
