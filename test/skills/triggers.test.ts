import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SKILLS } from "./world.ts";

const folder = `${import.meta.dirname}/triggers`;

test("every skill has prompts that should and near misses that should not trigger it", () => {
  expect(readdirSync(folder).sort()).toEqual(SKILLS.map((name) => `${name}.json`));
  for (const name of SKILLS) {
    const file = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
    expect(file.skill).toBe(name);
    for (const prompts of [file.should_trigger, file.should_not_trigger]) {
      expect(new Set(prompts).size, name).toBeGreaterThanOrEqual(8);
    }
  }
});
