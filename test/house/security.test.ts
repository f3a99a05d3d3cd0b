import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/paths.ts";

/** A test file and what follows it up to the next: the titles it is cited for. */
const CITED = /`(test\/[\w/.-]+\.test\.ts)`((?:(?!`test\/)[^|])*)/g;

test("every test that docs/security.md names exists under that title", () => {
  const page = readFileSync(join(ROOT, "docs/security.md"), "utf8");
  const wrong: string[] = [];
  let titles = 0;
  for (const [, path, rest] of page.matchAll(CITED)) {
    if (path === "test/house/security.test.ts") continue;
    const text = existsSync(join(ROOT, path!)) ? readFileSync(join(ROOT, path!), "utf8") : "";
    const cited = [...rest!.matchAll(/"([^"]+)"/g)].map(([, title]) => title!);
    if (cited.length === 0) wrong.push(`${path}: no title`);
    for (const title of cited) {
      titles += 1;
      if (!text.includes(title)) wrong.push(`${path}: ${title}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(titles).toBeGreaterThan(30);
});
