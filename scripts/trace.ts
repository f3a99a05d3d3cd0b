/**
 * Which numbered acceptance examples of docs/spec have a test: one whose title begins with the example's id
 * (`jobs-12 …`, `skills-show-3 …`; several ids stand side by side). Part of the test command.
 *
 *   bun scripts/trace.ts            a count for each page; exit 1 when an example has no test
 *   bun scripts/trace.ts PAGE...    with the examples that have none
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

interface Example {
  /** `<page>-<number>`, of a skill's brief `skills-<name>-<number>`. */
  id: string;
  text: string;
}

/** The numbered list below a page's heading "Acceptance examples". */
function examplesOf(page: string, markdown: string): Example[] {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => /^#{2,3} .*acceptance/i.test(line));
  if (start < 0) return [];
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith("## "));
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  // A heading that names the first id (`overlay-1`) begins a numbering of its own.
  let prefix = page;
  return section.flatMap((line) => {
    prefix = /^###.*`([a-z][a-z-]*)-1`/.exec(line)?.[1] ?? prefix;
    const match = /^(\d+)\.\s+(.*)/.exec(line);
    return match === null ? [] : [{ id: `${prefix}-${match[1]}`, text: match[2]! }];
  });
}

/** A string that begins with ids, as titles do. */
const TITLE = /["'`]([a-z][a-z-]*-\d+(?: [a-z][a-z-]*-\d+)*)(?=[\s:"'`])/g;

/** Every id that begins a title in the tests. */
function tracedIds(): Set<string> {
  const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
  return new Set(
    files
      .filter((name) => name.endsWith(".test.ts"))
      .flatMap((name) => [...readFileSync(join(ROOT, "test", name), "utf8").matchAll(TITLE)])
      .flatMap((match) => match[1]!.split(" ")),
  );
}

const traced = tracedIds();
const wanted = process.argv.slice(2);
const names = readdirSync(join(ROOT, "docs/spec"), { recursive: true, encoding: "utf8" }).sort();
let total = 0;
let missing = 0;
for (const name of names.filter((path) => path.endsWith(".md"))) {
  const page = name.slice(0, -".md".length).replaceAll(/[\\/]/g, "-");
  if (wanted.length > 0 && !wanted.includes(page)) continue;
  const examples = examplesOf(page, readFileSync(join(ROOT, "docs/spec", name), "utf8"));
  if (examples.length === 0) continue;
  const untested = examples.filter(({ id }) => !traced.has(id));
  total += examples.length;
  missing += untested.length;
  console.log(`${page}: ${examples.length - untested.length} of ${examples.length}`);
  for (const { id, text } of untested) console.log(`  ${id}  ${text.slice(0, 110)}`);
}
console.log(`${total - missing} of ${total} acceptance examples have a test`);
process.exitCode = missing === 0 ? 0 : 1;
