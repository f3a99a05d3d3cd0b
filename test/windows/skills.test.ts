import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

withWindows("jig skills on Windows", () => {
  let windows: Machine;
  beforeAll(async () => {
    windows = await machine();
  });

  test("skills are installed, edits are kept and backed up before they go, and taken away", async () => {
    const directory = windows.fresh("skills");
    const skills = (verb: string, ...words: string[]) =>
      windows.jig(["skills", verb, ...words, "--dir", windowsPath(directory)]);
    expect((await skills("install", "jig-jobs")).stdout).toMatch(/^installed\tjig-jobs\t/);
    const file = join(directory, "jig-jobs/SKILL.md");
    const installed = readFileSync(file, "utf8");
    // Forward slashes, which every shell there reads (skills.md, 5).
    expect(installed).toContain(windows.jigPath.replaceAll("\\", "/"));
    appendFileSync(file, "mine\n");
    expect((await skills("list", "--installed")).stdout).toMatch(/^modified\tjig-jobs\t/);
    const kept = await skills("update", "jig-jobs");
    expect(kept.stderr + kept.stdout).toContain("--force");
    expect(readFileSync(file, "utf8")).toBe(`${installed}mine\n`);

    const forced = await skills("install", "jig-jobs", "--force");
    expect(forced.code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(installed);
    const backup = /backup of what was there: (.*)$/m.exec(forced.stderr)![1]!;
    expect(backup).toMatch(/\\AppData\\Local\\jig\\skill-backups\\[^\\]+-jig-jobs$/);
    const words = ["cmd", "/d", "/c", "type", `${backup}\\SKILL.md`];
    expect((await windows.run(words)).stdout).toBe(`${installed}mine\n`);

    expect((await skills("uninstall", "jig-jobs")).stdout).toMatch(/^removed\tjig-jobs\t/);
    expect(existsSync(join(directory, "jig-jobs"))).toBe(false);
  });
});
