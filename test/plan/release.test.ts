import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "./world.ts";

const NAME = "docs/plans/2026-09-24-0952-fix-a-b-plan";

test("plan-11 an empty reservation goes, anything else stays", async () => {
  const { plan, res, root, write } = world();
  const path = (await res(["--type", "fix", "--topic", "a-b"])).stdout.trim();
  const run = await plan(["release", path]);
  expect(run).toMatchObject({ code: 0, stdout: `released: ${path}\n` });
  expect(existsSync(path)).toBe(false);
  const full = write(`${NAME}-2.md`, "text");
  const elsewhere = write("2026-09-24-0952-fix-a-b-plan.md");
  for (const kept of [full, elsewhere]) {
    const refused = await plan(["release", kept]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("not an empty reservation");
    expect(existsSync(kept)).toBe(true);
  }
  expect(readFileSync(full, "utf8")).toBe("text");
  expect(root).not.toBe("");
});

test("what only looks like a reservation is kept", async () => {
  const { plan, root, write } = world();
  const kept = [
    write("docs/plans/notes.md"),
    write("docs/plans/2026-02-30-0952-fix-a-b-plan.md"),
    write("docs/plans/2026-09-24-0952-fix-a-b-plan-1.md"),
    write("docs/plans/2026-09-24-0952-fix-a-b-plan.txt"),
    write("docs/plans/old/2026-09-24-0952-fix-a-b-plan.md"),
    write(`${NAME}-3.md/inside`),
  ];
  symlinkSync("notes.md", join(root, `${NAME}-4.md`));
  for (const path of [
    ...kept.slice(0, 5),
    join(root, `${NAME}-3.md`),
    join(root, `${NAME}-4.md`),
    "missing.md",
  ]) {
    const run = await plan(["release", path]);
    expect([path, run.code, run.stdout]).toEqual([path, 1, ""]);
    expect(run.stderr).toContain("not an empty reservation");
  }
  for (const path of kept) expect(existsSync(path)).toBe(true);
});

test("works from another directory and says what it removed", async () => {
  const { plan, root, write } = world();
  const path = write(`${NAME}.html`);
  const run = await plan(["release", path, "--json"], { cwd: "/" });
  expect(JSON.parse(run.stdout)).toEqual({ path, relative: `${NAME}.html` });
  expect(existsSync(join(root, `${NAME}.html`))).toBe(false);
});
