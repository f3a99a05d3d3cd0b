import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLesson } from "../../src/craft/lessons/lesson.ts";
import { plantPrograms } from "../support/hostile-repository.ts";
import { type RepositoryWorld, repositoryWorld } from "./repository.ts";
import { craft } from "./world.ts";

const HEADER = "Lessons (advisory — open the path for context and evidence):\n";

const lesson = (
  more = "subjects: [src/**]",
  title = "Close what you open",
  apply = "Close it in the same scope.\n",
) =>
  `---\ntrigger: when a handle is opened\n${more}\n---\n# ${title}\n\nWhy.\n\n## How to apply\n\n${apply}\n## Evidence\n\nx\n`;

function withLessons(files: Record<string, string>): RepositoryWorld {
  const at = repositoryWorld();
  for (const [name, text] of Object.entries(files)) at.write(`docs/lessons/${name}`, text);
  at.commit();
  return at;
}

const hint = (at: RepositoryWorld, words: readonly string[], paths = "src/a.js\n") =>
  craft(at, ["lessons-hint", "--phase", "review", ...words], paths);

describe("lessons-hint", () => {
  test("craft-run-34 only what was merged is shown, the best first", async () => {
    const at = withLessons({ "handles.md": lesson() });
    expect(await hint(at, [])).toEqual({
      code: 0,
      stdout: `${HEADER}- Close what you open — when a handle is opened → docs/lessons/handles.md\n  Close it in the same scope.\n`,
      stderr: "",
    });
    at.git("switch", "-q", "-c", "feat/x");
    at.write("docs/lessons/branch.md", lesson("phases: [review]", "On the branch"));
    at.commit();
    at.write("docs/lessons/draft.md", lesson("phases: [review]", "A draft"));
    at.git("add", "-A");
    expect((await hint(at, [])).stdout).not.toMatch(/branch|draft/);
    const none = await hint(at, [], "other/x\n");
    expect(none).toEqual({ code: 0, stdout: "", stderr: "" });
    const two = withLessons({ "a.md": lesson(), "b.md": lesson("phases: [review]", "Second") });
    expect((await hint(two, ["--max", "1"])).stdout.match(/^- /gm)).toHaveLength(1);
    expect((await hint(two, ["--max", "0"])).stdout).toBe("");
    expect((await hint(two, [])).stdout.match(/^- .*/gm)).toEqual([
      expect.stringContaining("Close what you open"),
      expect.stringContaining("Second"),
    ]);
  });

  test("craft-run-48 --diff adds what changed since the base, without reading stdin", async () => {
    const at = withLessons({ "handles.md": lesson() });
    at.git("switch", "-q", "-c", "feat/x");
    at.write("src/new.js", "");
    at.commit();
    const unread = { ...at, host: { ...at.host, stdin: () => Promise.reject(new Error("stdin was read")) } };
    const { runRoom } = await import("../support/room.ts");
    const { default: group } = await import("../../src/craft/command.ts");
    const run = await runRoom(group, ["lessons-hint", "--phase", "review", "--diff"], unread.host);
    expect(run).toEqual(await hint(at, []));
    expect(run.stdout).toContain("Close what you open");
    const draft = at.write("draft.md", lesson("phases: [review]").replace("## How to apply", "## Other"));
    const bad = await craft(at, ["lessons-lint", draft]);
    expect([bad.code, bad.stdout, bad.stderr]).toEqual([
      2,
      "",
      `lessons-lint: ${draft}: no section '## How to apply'\n`,
    ]);
    const good = at.write("good.md", lesson());
    expect(await craft(at, ["lessons-lint", good])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("craft-run-56 more than fifty lessons are fifty", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 55 }, (_, index) => [
        `l${index}.md`,
        lesson("phases: [design]", `Lesson ${index}`),
      ]),
    );
    const at = withLessons(files);
    const run = await craft(at, ["lessons-hint", "--phase", "design", "--max", "60"]);
    expect([run.code, run.stdout.match(/^- /gm)!.length]).toEqual([0, 50]);
  });

  test("a bad lesson is named and skipped, links and other files are not looked at", async () => {
    const at = repositoryWorld();
    at.write("docs/lessons/good.md", lesson());
    at.write("docs/lessons/bad.md", "# No front matter\n");
    at.write("docs/lessons/large.md", `${lesson()}${"x".repeat(70_000)}`);
    at.write("docs/lessons/bytes.md", "");
    writeFileSync(join(at.root, "docs/lessons/bytes.md"), Buffer.from([0x2d, 0xff, 0xfe]));
    at.write("docs/lessons/README.md", "x");
    at.write("docs/lessons/notes.txt", "x");
    at.write("docs/lessons/deep/down.md", lesson("phases: [review]", "Deep"));
    symlinkSync("good.md", join(at.root, "docs/lessons/link.md"));
    at.commit();
    const run = await hint(at, []);
    expect(run.stdout.match(/^- /gm)).toHaveLength(1);
    expect(run.stderr.trim().split("\n").sort()).toEqual([
      expect.stringMatching(/^lessons-hint: skipped docs\/lessons\/bad.md: no front matter/),
      expect.stringMatching(/^lessons-hint: skipped docs\/lessons\/bytes.md: cannot be read/),
      expect.stringMatching(/^lessons-hint: skipped docs\/lessons\/large.md: is larger/),
    ]);
  });

  test("without a base, a directory or a repository there is nothing to say", async () => {
    const at = withLessons({ "a.md": lesson() });
    expect(await hint(at, ["--base", "nowhere"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await hint(at, ["--base", "--output=x"])).code).toBe(2);
    expect(await hint(at, ["--base=--output=x"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await hint(at, ["--dir", "none"])).toEqual({ code: 0, stdout: "", stderr: "" });
    for (const dir of ["../x", "/etc"]) {
      expect(await hint(at, ["--dir", dir])).toMatchObject({
        code: 0,
        stdout: "",
        stderr: expect.stringContaining("out of"),
      });
    }
    for (const dir of ["docs/lessons/", join(at.root, "docs/lessons")]) {
      expect((await hint(at, ["--dir", dir])).stdout).toContain("docs/lessons/a.md");
    }
    const outside = { ...at, host: { ...at.host, cwd: at.home } };
    expect(await hint(outside, [])).toEqual({ code: 0, stdout: "", stderr: "" });
    const gone = { ...at, host: { ...at.host, env: { PATH: "/none" } } };
    expect(await hint(gone, [])).toMatchObject({ code: 0, stdout: "" });
  });

  test.each([[["--max", "x"]], [["--max", "-1"]], [["--phase", "Bad"]], [["--nope"]], [["--from", "/none"]]])(
    "%j is refused",
    async (words) => {
      const at = withLessons({});
      const run = await hint(at, words);
      expect([run.code, run.stdout]).toEqual([2, ""]);
    },
  );

  test("git runs nothing that the repository names", async () => {
    const at = withLessons({ "a.md": lesson() });
    at.git("switch", "-q", "-c", "feat/x");
    at.write("src/b.js", "");
    at.commit();
    const traps = plantPrograms(join(at.root, ".git"), join(at.home, "traps"));
    at.write("src/b.js", "changed");
    expect((await hint(at, ["--diff"], "")).stdout).toContain("Close what you open");
    await craft(at, ["intention", "assert-fresh"]);
    await craft(at, ["memory", "save", "--delta", "-"], "[]");
    await craft(at, ["backlog", "elect", "--file", "BACKLOG.md", "--out", at.home]);
    expect(traps.sprung()).toEqual([]);
  });
});

describe("a lesson", () => {
  const faults = async (text: string) => {
    const read = await readLesson(text);
    return read.ok ? [] : read.faults;
  };

  test.each([
    ["", /front matter/],
    ["---\nx: [\n---\n", /line \d/],
    [lesson().replace("trigger:", "other:"), /trigger is missing/],
    [lesson().replace("a handle", "x".repeat(201)), /trigger is longer/],
    [lesson("x: 1"), /neither subjects nor phases/],
    [lesson("subjects: x"), /subjects must be/],
    [lesson("subjects: ['']"), /subjects must be/],
    [lesson("phases: [Bad]"), /phases must be/],
    [lesson(undefined, ""), /no title/],
    [lesson(undefined, "x".repeat(121)), /title is longer/],
    [lesson(undefined, undefined, "\n"), /is empty/],
    [lesson().replace("## How to apply", "```\n## How to apply\n```"), /no section/],
  ])("%# has the fault", async (text, fault) => {
    expect(await faults(text)).toEqual([expect.stringMatching(fault)]);
  });

  test("every fault is told", async () => {
    expect(await faults("---\nx: 1\n---\n")).toHaveLength(4);
  });

  test("what is shown is six short lines of the section alone, without control characters", async () => {
    const lines = [
      "one\u001b[31m",
      "```",
      "# no heading",
      "```",
      "### deeper",
      "x".repeat(500),
      "seven",
      "eight",
    ];
    const read = await readLesson(lesson(undefined, undefined, `${lines.join("\r\n")}\n`));
    if (!read.ok) throw new Error(read.faults.join());
    expect(read.lesson.applyLines).toBe(8);
    expect(read.lesson.apply).toEqual([
      "one[31m",
      "```",
      "# no heading",
      "```",
      "### deeper",
      `${"x".repeat(400)}…`,
    ]);
    expect(read.lesson.trigger).toBe("a handle is opened");
  });

  test("no text makes the reader fail, or take long", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (text) => {
        await readLesson(text);
        await readLesson(lesson(undefined, undefined, text));
      }),
    );
    await readLesson(lesson(undefined, undefined, `## ${" ".repeat(50_000)}x${"#".repeat(9_000)}\n`));
  });
});
