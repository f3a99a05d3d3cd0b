import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/paths.ts";

const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" })
  .split("\0")
  .filter(Boolean);
const texts = tracked
  .filter((path) => !/\.(png|ico)$/.test(path) && !path.startsWith("test/house/"))
  .flatMap((path) => {
    try {
      return [{ path, text: readFileSync(join(ROOT, path), "utf8") }];
    } catch {
      // Deleted but not committed yet.
      return [];
    }
  });

describe("the repository", () => {
  test("the lockfile records no download address and no engines (npm run lockfile takes them out)", () => {
    expect(readFileSync(join(ROOT, "package-lock.json"), "utf8")).not.toMatch(
      /"resolved"|https?:\/\/registry|"engines"/,
    );
  });

  test("nothing that .gitignore names is committed", () => {
    const ignored = execFileSync("git", ["ls-files", "-ci", "--exclude-standard"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(ignored).toBe("");
  });

  test("every dependency is pinned exactly", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const loose = Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  test("no registry host and no path of somebody's machine stands in a file", () => {
    const pattern = /registry\.(npmjs|yarnpkg)|deb\.debian\.org|\/work\/(main|shared)|\/root\/(?!<x>)/;
    expect(texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("the commands of the CI script are the README's", () => {
    const script = readFileSync(join(ROOT, ".ci/run"), "utf8");
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    expect(readme).toContain("npm ci && npm test");
    expect(script).toMatch(/^npm ci$/m);
    expect(script).toMatch(/^npm test$/m);
  });
});
