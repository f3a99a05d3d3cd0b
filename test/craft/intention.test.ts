import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { waiversIn } from "../../src/craft/corpus/change.ts";
import { tempDir } from "../support/temp.ts";
import { type RepositoryWorld, repositoryWorld } from "./repository.ts";
import { craft } from "./world.ts";

const SPEC = "docs/contributing/specs/net.md";
const page = (subjects: string, heading = "# How the net is used") =>
  `---\nsubjects: ${subjects}\n---\n\n${heading}\n\nMore.\n`;

async function json(at: RepositoryWorld, words: readonly string[], stdin = "") {
  const run = await craft(at, ["intention", ...words], stdin);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return JSON.parse(run.stdout);
}

const consult = (at: RepositoryWorld, scope: string, ...words: string[]) =>
  json(at, ["consult", ...words], scope);

describe("intention", () => {
  test("craft-run-33 a page whose subjects a change meets is consulted, and stale when the change leaves it", async () => {
    const at = repositoryWorld();
    at.write(SPEC, page("[src/**]"));
    at.commit();
    expect(await consult(at, "src/a/b.js\n")).toEqual({
      entries: [{ path: SPEC, purpose: "How the net is used" }],
      skipped: [],
    });
    at.git("switch", "-q", "-c", "feat/x");
    at.write("src/a/b.js", "x");
    at.commit();
    expect(await json(at, ["assert-fresh"])).toEqual({
      schemaVersion: 1,
      skipped: [],
      stale: [{ changedPaths: ["src/a/b.js"], page: SPEC, waived: false }],
      uncovered: [],
    });
    const tokens = await craft(at, ["intention", "assert-fresh", "--tokens"]);
    expect(tokens.stdout).toBe(`INTENTION-DRIFT(${SPEC}): src/a/b.js\n`);
    expect((await craft(at, ["intention", "assert-fresh", "--gate", "blocking"])).code).toBe(1);
    const waiver = at.write("design.md", `text\n- INTENTION-WAIVE(./${SPEC}): ok\n`);
    const waived = ["assert-fresh", "--waiver-source", waiver];
    expect((await json(at, waived)).stale).toMatchObject([{ waived: true }]);
    expect(await craft(at, ["intention", ...waived, "--tokens", "--gate", "blocking"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    at.write(SPEC, page("[src/**]", "# Changed"));
    at.commit();
    expect((await json(at, ["assert-fresh"])).stale).toEqual([]);
  });

  test("craft-run-49 --all is every page with its globs, and nothing when there is none", async () => {
    const at = repositoryWorld();
    expect(await consult(at, "", "--all")).toEqual({ entries: [], skipped: [] });
    at.write(SPEC, page("[src/**]"));
    at.write("docs/guides/concepts.md", page("[lib/*.ts, bin/*]", "Concepts"));
    expect(await consult(at, "", "--all")).toEqual({
      entries: [
        { path: SPEC, purpose: "How the net is used", subjects: ["src/**"] },
        { path: "docs/guides/concepts.md", purpose: "Concepts", subjects: ["lib/*.ts", "bin/*"] },
      ],
      skipped: [],
    });
  });

  test("pages without usable subjects are named, those of both lanes are consulted, none outside is read", async () => {
    const at = repositoryWorld();
    at.write("docs/contributing/DOD.md", "# No front matter\n");
    at.write("docs/contributing/prd/DESIGN-a.md", page("src"));
    at.write("docs/contributing/prd/other.md", page("[src/**]"));
    at.write("docs/contributing/specs/deep/x.md", page("[src/**]"));
    at.write("docs/guides/customizing.md", page("['']"));
    at.write("docs/adr/0001.md", page("[src/**]", "# Use retries"));
    at.write("docs/adr/0002.md", "no fence\n");
    symlinkSync(join(at.home, "x.md"), join(at.root, "docs/contributing/specs/link.md"));
    at.writeHome("x.md", page("[src/**]"));
    expect(await consult(at, "./src/a.ts\n\nsrc/a.ts\n../x\n")).toEqual({
      entries: [{ path: "docs/adr/0001.md", purpose: "Use retries" }],
      skipped: [
        { page: "docs/contributing/DOD.md", reason: "no-subjects" },
        { page: "docs/contributing/prd/DESIGN-a.md", reason: "malformed-subjects" },
        { page: "docs/guides/customizing.md", reason: "malformed-subjects" },
      ],
    });
    expect(await consult(at, "")).toEqual({ entries: [], skipped: [] });
    for (const outside of ["../home/x.md", join(at.home, "x.md")]) {
      expect((await consult(at, "src/a\n", "--page", outside)).entries).toHaveLength(1);
    }
    expect((await consult(at, "src/a\n", "--adr-dir", "../home")).entries).toEqual([]);
    const manifest = at.manifest(
      "intention: { source: file, ref: docs/contributing/prd/other.md }\npaths: { adr: none }",
    );
    expect((await consult(at, "src/a\n", "--manifest", manifest)).entries).toMatchObject([
      { path: "docs/contributing/prd/other.md" },
    ]);
  });

  test("a stated change, covers and merged lessons", async () => {
    const at = repositoryWorld();
    at.write(SPEC, page("[src/net/**]"));
    at.write("docs/lessons/l.md", "---\ntrigger: t\nsubjects: [src/**]\n---\n# L\n## How to apply\nx\n");
    at.commit();
    const change = {
      changed: ["src/net/b.ts", "src/net/a.ts"],
      touched: [],
      waived: [],
      covers: ["src/net/*", "lib/**"],
    };
    expect(await json(at, ["assert-fresh", "--change", "-"], JSON.stringify(change))).toEqual({
      lessons: [{ changedPaths: ["src/net/a.ts", "src/net/b.ts"], lesson: "docs/lessons/l.md" }],
      schemaVersion: 1,
      skipped: [],
      stale: [{ changedPaths: ["src/net/a.ts", "src/net/b.ts"], page: SPEC, waived: false }],
      uncovered: [{ scope: "lib/**" }],
    });
    const tokens = await craft(
      at,
      ["intention", "assert-fresh", "--change", "-", "--tokens"],
      JSON.stringify(change),
    );
    expect(tokens.stdout.split("\n")).toContain("LESSON-REVERIFY(docs/lessons/l.md): src/net/a.ts");
    for (const bad of ["[]", "{", '{"changed":"x"}', '{"touched":[1]}']) {
      const run = await craft(at, ["intention", "assert-fresh", "--change", "-"], bad);
      expect([bad, run.code, run.stdout]).toEqual([bad, 2, ""]);
    }
  });

  test("without pages and without a base the report says so", async () => {
    const at = repositoryWorld();
    at.git("branch", "-m", "other");
    const run = await craft(at, ["intention", "assert-fresh"]);
    expect([run.code, JSON.parse(run.stdout).note]).toEqual([0, "no living pages carry subjects"]);
    expect(run.stderr).toContain("there is no base");
  });

  test("a waiver needs a reason", () => {
    const text =
      "INTENTION-WAIVE(a.md):\nINTENTION-WAIVE(b.md):  \nINTENTION-WAIVE(./c.md): yes\nINTENTION-WAIVE(../d.md): yes";
    expect(waiversIn("/r", text)).toEqual(["c.md"]);
  });
});

describe("a custom source of intention", () => {
  function withSource(script: string): { at: RepositoryWorld; words: (verb: string) => string[] } {
    const at = repositoryWorld();
    const path = at.write("tools/intent", `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    const manifest = at.manifest("intention: { source: custom, ref: tools/intent }");
    return { at, words: (verb) => ["intention", verb, "--manifest", manifest] };
  }

  test("answers in the shape of our own answer", async () => {
    const { at, words } = withSource(
      `[ "$1" = consult ] && printf '{"entries":[{"path":"a","purpose":"%s"}],"skipped":[],"more":1}' "$(printf %s "$2" | tr -d '[]"')"\n` +
        `[ "$1" = assert ] && printf '{"schemaVersion":1,"skipped":[],"stale":[{"changedPaths":["x"],"page":"p","waived":false}],"uncovered":[]}'\nexit 0`,
    );
    const run = await craft(at, words("consult"), "src/a\n");
    expect([run.code, JSON.parse(run.stdout)]).toEqual([
      0,
      { entries: [{ path: "a", purpose: "src/a" }], skipped: [], more: 1 },
    ]);
    expect((await craft(at, [...words("assert-fresh"), "--gate", "blocking"])).code).toBe(1);
  });

  test.each([
    ["fails", "exit 3", /exit code 3/],
    ["prints nothing", "true", /no JSON object/],
    ["lies", `echo '{"entries":1}'`, /something else/],
    ["floods", "exec yes", /more than 1048576 bytes/],
  ])("one that %s is an error, never a silent pass", async (_what, script, said) => {
    const { at, words } = withSource(script);
    for (const verb of ["consult", "assert-fresh"]) {
      const run = await craft(at, words(verb), "src/a\n");
      expect([run.code, run.stdout, run.stderr]).toEqual([1, "", expect.stringMatching(said)]);
    }
  });
});

describe("the corpora", () => {
  test("craft-run-35 decision records are those with a fence, named as the directory was", async () => {
    const at = repositoryWorld();
    at.write("docs/adr/0002 b.md", "---\nbroken: [\n");
    at.write("docs/adr/0001.md", "plain\n");
    at.write("docs/adr/0003.md", " ---\n");
    at.write("docs/adr/-x.md", "---\r\n---\r\n");
    at.write("docs/adr/a\nb.md", "---\n");
    at.write("docs/adr/x.txt", "---\n");
    mkdirSync(join(at.root, "docs/adr/dir.md"));
    symlinkSync("0002 b.md", join(at.root, "docs/adr/link.md"));
    expect(await craft(at, ["governing-corpus", "docs/adr"])).toEqual({
      code: 0,
      stdout: "docs/adr/-x.md\ndocs/adr/0002 b.md\ndocs/adr/a\nb.md\n",
      stderr: "",
    });
    const plain = repositoryWorld();
    plain.write("docs/adr/0001.md", "plain\n");
    expect(await craft(plain, ["governing-corpus", "docs/adr"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "governing-corpus: no decision record carries a frontmatter fence yet\n",
    });
    for (const words of [["--", "-delete"], ["none"], ["docs/adr/0001.md"]]) {
      const run = await craft(plain, ["governing-corpus", ...words]);
      expect([run.code, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining("not a directory")]);
    }
  });

  test("living pages are those of the working directory, and the backlog", async () => {
    const at = repositoryWorld();
    expect(await craft(at, ["living-corpus"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "living-corpus: enumerated zero living pages\n",
    });
    at.write("docs/guides/concepts.md", "");
    at.write("docs/contributing/specs/b.md", "");
    at.write("docs/contributing/prd/DESIGN-a.md", "");
    at.write("docs/contributing/prd/a.md", "");
    symlinkSync(tempDir(), join(at.root, "docs/contributing/specs/c.md"));
    expect((await craft(at, ["living-corpus"])).stdout).toBe(
      "BACKLOG.md\ndocs/contributing/prd/DESIGN-a.md\ndocs/contributing/specs/b.md\ndocs/guides/concepts.md\n",
    );
  });
});
