import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/paths.ts";
import { sourceFiles } from "../support/sources.ts";

interface Project {
  compilerOptions: { lib?: string[]; types?: string[] };
  include: string[];
  exclude: string[];
}

const project = (path: string): Project => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

/** Which compiler project sees which globals: what a module cannot name it cannot come to depend on. */
describe("the compiler's projects", () => {
  const files = sourceFiles("src");

  test("src/ knows no DOM, but for the overlay", () => {
    const { compilerOptions, include, exclude } = project("tsconfig.json");
    expect(compilerOptions.lib).toEqual(["ESNext"]);
    expect(include).toContain("src");
    expect(exclude).toEqual(["src/overlay"]);
  });

  test("the overlay knows the DOM, and nothing of Bun or Node", () => {
    const { compilerOptions, include } = project("src/overlay/tsconfig.json");
    expect(compilerOptions.lib).toContain("DOM");
    expect(compilerOptions.types).toEqual([]);
    expect(include).toEqual(["."]);
  });

  test("no source file asks for other globals", () => {
    const asking = files.filter(({ text }) => /^\/\/\/\s*<reference|^declare global/m.test(text));
    expect(asking.map(({ path }) => path)).toEqual([]);
  });

  test("npm run types checks every project", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(scripts.types).toBe("tsc -p tsconfig.json && tsc -p src/overlay && tsc -p test");
  });
});
