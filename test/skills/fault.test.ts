import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canMount, smallDisk } from "../support/disk.ts";
import { tempDir } from "../support/temp.ts";
import { SKILLS, world } from "./world.ts";

describe.skipIf(!canMount)("a full disk", () => {
  test("what does not fit failed, what was there stays, and room makes it whole", async () => {
    const disk = smallDisk("96k");
    const { jig } = world();
    const directory = join(disk, "skills");
    mkdirSync(join(directory, "jig-mine"), { recursive: true });
    writeFileSync(join(directory, "jig-mine/SKILL.md"), "mine\n");
    const run = await jig(["skills", "install", "--dir", directory]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^failed\tjig-/m);
    expect(run.stderr).toContain("no space left on device");
    expect(readFileSync(join(directory, "jig-mine/SKILL.md"), "utf8")).toBe("mine\n");
    const elsewhere = tempDir();
    cpSync(directory, elsewhere, { recursive: true });
    const again = await jig(["skills", "install", "--dir", elsewhere]);
    expect(again.code).toBe(0);
    expect((await jig(["skills", "check", "--dir", elsewhere, ...SKILLS])).stdout).not.toMatch(
      /S040|S005|S030/,
    );
  });
});
