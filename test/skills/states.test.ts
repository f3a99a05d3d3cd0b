import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import { jigOf, makeShipment, makeSkill } from "./shipments.ts";
import { readInstalledManifest, snapshot, timeless } from "./world.ts";

const OLD = makeShipment("1.0.0", [
  makeSkill("jig-a", { "references/one.md": "one\n", "references/gone.md": "gone\n" }),
]);
const NEW = makeShipment("2.0.0", [
  makeSkill("jig-a", { "references/one.md": "one, better\n", "references/two.md": "two\n" }, "Better.\n"),
]);

function place() {
  const home = tempDir();
  const directory = join(home, "skills");
  return {
    home,
    directory,
    skill: join(directory, "jig-a"),
    old: jigOf(OLD, home, directory),
    now: jigOf(NEW, home, directory),
  };
}

async function fresh(): Promise<Record<string, string>> {
  const { directory, skill, now } = place();
  await now.install();
  return Object.fromEntries(
    Object.entries(timeless(snapshot(skill))).map(([name, text]) => [
      name,
      text.replaceAll(directory, "DIR"),
    ]),
  );
}

function current(directory: string, skill: string) {
  return Object.fromEntries(
    Object.entries(timeless(snapshot(skill))).map(([name, text]) => [
      name,
      text.replaceAll(directory, "DIR"),
    ]),
  );
}

describe("another version of jig", () => {
  test("an upgrade replaces what changed and deletes what is gone", async () => {
    const { directory, skill, old, now } = place();
    expect(await old.install()).toMatchObject([{ action: "installed", state: "absent" }]);
    expect(await now.install()).toMatchObject([{ action: "updated", state: "stale" }]);
    expect(current(directory, skill)).toEqual(await fresh());
  });

  test("skills-34 an older jig refuses what a later one wrote, and replaces it only by force", async () => {
    const { directory, skill, old, now } = place();
    await now.install();
    const before = snapshot(skill);
    expect(await old.install()).toMatchObject([{ action: "refused-newer", state: "newer" }]);
    expect(await old.update()).toMatchObject([{ action: "refused-newer" }]);
    expect(snapshot(skill)).toEqual(before);
    const [forced] = await old.install(true);
    expect(forced).toMatchObject({ action: "updated", state: "newer" });
    expect(snapshot(forced!.backup!)).toEqual(before);
    expect(Object.keys(snapshot(skill))).toContain("references/gone.md");
    expect(Object.keys(snapshot(skill))).not.toContain("references/two.md");

    const text = readFileSync(join(skill, ".jig-skill.json"), "utf8");
    writeFileSync(join(skill, ".jig-skill.json"), text.replace('"schema": 1', '"schema": 2'));
    const later = snapshot(skill);
    expect(await now.install()).toMatchObject([{ action: "refused-newer", state: "newer" }]);
    expect(await now.uninstall()).toMatchObject([{ action: "failed" }]);
    expect(snapshot(skill)).toEqual(later);
    expect(await now.install(true)).toMatchObject([{ action: "updated" }]);
    expect(readInstalledManifest(skill).schema).toBe(1);
    expect(existsSync(join(directory, "jig-a"))).toBe(true);
  });

  test("a downgrade to the same text is no downgrade", async () => {
    const { home, directory, now } = place();
    await now.install();
    const same = jigOf({ ...NEW, version: "1.5.0" }, home, directory);
    expect(await same.install()).toMatchObject([{ action: "updated", state: "stale" }]);
  });

  test("an edited file stops an upgrade, also one the new version would delete", async () => {
    for (const file of ["references/one.md", "references/gone.md", "SKILL.md"]) {
      const { skill, old, now } = place();
      await old.install();
      appendFileSync(join(skill, file), "edit\n");
      const before = snapshot(skill);
      expect(await now.install()).toMatchObject([{ action: "kept-edited", files: [file] }]);
      expect(snapshot(skill)).toEqual(before);
    }
  });

  test("the user's own file at a path the new version wants is kept like an edit", async () => {
    const { skill, old, now } = place();
    await old.install();
    writeFileSync(join(skill, "references/two.md"), "mine\n");
    expect(await now.install()).toMatchObject([{ action: "kept-edited", files: ["references/two.md"] }]);
    // It is not the manifest's, so uninstall leaves it, even by force.
    expect(await now.uninstall(true)).toMatchObject([{ action: "removed" }]);
    expect(snapshot(skill)).toEqual({ references: "<directory>", "references/two.md": "mine\n" });
  });

  test("a file or a directory in the wrong place is kept, and by force replaced after a backup", async () => {
    const shapes: ((skill: string) => void)[] = [
      (skill) => {
        rmSync(join(skill, "references"), { recursive: true });
        writeFileSync(join(skill, "references"), "a file\n");
      },
      (skill) => {
        rmSync(join(skill, "SKILL.md"));
        mkdirSync(join(skill, "SKILL.md"));
        writeFileSync(join(skill, "SKILL.md/inside"), "mine\n");
      },
      (skill) => {
        rmSync(join(skill, "references/one.md"));
        symlinkSync("/etc/hostname", join(skill, "references/one.md"));
      },
    ];
    for (const bend of shapes) {
      const { directory, skill, old, now } = place();
      await old.install();
      bend(skill);
      const before = snapshot(skill);
      expect(await now.install()).toMatchObject([{ action: "kept-edited" }]);
      expect(snapshot(skill)).toEqual(before);
      const [forced] = await now.install(true);
      expect(forced).toMatchObject({ action: "updated" });
      expect(snapshot(forced!.backup!)).toEqual(before);
      expect(current(directory, skill)).toEqual(await fresh());
    }
  });

  test("no backup, no replacement", async () => {
    const { home, skill, old, now } = place();
    await old.install();
    appendFileSync(join(skill, "SKILL.md"), "edit\n");
    // Something of the user's stands where backups go.
    writeFileSync(join(home, ".local/state/jig/skill-backups"), "");
    const before = snapshot(skill);
    expect(await now.install(true)).toMatchObject([{ action: "failed", backup: null }]);
    expect(await now.uninstall(true)).toMatchObject([{ action: "failed", backup: null }]);
    expect(snapshot(skill)).toEqual(before);
  });

  test("a skill the new version dropped is orphaned and can still be removed", async () => {
    const { home, directory, skill, old } = place();
    await old.install();
    const without = jigOf(makeShipment("3.0.0", [makeSkill("jig-b", {})]), home, directory);
    expect(await without.update()).toMatchObject([{ action: "orphaned", state: "orphaned" }]);
    expect(await without.install()).toMatchObject([{ name: "jig-b", action: "installed" }]);
    expect(await without.uninstall()).toMatchObject([
      { name: "jig-a", action: "removed" },
      { name: "jig-b", action: "removed" },
    ]);
    expect(existsSync(skill)).toBe(false);
  });
});

describe("what a directory is", () => {
  test("one that holds only the user's own files counts as absent: uninstall leaves it, install fills it", async () => {
    const { directory, skill, now } = place();
    const mine = { "my-notes.md": "mine\n", "references/my-own.md": "mine\n", "deep/er/x": "mine\n" };
    const plant = () => {
      for (const [path, text] of Object.entries(mine)) {
        mkdirSync(dirname(join(skill, path)), { recursive: true });
        writeFileSync(join(skill, path), text);
      }
    };
    const left = () => Object.entries(snapshot(skill)).filter(([, text]) => text !== "<directory>");
    await now.install();
    plant();
    expect(await now.uninstall()).toMatchObject([{ action: "removed" }]);
    expect(Object.fromEntries(left())).toEqual(mine);
    // Again: nothing is installed. A file stays a file.
    expect(await now.uninstall()).toEqual([]);
    expect(Object.fromEntries(left())).toEqual(mine);
    expect(await now.install()).toMatchObject([{ action: "installed", state: "absent", backup: null }]);
    expect(await now.install()).toMatchObject([{ action: "unchanged" }]);
    const { "my-notes.md": kept, ...others } = snapshot(skill);
    expect(kept).toBe("mine\n");
    expect(Object.keys(others)).toContain("references/my-own.md");
    expect(current(directory, skill)["SKILL.md"]).toEqual((await fresh())["SKILL.md"]);
  });

  test.each([
    ["an entry file", "SKILL.md"],
    ["an entry file in small letters", "skill.md"],
    ["a file under a name of ours", "references/one.md"],
    ["a manifest that is none", ".jig-skill.json"],
  ])("%s that jig did not write is foreign", async (_what, path) => {
    const { skill, now } = place();
    mkdirSync(dirname(join(skill, path)), { recursive: true });
    writeFileSync(join(skill, path), "mine\n");
    expect(await now.install()).toMatchObject([{ action: "refused-foreign", state: "foreign" }]);
    expect(await now.uninstall()).toMatchObject([{ action: "refused-foreign" }]);
    expect(snapshot(skill)[path]).toBe("mine\n");
  });

  test("an untrustworthy manifest is none", async () => {
    const { skill, now } = place();
    await now.install();
    const path = join(skill, ".jig-skill.json");
    const good = readFileSync(path, "utf8");
    const bad = [
      good.replace('"references/one.md"', '"../../outside.md"'),
      good.replace('"references/one.md"', '"/etc/passwd"'),
      good.replace('"references/one.md"', '".jig-skill.json"'),
      good.replace('"references/one.md"', '"references\\\\one.md"'),
      good.replace('"jig-a"', '"jig-other"'),
      good.replace('"2.0.0"', '"two"'),
      "[]",
      "{",
      `${good}${" ".repeat(256 * 1024)}`,
    ];
    for (const text of bad) {
      writeFileSync(path, text);
      expect(await now.install()).toMatchObject([{ action: "refused-foreign", state: "foreign" }]);
      expect(await now.uninstall()).toMatchObject([{ action: "refused-foreign" }]);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  test("modes follow the umask and nothing is executable", async () => {
    const { skill, now } = place();
    const before = process.umask(0);
    try {
      await now.install();
    } finally {
      process.umask(before);
    }
    expect(statSync(join(skill, "SKILL.md")).mode & 0o777).toBe(0o644);
    expect(statSync(join(skill, ".jig-skill.json")).mode & 0o777).toBe(0o644);
    expect(statSync(skill).mode & 0o777).toBe(0o755);
  });

  test("a directory that cannot be read is reported with the reason", async ({ skip }) => {
    if (process.geteuid?.() === 0) skip("root reads everything");
    const { skill, now } = place();
    await now.install();
    chmodSync(skill, 0);
    const done = await now.install();
    chmodSync(skill, 0o755);
    expect(done).toMatchObject([{ action: "failed", state: "unreadable" }]);
  });

  test("an empty directory and leftovers of an interrupted write are nothing", async () => {
    const { directory, skill, now } = place();
    mkdirSync(join(skill, "references"), { recursive: true });
    writeFileSync(join(skill, ".jig-skill-tmp-0123456789abcdef"), "half");
    expect(await now.install()).toMatchObject([{ action: "installed", state: "absent" }]);
    expect(current(directory, skill)).toEqual(await fresh());
  });
});
