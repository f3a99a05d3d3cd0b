import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/paths.ts";

const SPEC = join(ROOT, "docs/spec");

/** The numbers of each page's headings: `web.md` → 1, 2, 2.1 …; a skill's brief counts A, B, C. */
const pages = new Map(
  readdirSync(SPEC, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => [name.replaceAll("\\", "/"), headings(readFileSync(join(SPEC, name), "utf8"))]),
);

function headings(markdown: string): Set<string> {
  return new Set([...markdown.matchAll(/^#{2,6} (\d+(?:\.\d+)*|[A-Z])\.? /gm)].map((match) => match[1]!));
}

/** Pages that come when their room is whole; what cites them is checked from then on. */
const COMING = new Set("flow flow-worktree overlay".split(" ").map((name) => `${name}.md`));

/** What may follow a page's name: `4.2`, `section 9`, `sections 3.4 to 3.7`, `5.1, 9 and 12.1`. */
const SECTIONS = String.raw`((?:(?:,|,? and|,? to|,? or)? (?:sections? )?(?:\d+(?:\.\d+)*|[A-Z])(?!\w))*)`;
const CITATION = new RegExp(String.raw`docs/spec/([\w/.-]+?\.md)` + SECTIONS, "g");
/** Inside docs/spec a page is named without its folder. */
const REFERENCE = new RegExp(String.raw`(?<![\w/.-])\`?((?:skills/)?[a-z-]+\.md)\`?` + SECTIONS, "g");

function wrong(where: string, text: string, pattern: RegExp): string[] {
  const flat = text.replace(/\n\s*(?:\*|\/\/|#)?\s*/g, " ");
  return [...flat.matchAll(pattern)].flatMap(([words, page, sections]) => {
    const known = pages.get(page!);
    if (known === undefined) return COMING.has(page!) ? [] : [`${where}: ${words} (no such page)`];
    const numbers = sections!.match(/\d+(?:\.\d+)*|[A-Z]/g) ?? [];
    return numbers.every((number) => known.has(number)) ? [] : [`${where}: ${words} (no such section)`];
  });
}

test("every citation of a specification names a page and a section that exist", () => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).split("\0");
  const files = tracked.filter(
    (path) =>
      /^(src|test|scripts|assets|docs|skills|\.github)\/|^[^/]+\.(ts|md|sh)$/.test(path) &&
      !/\.(png|ico)$/.test(path) &&
      !path.startsWith("test/house/") &&
      existsSync(join(ROOT, path)),
  );
  const found = files.flatMap((path) => wrong(path, readFileSync(join(ROOT, path), "utf8"), CITATION));
  expect(found).toEqual([]);
});

test("the pages name each other's sections rightly", () => {
  const found = [...pages.keys()].flatMap((name) =>
    // Skills and packs have Markdown files of their own, and the page of a room comes when the room is built.
    wrong(name, readFileSync(join(SPEC, name), "utf8"), REFERENCE).filter(
      (line) => !line.endsWith("(no such page)"),
    ),
  );
  expect(found).toEqual([]);
});

test("the check sees a page and a section that are not there", () => {
  expect(wrong("a", "docs/spec/web.md 4.2, 9 and 12.1, docs/spec/cli.md section 7).", CITATION)).toEqual([]);
  expect(wrong("a", "docs/spec/nothing.md 1", CITATION)).toHaveLength(1);
  expect(wrong("a", "docs/spec/web.md\n * section 99", CITATION)).toHaveLength(1);
  expect(wrong("a", "`web.md` 4.99", REFERENCE)).toHaveLength(1);
});
