import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canMount, smallDisk } from "../support/disk.ts";
import { testEnv } from "../support/run.ts";
import { callsTouching, canTrace, runInjected } from "../support/strace.ts";
import { tempDir } from "../support/temp.ts";
import { makeStale, SKILLS, snapshot, timeless, world } from "./world.ts";

/** Kill a command at every durable call on a directory, each time from the same start, and look at what is left. */
function killEverywhere(
  directory: string,
  command: string[],
  env: Record<string, string>,
  prepare: () => void,
  look: (at: string) => void,
  stride = 1,
): number {
  prepare();
  // A kill before a close or a flush leaves what a kill before the call after it leaves.
  const calls = callsTouching(directory, command, { env }).filter(
    ({ name }) => !/^(close|fsync)$/.test(name),
  );
  let killed = 0;
  for (const [index, call] of calls.entries()) {
    if (index % stride !== 0) continue;
    prepare();
    const run = runInjected(command, call, "signal=KILL", { env });
    if (run.signal === "SIGKILL" || run.code === 137) killed++;
    look(`${call.name} ${call.when}`);
  }
  return killed;
}

describe.skipIf(!canTrace)("a kill at any step", () => {
  test("skills-35 a first install, a replacement and an uninstall: the same command again finishes the job", {
    timeout: 240_000,
  }, async () => {
    const { jig, home, binary, env } = world();
    const skills = join(home, ".claude/skills");
    const skill = join(skills, "jig-packs");
    const install = ["skills", "install", "--host", "claude", "packs"];
    const uninstall = ["skills", "uninstall", "--host", "claude", "packs"];
    await jig(install);
    const fresh = timeless(snapshot(skill));
    const kept = join(home, "kept");
    cpSync(skills, kept, { recursive: true });
    const again = (words: string[]) => {
      const run = spawnSync(binary, words, { env: testEnv(env), encoding: "utf8" });
      return { code: run.status, stderr: run.stderr };
    };

    const reset = () => rmSync(skills, { recursive: true, force: true });
    const first = killEverywhere(skills, [binary, ...install], env, reset, (at) => {
      const run = again(install);
      expect({ at, code: run.code, stderr: run.stderr }).toMatchObject({ at, code: 0 });
      expect(timeless(snapshot(skill)), at).toEqual(fresh);
    });
    expect(first).toBeGreaterThan(10);

    const stale = () => {
      reset();
      cpSync(kept, skills, { recursive: true });
      makeStale(skill);
    };
    const second = killEverywhere(skills, [binary, ...install], env, stale, (at) => {
      const run = again(install);
      expect({ at, code: run.code, stderr: run.stderr }).toMatchObject({ at, code: 0 });
      expect(timeless(snapshot(skill)), at).toEqual(fresh);
    });
    expect(second).toBeGreaterThan(8);

    const installed = () => {
      reset();
      cpSync(kept, skills, { recursive: true });
    };
    const third = killEverywhere(skills, [binary, ...uninstall], env, installed, (at) => {
      const run = again(uninstall);
      expect({ at, code: run.code, stderr: run.stderr }).toMatchObject({ at, code: 0 });
      expect(existsSync(skill), at).toBe(false);
      expect(readdirSync(skills), at).toEqual([]);
    });
    expect(third).toBeGreaterThan(2);
  });

  test("SKILL.md of a new skill never stands before its references", { timeout: 120_000 }, async () => {
    const { jig, home, binary, env } = world();
    const skills = join(home, ".claude/skills");
    const skill = join(skills, "jig-brainstorm");
    const install = ["skills", "install", "--host", "claude", "brainstorm"];
    await jig(install);
    const fresh = timeless(snapshot(skill));
    const reset = () => rmSync(skills, { recursive: true, force: true });
    let partly = 0;
    killEverywhere(
      skills,
      [binary, ...install],
      env,
      reset,
      (at) => {
        const there = existsSync(skill) ? Object.keys(snapshot(skill)) : [];
        if (there.includes("SKILL.md"))
          expect(
            there.filter((name) => name.startsWith("references/")),
            at,
          ).toHaveLength(22);
        else if (there.length > 0) partly++;
      },
      17,
    );
    expect(partly).toBeGreaterThan(3);
    const run = await jig(install);
    expect(run.code).toBe(0);
    expect(timeless(snapshot(skill))).toEqual(fresh);
  });

  test("a forced replacement killed anywhere has its backup before anything is replaced", {
    timeout: 120_000,
  }, async () => {
    const { jig, home, binary, env } = world();
    const skills = join(home, ".claude/skills");
    const skill = join(skills, "jig-packs");
    const words = ["skills", "install", "--host", "claude", "--force", "packs"];
    await jig(words);
    appendFileSync(join(skill, "SKILL.md"), "an edit\n");
    const edited = readFileSync(join(skill, "SKILL.md"), "utf8");
    const kept = join(home, "kept");
    cpSync(skills, kept, { recursive: true });
    const backups = join(home, ".local/state/jig/skill-backups");
    const prepare = () => {
      for (const path of [skills, backups]) rmSync(path, { recursive: true, force: true });
      cpSync(kept, skills, { recursive: true });
    };
    const killed = killEverywhere(
      home,
      [binary, ...words],
      env,
      prepare,
      (at) => {
        const texts = [
          skill,
          ...(existsSync(backups) ? readdirSync(backups).map((name) => join(backups, name)) : []),
        ]
          .map((place) => join(place, "SKILL.md"))
          .filter((path) => existsSync(path))
          .map((path) => readFileSync(path, "utf8"));
        expect(texts, at).toContain(edited);
      },
      3,
    );
    expect(killed).toBeGreaterThan(8);
  });
});

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
