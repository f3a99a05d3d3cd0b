import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RECIPES } from "../hosts/recipes.ts";
import { hostsPage, type Result } from "../hosts/report.ts";
import { ROOT } from "../support/paths.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("docs/hosts.md is what the last whole run of npm run test:hosts found, at the pinned versions", () => {
  const result = JSON.parse(read("test/hosts/result.json")) as Result;
  expect(read("docs/hosts.md")).toBe(hostsPage(result));
  expect(result.hosts.map(({ name, version }) => [name, version])).toEqual(
    Object.entries(RECIPES).map(([name, { version }]) => [name, version]),
  );
});
