/** Installed skills: whole, or finished by the same command, whatever happens to the call (docs/spec/skills.md section 14). */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { makeStale, snapshot, timeless } from "../skills/world.ts";
import { JIG } from "../support/paths.ts";
import { testEnv } from "../support/run.ts";
import { makeTempDir, removeDir } from "../support/temp.ts";
import { faults } from "./harness.ts";

const home = makeTempDir("jig-fault-skills-");
const env = { HOME: home, PATH: process.env["PATH"] };
const skills = join(home, ".claude/skills");
const kept = join(home, "kept");
const backups = join(home, ".local/state/jig/skill-backups");

const run = (words: readonly string[]) => {
  const { status, stderr } = spawnSync(JIG, words, { env: testEnv(env), cwd: home, encoding: "utf8" });
  return { code: status, stderr };
};
const words = (verb: string, name: string, ...more: string[]) => [
  "skills",
  verb,
  "--host",
  "claude",
  ...more,
  name,
];

/** The skill as an undisturbed install leaves it. */
const fresh = new Map<string, Record<string, string>>();
beforeAll(() => {
  for (const name of ["packs", "brainstorm"]) {
    expect(run(words("install", name)).code).toBe(0);
    fresh.set(name, timeless(snapshot(join(skills, `jig-${name}`))));
  }
  cpSync(skills, kept, { recursive: true });
});
afterAll(() => removeDir(home));

function scene(verb: string, name: string, change: (skill: string) => void, ...more: string[]) {
  for (const path of [skills, backups]) rmSync(path, { recursive: true, force: true });
  const skill = join(skills, `jig-${name}`);
  change(skill);
  const command = [JIG, ...words(verb, name, ...more)];
  // What lies in hidden directories: the runtime opens the home itself as it starts.
  return { command, directory: `${home}/.`, cwd: home, env, skill, name };
}

const installed = (name: string) => (skill: string) => {
  mkdirSync(skills, { recursive: true });
  cpSync(join(kept, `jig-${name}`), skill, { recursive: true });
};

function expectFinished({ name, skill }: { name: string; skill: string }): void {
  expect(run(words("install", name))).toMatchObject({ code: 0 });
  expect(timeless(snapshot(skill))).toEqual(fresh.get(name));
}

describe("skills-35", () => {
  faults({
    what: "a first install",
    least: 10,
    prepare: () => scene("install", "packs", () => {}),
    holds: (at) => expectFinished(at),
  });

  faults({
    what: "a first install with references: SKILL.md stands last",
    least: 40,
    most: 8,
    prepare: () => scene("install", "brainstorm", () => {}),
    holds(at) {
      const there = existsSync(at.skill) ? Object.keys(snapshot(at.skill)) : [];
      const references = there.filter((path) => path.startsWith("references/") && path.endsWith(".md"));
      if (there.includes("SKILL.md")) expect(references).toHaveLength(22);
      expectFinished(at);
    },
  });

  faults({
    what: "a replacement",
    least: 5,
    prepare: () =>
      scene("install", "packs", (skill) => {
        installed("packs")(skill);
        makeStale(skill);
      }),
    holds: (at) => expectFinished(at),
  });

  faults({
    what: "an uninstall",
    least: 2,
    prepare: () => scene("uninstall", "packs", installed("packs")),
    holds() {
      expect(run(words("uninstall", "packs"))).toMatchObject({ code: 0 });
      expect(readdirSync(skills)).toEqual([]);
    },
  });

  faults({
    what: "a forced replacement, which backs up first",
    least: 10,
    prepare: () =>
      scene(
        "install",
        "packs",
        (skill) => {
          installed("packs")(skill);
          appendFileSync(join(skill, "SKILL.md"), "an edit\n");
        },
        "--force",
      ),
    holds({ skill }) {
      const places = existsSync(backups) ? readdirSync(backups).map((name) => join(backups, name)) : [];
      const texts = [skill, ...places]
        .map((place) => join(place, "SKILL.md"))
        .flatMap((path) => (existsSync(path) ? [readFileSync(path, "utf8")] : []));
      expect(texts.some((text) => text.endsWith("an edit\n"))).toBe(true);
    },
  });
});
