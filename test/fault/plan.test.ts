/** What is left of a plan's reservation when the process or the disk ends at any step. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canMount, smallDisk } from "../support/disk.ts";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { faults } from "./harness.ts";

const NAME = "2026-09-24-0952-fix-a-plan.md";
const CONTENT = "text\n".repeat(1000);
const WORDS = ["plan", "reserve", "--type", "fix", "--topic", "a", "--date", "2026-09-24", "--time", "0952"];

function repository() {
  const cwd = tempDir();
  execFileSync("git", ["init", "-q", cwd]);
  const plans = join(cwd, "docs/plans");
  mkdirSync(plans, { recursive: true });
  writeFileSync(join(cwd, "content.md"), CONTENT);
  return { cwd, plans, directory: plans };
}

/** Names that a reader of plans sees: everything but the leftovers of a killed writer. */
function visible(plans: string): string[] {
  return readdirSync(plans).filter((name) => !name.startsWith("."));
}

for (const from of [[], ["--from", "content.md"]]) {
  faults({
    what: from.length === 0 ? "plan reserve" : "plan reserve with content",
    least: from.length === 0 ? 0 : 3,
    // git, which is started to find the repository, opens, writes and closes things too.
    skip: /^(?:openat|close|write)$/,
    prepare: () => ({ ...repository(), command: [JIG, ...WORDS, ...from] }),
    async holds({ cwd, plans }, { code, killed, stdout }) {
      const left = visible(plans);
      expect(left.length).toBeLessThanOrEqual(1);
      for (const name of left) {
        expect(name).toBe(NAME);
        expect(readFileSync(join(plans, name), "utf8")).toBe(from.length === 0 ? "" : CONTENT);
      }
      if (killed) expect(stdout).toBe("");
      else if (code === 0) expect([stdout.trim(), left]).toEqual([join(plans, NAME), [NAME]]);
      else expect([code, stdout]).toEqual([1, ""]);
      const next = await runJig([...WORDS, ...from], { cwd });
      expect([next.code, visible(plans).length]).toEqual([0, left.length + 1]);
    },
  });
}

faults({
  what: "plan release",
  least: 1,
  skip: /^(?:openat|close|write)$/,
  prepare() {
    const { cwd, plans } = repository();
    writeFileSync(join(plans, NAME), "");
    return { cwd, plans, directory: plans, command: [JIG, "plan", "release", join(plans, NAME)] };
  },
  holds({ plans }, { code, killed, stderr }) {
    expect(["", NAME]).toContain(readdirSync(plans).join());
    // Only the word of it was lost.
    if (stderr.includes("cannot write to standard output")) expect(readdirSync(plans)).toEqual([]);
    else if (!killed) expect(readdirSync(plans)).toEqual(code === 0 ? [] : [NAME]);
  },
});

test.skipIf(!canMount)("a full disk reserves nothing", async () => {
  const disk = smallDisk("1m");
  execFileSync("git", ["init", "-q", disk]);
  const large = join(tempDir(), "large.md");
  writeFileSync(large, "x".repeat(2 << 20));
  const run = await runJig([...WORDS, "--from", large], { cwd: disk });
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain("no space left on device");
  const plans = join(disk, "docs/plans");
  expect(existsSync(plans) ? readdirSync(plans) : []).toEqual([]);
});
