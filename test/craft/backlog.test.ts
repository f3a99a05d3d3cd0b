import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { electFrom } from "../../src/craft/backlog/elect.ts";
import { backlogEntries, entriesWithId } from "../../src/craft/backlog/entries.ts";
import { JIG } from "../support/paths.ts";
import { runJig, until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { type RepositoryWorld, repositoryWorld } from "./repository.ts";
import { craft } from "./world.ts";

const BACKLOG = `# Backlog

Some **bold** prose that is no entry.

## Now

- [x] **P1** — the first thing
- [~] **P2**: the second
- [ ] **P3** — the third thing,
  wrapped over lines.

  A paragraph of it.
  - [ ] a step of it
- [ ] Plain words — with more
- [ ] #42: a number

<!-- - [ ] **P9** — hidden -->

\`\`\`
- [ ] **P8** — code
\`\`\`

## Ideas

**P4. Retry** delivered in June.

**P5 — Backoff** grows.

- **P6** done (2026)

## Parked

### Deep

- [ ] **P7** — later

## Closed 2025

- **P0** whatever
`;

describe("a backlog file", () => {
  const entries = backlogEntries(BACKLOG);

  test("has checkbox items and bold labels as entries, in file order", () => {
    expect(entries.map(({ line, title, id, state }) => [line, title, id, state])).toEqual([
      [7, "P1", "P1", "done"],
      [8, "P2", "P2", "active"],
      [9, "P3", "P3", "open"],
      [14, "Plain words", undefined, "open"],
      [15, "#42", "#42", "open"],
      [25, "P4. Retry", "P4", "done"],
      [27, "P5 — Backoff", "P5", "open"],
      [29, "P6", "P6", "done"],
      [35, "P7", "P7", "open"],
      [39, "P0", "P0", "done"],
    ]);
    expect(entries[2]!.brief).toBe(
      "**P3** — the third thing, wrapped over lines.\n\nA paragraph of it.\n- [ ] a step of it",
    );
    expect(entries[8]!.headings).toEqual(["Backlog", "Parked", "Deep"]);
  });

  test.each([
    ["P3", [9]],
    ["**P3**", [9]],
    ["`P3`", [9]],
    [" Plain words ", [14]],
    ["#42", [15]],
    ["P4", [25]],
    ["P4. Retry", [25]],
    ["P", []],
    ["P33", []],
    ["", []],
  ])("%j means the lines %j", (id, lines) => {
    expect(entriesWithId(entries, id).map(({ line }) => line)).toEqual(lines);
  });

  test("no text makes the reader fail, or take long", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("- [ ] ", "**", "a1", "\n", "<!--", "-->", "```", "# ", "after ", ", ", " ", "`"),
        ),
        (parts) => {
          electFrom(backlogEntries(parts.join("")));
        },
      ),
    );
    const long = [
      `- [ ] x ${"after a1, ".repeat(20_000)}`,
      `# ${"# ".repeat(200_000)}`,
      `- [ ] ${"**".repeat(100_000)}`,
      `${"<!--".repeat(100_000)}`,
      `- [ ] after ${" , ".repeat(100_000)}`,
      "- [ ] a\n".repeat(20_000),
      Array.from({ length: 20_000 }, (_, index) => `- [ ] **A${index}** after A${index + 1}\n`).join(""),
    ];
    for (const text of long) electFrom(backlogEntries(text));
  });
});

function withBacklog(
  text = BACKLOG,
  yaml = "backlog: { source: file }",
): { at: RepositoryWorld; manifest: string } {
  const at = repositoryWorld();
  at.write("BACKLOG.md", text);
  return { at, manifest: at.manifest(yaml) };
}

describe("backlog resolve", () => {
  const resolve = (at: RepositoryWorld, ...words: string[]) => craft(at, ["backlog", "resolve", ...words]);

  test("gives the entry, or says that there is none, or which there are", async () => {
    const { at, manifest } = withBacklog();
    const run = await resolve(at, "P2", "--manifest", manifest);
    expect([run.code, JSON.parse(run.stdout)]).toEqual([
      0,
      {
        title: "P2",
        brief: "**P2**: the second",
        source: "file",
        ref: "BACKLOG.md",
        line: 8,
        state: "active",
      },
    ]);
    expect(await resolve(at, "P99", "--manifest", manifest)).toMatchObject({ code: 1, stdout: "" });
    at.write("two.md", "- [ ] **A1** x\n- [ ] **A1** y\n");
    expect(await resolve(at, "A1", "--file", "two.md")).toEqual({
      code: 3,
      stdout: "",
      stderr: "backlog: 2 entries match 'A1':\n1: A1\n2: A1\n",
    });
    expect(await resolve(at, "P2", "--manifest", manifest, "--id-form", "\\d+")).toMatchObject({
      code: 1,
      stdout: "",
    });
    expect(await resolve(at, "P2", "--manifest", manifest, "--id-form", "P\\d")).toMatchObject({ code: 0 });
    expect(await resolve(at, "P2", "--manifest", manifest, "--id-form", "(")).toMatchObject({ code: 2 });
    expect(await resolve(at, "P2")).toMatchObject({ code: 2, stdout: "" });
    expect(await resolve(at, "P2", "--file", "none.md")).toMatchObject({ code: 1, stdout: "" });
    expect(await resolve(at, "P2", "--manifest", at.manifest("backlog: { source: jira }"))).toMatchObject({
      code: 2,
    });
    at.write("../outside.md", BACKLOG);
    for (const file of ["../outside.md", "/etc/passwd"]) {
      expect(await resolve(at, "P2", "--file", file)).toMatchObject({ code: 1, stdout: "" });
    }
  });

  function withScript(body: string, name = "tools/source"): { at: RepositoryWorld; manifest: string } {
    const at = repositoryWorld();
    chmodSync(at.write(name, `#!/bin/sh\n${body}\n`), 0o755);
    return { at, manifest: at.manifest(`backlog: { source: custom, ref: ${name} }`) };
  }

  const ECHO = `printf '{"title":"%s","brief":"%s"}' "$#" "$2"`;

  test("craft-run-36 an id arrives as one argument, whatever is in it; one that may be a flag does not arrive", async () => {
    const { at, manifest } = withScript(ECHO);
    const hostile = [
      "42; touch pwned",
      "$(touch pwned)",
      "`touch pwned`",
      "a|touch pwned",
      "a b  c",
      "' ; touch pwned '",
    ];
    for (const id of hostile) {
      const run = await resolve(at, id, "--manifest", manifest);
      expect([run.code, JSON.parse(run.stdout)]).toEqual([
        0,
        { title: "2", brief: id, source: "custom", ref: "tools/source", line: null, state: null },
      ]);
    }
    const marking = withScript("touch started; exit 3");
    for (const id of ["--help", "-x", "", " ", "a\nb", "a\u0007", "x".repeat(257)]) {
      const run = await resolve(marking.at, "--manifest", marking.manifest, "--", id);
      expect([id, run.code, run.stdout]).toEqual([id, 1, ""]);
    }
    expect(readdirSync(marking.at.root)).not.toContain("started");
    expect(await resolve(marking.at, "42", "--manifest", marking.manifest)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("exit code 3"),
    });
    expect(readdirSync(at.root)).not.toContain("pwned");
  });

  test("craft-run-56 an adapter's name stands for its script", async () => {
    const at = repositoryWorld();
    chmodSync(at.write("r.sh", `#!/bin/sh\nprintf '{"title":"%s","brief":"%s"}' "$0" "$1 $2"\n`), 0o755);
    const manifest = at.manifest(
      "backlog: { source: gh }\nextends: { backlog-adapters: [{ name: gh, ref: ./r.sh }] }",
    );
    const run = await resolve(at, "7", "--manifest", manifest);
    expect(JSON.parse(run.stdout)).toMatchObject({
      title: join(at.root, "r.sh"),
      brief: "resolve 7",
      source: "custom",
      ref: "./r.sh",
    });
  });

  test("any text of an id reaches the script as it is, or not at all", async () => {
    const { at, manifest } = withScript(`printf '%s' "$2" >got; printf '{"title":"t","brief":""}'`);
    const id = fc.string({
      unit: fc.constantFrom("a", "$", "(", ")", "`", ";", "|", "&", " ", "'", '"', "\\", "é", "*", ">"),
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(id, async (text) => {
        fc.pre(text.trim() !== "");
        const run = await resolve(at, "--manifest", manifest, "--", text);
        expect(run.code).toBe(0);
        expect(readFileSync(join(at.root, "got"), "utf8")).toBe(text);
      }),
      { numRuns: 25 },
    );
    expect(readdirSync(at.root).sort()).toEqual([".claude", ".git", "got", "tools"]);
  });

  test.each([
    ["prints no JSON", "echo hello", /no JSON object/],
    ["prints a list", "echo '[]'", /no JSON object/],
    ["has a blank title", `echo '{"title":" ","brief":""}'`, /no \{ title, brief \}/],
    ["has no brief", `echo '{"title":"x"}'`, /no \{ title, brief \}/],
    ["prints bytes", String.raw`printf '\377'`, /no JSON object/],
    ["floods", "exec yes", /more than 1048576 bytes/],
    ["floods stderr", "yes no 2>&1 1>&2 | head -c 3000000 >&2; echo last words >&2; exit 1", /last words/],
    ["is killed", "kill -9 $$", /exit code 137/],
  ])("a source that %s is an error", async (_what, body, said) => {
    const { at, manifest } = withScript(body);
    const run = await resolve(at, "1", "--manifest", manifest);
    expect([run.code, run.stdout, run.stderr]).toEqual([1, "", expect.stringMatching(said)]);
    expect(run.stderr.length).toBeLessThan(6_000);
  });

  test.each([
    ["tools/none", "is missing"],
    ["tools", "no such program"],
    ["../x", "leads out"],
    ["no-such-program-anywhere", "no such program"],
    ["tools/plain", "not executable"],
    ["'tools/source --flag'", "is missing"],
  ])("a ref of %s is not started", async (ref, said) => {
    const { at } = withScript(ECHO);
    at.write("tools/plain", "x");
    at.write("../x", "#!/bin/sh\n");
    const run = await resolve(at, "1", "--manifest", at.manifest(`backlog: { source: custom, ref: ${ref} }`));
    expect([run.code, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining(said)]);
  });

  test("a source that hangs is ended with all it started", async () => {
    const { at, manifest } = withScript(
      `sleep 300 & echo $! >child; trap '' TERM; while :; do sleep 1; done`,
    );
    const run = await runJig(["craft", "backlog", "resolve", "1", "--manifest", manifest, "--timeout", "1"], {
      cwd: at.root,
    });
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain("did not end within 1 s");
    const child = Number(readFileSync(join(at.root, "child"), "utf8"));
    await until(
      "the script's child to be gone",
      () => !existsSync(`/proc/${child}`) || readFileSync(`/proc/${child}/stat`, "utf8").includes(") Z "),
    );
  });
});

describe("backlog elect", () => {
  const elected = (text: string) => electFrom(backlogEntries(text));

  test("takes the first open entry that nothing blocks, and says what it passed over", async () => {
    const { at, manifest } = withBacklog(
      "- [x] **A1** done\n- [ ] **A2** depends on A9 and A1\n- [ ] **A3** (blocked by x)\n- [ ] **A4** after A1, do it\n- [ ] **A9** later\n",
    );
    const run = await craft(at, ["backlog", "elect", "--manifest", manifest]);
    expect([run.code, JSON.parse(run.stdout)]).toEqual([
      0,
      {
        elected: { id: "A4", title: "A4", line: 4, brief: "**A4** after A1, do it", prompt: "/craft:run A4" },
        skipped: [
          { line: 2, title: "A2", reason: "depends on A9, which is not done" },
          { line: 3, title: "A3", reason: "marked (blocked" },
        ],
        note: null,
      },
    ]);
  });

  test.each([
    "- [ ] a (unblocked when: x)",
    "- [ ] a\n  **Trigger:** x",
    "- [ ] a [paid]",
    "- [ ] a paid eval",
    "- [ ] a [interactive]",
    "- [ ] a interactive-only",
    "# Parked\n- [ ] a",
    "# Condition-gated work\n## x\n- [ ] a",
    "- [ ] a depends: B1\n- [~] B1 x",
    "- [ ] a depends on `B1`\n- [~] **B1** x",
  ])("%j has nothing to elect", (text) => {
    expect(elected(text)).toMatchObject({ elected: null, skipped: [{ title: expect.stringMatching(/^a/) }] });
  });

  test("one without an id is asked for by its title, on one line", () => {
    expect(elected("- [ ] Make it\tfast — now").elected).toMatchObject({
      id: null,
      prompt: "/craft:run Make it fast",
    });
    expect(elected("").note).toBe("no open entry");
  });

  test("none is exit 1 with a note", async () => {
    const { at } = withBacklog("");
    for (const [yaml, note] of [
      ["backlog: { source: file }", "no open entry"],
      ["backlog: { source: custom, ref: x }", "source: custom has no list operation"],
      ["gates: {}", "the manifest has no backlog: key"],
    ] as const) {
      const run = await craft(at, ["backlog", "elect", "--manifest", at.manifest(yaml)]);
      expect([run.code, JSON.parse(run.stdout)]).toEqual([1, { elected: null, skipped: [], note }]);
    }
  });

  test("--out writes the hand-over outside every work tree, or nothing", async () => {
    const { at, manifest } = withBacklog();
    const out = tempDir();
    const words = ["backlog", "elect", "--manifest", manifest, "--out"];
    expect((await craft(at, [...words, out])).code).toBe(0);
    expect(readFileSync(join(out, "next.prompt"), "utf8")).toBe("/craft:run P3\n");
    expect(readFileSync(join(out, "next.md"), "utf8")).toMatch(/^# P3\n.*line 9/s);
    at.git("worktree", "add", "-q", join(at.home, "linked"));
    mkdirSync(join(at.root, "sub"));
    for (const bad of [join(at.root, "sub"), join(at.home, "linked"), join(at.home, "none")]) {
      const run = await craft(at, [...words, bad]);
      expect([bad, run.code, run.stdout]).toEqual([bad, 2, ""]);
    }
    expect(readdirSync(join(at.root, "sub"))).toEqual([]);
  });
});

test("the upstream names answer as their verbs do, without help", async () => {
  const { at } = withBacklog();
  at.write("docs/guides/concepts.md", "");
  at.write("-adr/0001.md", "---\n");
  at.commit();
  const as = (name: string, words: string[], stdin = "") =>
    runJig(words, { cwd: at.root, program: JIG, argv0: name, stdin });
  expect(await as("living-corpus.sh", [])).toMatchObject({
    code: 0,
    stdout: "BACKLOG.md\ndocs/guides/concepts.md\n",
  });
  expect(await as("governing-corpus.sh", ["-adr"])).toMatchObject({ code: 0, stdout: "-adr/0001.md\n" });
  expect(await as("governing-corpus.sh", ["-delete"])).toMatchObject({ code: 1, stdout: "" });
  expect(await as("governing-corpus.sh", [])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/usage/i),
  });
  expect(await as("governing-corpus.sh", ["--help"])).toMatchObject({ code: 1, stdout: "" });
  expect(await as("lessons-hint.js", ["--phase", "review"])).toMatchObject({ code: 0, stdout: "" });
  for (const name of ["lessons-hint.js", "living-corpus.sh"]) {
    expect(await as(name, ["--help"])).toMatchObject({ code: 2, stdout: "" });
  }
  expect((await runJig(["craft", "governing-corpus", "-delete"], { cwd: at.root })).code).toBe(1);
});
