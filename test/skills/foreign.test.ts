/** Skills that are not jig's: the Agent Skills specification, and nothing of jig's own rules for its sources. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseOnly } from "../../src/cli/parse-only.ts";
import { check } from "../../src/skills/check.ts";
import { shipment } from "../../src/skills/source/shipment.ts";
import { ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const GOOD = `---
name: pdf-forms
description: Fill PDF forms. Use when a form <in PDF> is to be filled.
license: Apache-2.0
metadata:
  author: someone
  version: "1.0"
---

# Forms

Run \`python3 scripts/fill.py\`, see [more](references/more.md). TODO: tables.

\`\`\`sh
jig plan check x.md && echo done
\`\`\`
`;

function skill(files: Record<string, string | Uint8Array>, name = "pdf-forms"): string {
  const directory = tempDir("jig-foreign-");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name, path)), { recursive: true });
    writeFileSync(join(directory, name, path), text);
  }
  return directory;
}

const REST = { "references/more.md": "x".repeat(40_000), "scripts/fill.py": "print()\n" };

async function lint(directory: string, names: string[] = []) {
  const host = { cwd: "/", parse: parseOnly };
  const { data, exitCode } = await check(host, shipment(), { names, dir: directory, strict: false });
  return { exitCode, found: data.map(({ rule, severity }) => `${severity} ${rule}`), data };
}

const of = async (text: string) => (await lint(skill({ "SKILL.md": text, ...REST }))).found;
const front = (from: string, to: string) => GOOD.replace(from, to);

describe("somebody else's skill", () => {
  test("is clean when it keeps the specification, whatever else jig asks of its own", async () => {
    expect(await lint(skill({ "SKILL.md": GOOD, ...REST }))).toEqual({ exitCode: 0, found: [], data: [] });
    const run = await runJig(["skills", "check", "--dir", skill({ "SKILL.md": GOOD, ...REST }), "pdf-forms"]);
    expect(run).toMatchObject({ code: 0, stdout: "pass: 0 errors, 0 warnings\n", stderr: "" });
  });

  test.each([
    ["no name", front("name: pdf-forms\n", ""), ["error S002"]],
    ["another name than its directory", front("name: pdf-forms", "name: pdf"), ["error S002"]],
    ["a name in capitals", front("name: pdf-forms", "name: PDF-Forms"), ["error S002"]],
    ["no description", front("description: ", "#"), ["error S003"]],
    ["a long description", front("description: ", `description: ${"x".repeat(1025)}`), ["error S003"]],
    ["one over several lines", front("description: Fill", "description: >\n  Fill\n  and"), []],
    ["no front matter", GOOD.slice(4), ["error S001"]],
    ["a key twice", front("license:", "name: pdf-forms\nlicense:"), ["error S001"]],
    [
      "metadata that is a list",
      front("metadata:\n  author: someone\n", "metadata: []\nx:\n"),
      ["error S004", "warning S004"],
    ],
    ["metadata with a number", front('"1.0"', "1.0"), ["warning S004"]],
    ["a host's own key", front("license:", "user-invocable: true\nlicense:"), ["warning S004"]],
    ["an empty compatibility", front("license:", 'compatibility: ""\nlicense:'), ["error S004"]],
    ["an alias", front("author: someone", "author: &a someone\n  other: *a"), []],
    ["a reference that is not there", `${GOOD}See references/gone.md.\n`, ["warning S005"]],
    ["a very long body", `${GOOD}${"x\n".repeat(500)}`, ["warning S010"]],
  ])("%s", async (_what, text, expected) => {
    expect(await of(text)).toEqual(expected);
  });

  test("skill.md is found, and said to be misnamed", async () => {
    for (const name of ["skill.md", "Skill.md"]) {
      const { data, exitCode } = await lint(skill({ [name]: GOOD, ...REST }));
      expect(exitCode).toBe(1);
      expect(data).toMatchObject([{ rule: "S001", line: 1, path: expect.stringContaining(`/${name}`) }]);
      expect(data[0]!.message).toContain("SKILL.md");
    }
  });

  test("a byte-order mark and bytes that are not UTF-8 are named", async () => {
    const marked = await lint(skill({ "SKILL.md": `\ufeff${GOOD}`, ...REST }));
    expect(marked.data).toMatchObject([
      { rule: "S001", message: expect.stringContaining("byte-order mark") },
    ]);
    const latin = await lint(skill({ "SKILL.md": Buffer.from(`${GOOD}caf\xe9\n`, "latin1"), ...REST }));
    expect(latin.data).toMatchObject([{ rule: "S001", message: expect.stringContaining("UTF-8") }]);
  });
});

test("a copy of jig's own source stays under jig's rules", async () => {
  const directory = tempDir("jig-foreign-");
  cpSync(`${ROOT}/skills/jig-jobs`, join(directory, "jig-jobs"), { recursive: true });
  writeFileSync(join(directory, "jig-jobs/notes.txt"), "");
  expect((await lint(directory, ["jobs"])).found).toEqual(["error S008"]);
});
