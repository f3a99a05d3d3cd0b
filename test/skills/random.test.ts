import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeTempDir, removeDir } from "../support/temp.ts";
import { jigOf, makeShipment, makeSkill } from "./shipments.ts";
import { snapshot } from "./world.ts";

const VERSIONS = [
  makeShipment("1.0.0", [makeSkill("jig-a", { "references/one.md": "1\n", "references/old.md": "old\n" })]),
  makeShipment("2.0.0", [makeSkill("jig-a", { "references/one.md": "2\n" }, "Second.\n")]),
  makeShipment("3.0.0", [
    makeSkill("jig-a", { "references/one.md": "3\n", "references/new.md": "new\n" }, "Third.\n"),
  ]),
];

const FILES = ["SKILL.md", "references/one.md", "references/old.md", "references/new.md", "notes.md"];

type Step =
  | { kind: "install" | "update" | "uninstall"; version: number; force: boolean }
  | { kind: "write"; file: string }
  | { kind: "delete"; file: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("install", "update", "uninstall"),
    version: fc.nat({ max: VERSIONS.length - 1 }),
    force: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("write" as const), file: fc.constantFrom(...FILES) }),
  fc.record({ kind: fc.constant("delete" as const), file: fc.constantFrom(...FILES) }),
);

/** Every text a user wrote and did not delete is in its place or in a backup, whatever was done in between. */
test("no sequence of installs, updates and uninstalls loses an edit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const home = makeTempDir("jig-random-");
      try {
        await play(home, steps);
      } finally {
        removeDir(home);
      }
    }),
    { numRuns: 80 },
  );
}, 60_000);

async function play(home: string, steps: readonly Step[]) {
  const directory = join(home, "skills");
  const skill = join(directory, "jig-a");
  const written = new Map<string, string>();
  for (const [number, action] of steps.entries()) {
    if (action.kind === "write") {
      const text = `written by hand, ${number}\n`;
      mkdirSync(dirname(join(skill, action.file)), { recursive: true });
      writeFileSync(join(skill, action.file), text);
      written.set(action.file, text);
    } else if (action.kind === "delete") {
      rmSync(join(skill, action.file), { force: true });
      written.delete(action.file);
    } else {
      const jig = jigOf(VERSIONS[action.version]!, home, directory);
      for (const { action: word } of await jig[action.kind](action.force)) expect(word).not.toBe("failed");
    }
    for (const [file, text] of written)
      expect(isKept(home, skill, file, text), `${file} after step ${number}`).toBe(true);
  }
  // A forced install of the latest version ends in its text, with the user's own file beside it.
  await jigOf(VERSIONS[2]!, home, directory).install(true);
  const { "notes.md": _, ...ours } = snapshot(skill);
  expect(ours["references/one.md"]).toBe("3\n");
  expect(Object.keys(ours).sort()).toEqual(
    expect.arrayContaining([".jig-skill.json", "SKILL.md", "references/new.md"]),
  );
  for (const [file, text] of written) expect(isKept(home, skill, file, text)).toBe(true);
}

function isKept(home: string, skill: string, file: string, text: string): boolean {
  const backups = join(home, ".local/state/jig/skill-backups");
  const places = [
    skill,
    ...(existsSync(backups) ? readdirSync(backups).map((name) => join(backups, name)) : []),
  ];
  return places.some(
    (place) => existsSync(join(place, file)) && readFileSync(join(place, file), "utf8") === text,
  );
}
