import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseOnly } from "../../src/cli/parse-only.ts";
import { check } from "../../src/skills/check.ts";
import { readMarkdown } from "../../src/skills/lint/markdown.ts";
import { shellWords } from "../../src/skills/lint/shell.ts";
import type { Finding } from "../../src/skills/schema.ts";
import { shipment } from "../../src/skills/source/shipment.ts";
import { ROOT } from "../support/paths.ts";
import { tempDir } from "../support/temp.ts";
import { jigOf, makeShipment } from "./shipments.ts";
import { SKILLS, world } from "./world.ts";

const host = { cwd: "/", parse: parseOnly };

async function lint(directory: string, names: string[] = []) {
  const { data, exitCode } = await check(host, shipment(), { names, dir: directory, strict: false });
  return { findings: data, rules: data.map(({ rule }) => rule), exitCode };
}

/** A copy of one embedded skill, changed. */
function copyWith(change: (skill: string) => void, name = "jig-jobs"): string {
  const directory = tempDir("jig-lint-");
  cpSync(`${ROOT}/skills/${name}`, join(directory, name), { recursive: true });
  // The entry file is near its limit: its example makes room for what a test puts in.
  const entry = join(directory, name, "SKILL.md");
  writeFileSync(entry, readFileSync(entry, "utf8").replace(/\nA job's life: .*\n/, "\n"));
  change(join(directory, name));
  return directory;
}

/** What the lint says about a line in a fence of its own, put into a skill's text. */
async function lintLine(line: string) {
  return lintText(`\`\`\`\n${line}\n\`\`\``);
}

async function lintText(text: string) {
  const directory = copyWith((skill) => insert(skill, text));
  return (await lint(directory)).findings.map(({ rule, line, path }) => ({ rule, line, path }));
}

function insert(skill: string, text: string): void {
  const path = join(skill, "SKILL.md");
  writeFileSync(path, readFileSync(path, "utf8").replace("\n## Start\n", `\n${text}\n\n## Start\n`));
}

describe("the embedded skills", () => {
  test("skills-28 skills-base-dir-16 skills-jobs-11 skills-show-17 skills-packs-16 skills-brainstorm-1 skills-craft-run-1 skills-flow-router-1 the lint has nothing to say", async () => {
    const { jig } = world();
    expect(await jig(["skills", "check"])).toMatchObject({
      code: 0,
      stdout: "pass: 0 errors, 0 warnings\n",
      stderr: "",
    });
    for (const name of SKILLS) {
      expect(await jig(["skills", "check", name, "--strict"])).toMatchObject({
        code: 0,
        stdout: "pass: 0 errors, 0 warnings\n",
      });
    }
  });

  test("an installed tree is clean too, whatever its prefix", async () => {
    const { jig, home } = world("my tools/jig");
    await jig(["skills", "install", "--host", "claude"]);
    await jig(["skills", "install", "--host", "codex", "--portable"]);
    for (const place of [".claude", ".agents"]) {
      const run = await jig(["skills", "check", "--dir", join(home, place, "skills"), "--json"]);
      expect(run.code).toBe(0);
      // The path of a test's home is longer than a path is counted with.
      const findings = (JSON.parse(run.stdout) as Finding[]).filter(({ rule }) => rule !== "S010");
      expect(findings).toEqual([]);
    }
    appendFileSync(join(home, ".claude/skills/jig-jobs/SKILL.md"), "\n");
    const run = await jig(["skills", "check", "--dir", join(home, ".claude/skills"), "--json"]);
    expect(run.code).toBe(1);
    expect((JSON.parse(run.stdout) as Finding[]).filter(({ rule }) => rule !== "S010")).toMatchObject([
      { rule: "S040", severity: "error", path: expect.stringContaining("jig-jobs/SKILL.md") },
    ]);
  });

  test("skills-49 every SKILL.md fits where the strictest host cuts", async () => {
    for (const name of SKILLS) {
      const text = readFileSync(`${ROOT}/skills/${name}/SKILL.md`, "utf8");
      const loaded = text
        .replaceAll("{{JIG}}", "x".repeat(40))
        .replaceAll("{{JIG_VERSION}}", "0.3.1")
        .replaceAll("\n", "\r\n");
      expect(Buffer.byteLength(loaded), name).toBeLessThanOrEqual(8000);
    }
  });
});

describe("the rules", () => {
  test("skills-29 a mistyped verb is found with its line", async () => {
    const directory = copyWith((skill) => {
      const path = join(skill, "SKILL.md");
      writeFileSync(path, readFileSync(path, "utf8").replace("{{JIG}} job status", "{{JIG}} job strat"));
    });
    const { findings, exitCode } = await lint(directory);
    const line =
      readFileSync(join(directory, "jig-jobs/SKILL.md"), "utf8")
        .split("\n")
        .findIndex((text) => text.includes("job strat")) + 1;
    expect(findings).toMatchObject([
      { rule: "S020", severity: "error", line, path: join(directory, "jig-jobs/SKILL.md") },
    ]);
    expect(exitCode).toBe(1);
  });

  test("skills-30 a named file that does not exist, and one that nobody names", async () => {
    const ghost = copyWith((skill) => insert(skill, "Read `references/ghost.md`."), "jig-jobs");
    expect((await lint(ghost)).rules).toEqual(["S005"]);
    const extra = copyWith((skill) => {
      mkdirSync(join(skill, "references"));
      writeFileSync(join(skill, "references/extra.md"), "Extra.\n");
    });
    expect((await lint(extra)).rules).toEqual(["S006", "S053"]);
  });

  test("skills-31 skills-54 a command line is one simple command, its quoted words are data", async () => {
    const wrong = [
      "{{JIG}} web start --root X && echo ok",
      "CE_PEER_HARD_SECS=9 {{JIG}} job start --skill s --run-id r -- true",
      "{{JIG}} packs resolve > out",
      "{{JIG}} plan check $F",
      "{{JIG}} job status x # later",
      "{{JIG}} job status x; true",
      "{{JIG}} job status `id`",
      '{{JIG}} job status "$X"',
      "{{JIG}} job status x | cat",
      "{{JIG}} job status 'x",
      "{{JIG}} job status x &",
    ];
    for (const line of wrong) {
      const found = await lintLine(line);
      expect(
        found.map(({ rule }) => rule),
        line,
      ).toEqual(["S021"]);
    }
    for (const line of [
      "{{JIG}} scratch ce-brainstorm <run-id>",
      '{{JIG}} job start --skill s --run-id r -- sh -c "a | b"',
    ]) {
      expect(await lintLine(line), line).toEqual([]);
    }
    expect((await lintLine("{{JIG}} job list\nand a word")).map(({ rule }) => rule)).toEqual(["S021"]);
  });

  test("skills-32 interpreters, long bodies, leftovers", async () => {
    expect((await lintLine("python3 scripts/x.py")).map(({ rule }) => rule)).toEqual(["S023"]);
    expect((await lintLine("bash run.sh")).map(({ rule }) => rule)).toEqual(["S023"]);
    const long = copyWith((skill) => insert(skill, "x\n".repeat(501)));
    expect((await lint(long)).rules).toContain("S010");
    expect((await lintText("A {{FOO}} here.")).map(({ rule }) => rule)).toEqual(["S030"]);
    expect((await lintText("Run {{JIG}} now.")).map(({ rule }) => rule)).toEqual(["S030"]);
    expect((await lintText("Of {{JIG_VERSION}}.")).map(({ rule }) => rule)).toEqual(["S030"]);
  });

  test("skills-48 hostile and oversized files are answered at once", async () => {
    const bomb = copyWith((skill) => {
      const path = join(skill, "SKILL.md");
      const levels = Array.from(
        { length: 20 },
        (_, n) =>
          `  l${n}: &l${n} [${
            n === 0
              ? '"x"'
              : Array(9)
                  .fill(`*l${n - 1}`)
                  .join(",")
          }]`,
      );
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace("metadata:\n", `metadata:\n${levels.join("\n")}\n`),
      );
    });
    const huge = copyWith((skill) => appendFileSync(join(skill, "SKILL.md"), "x".repeat(2 * 1024 * 1024)));
    expect((await lint(bomb, ["jobs"])).rules).toContain("S001");
    expect((await lint(huge, ["jobs"])).rules).toEqual(["S001"]);
    expect((await lintText("See `../x`.")).map(({ rule }) => rule)).toEqual(["S007"]);
    expect((await lintText("Call AskUserQuestion.")).map(({ rule }) => rule)).toEqual(["S032"]);
    const last = copyWith((skill) => appendFileSync(join(skill, "SKILL.md"), "The end.\n"));
    expect((await lint(last)).rules).toEqual(["S034"]);
  });

  test("skills-53 every addition the skills rely on is in the command tree, and no near miss of it", async () => {
    const rows = [
      "scratch ce-brainstorm <run-id>",
      "elevate --start --skill s --run-id r <model> <prompt-file> <result-path>",
      "elevate --resolve --key brainstorm_model",
      "elevate --verdict <job-id>",
      "job start --skill s --run-id r --idle-secs 9 --hard-secs 9 --log-max-bytes 9 --result-max-bytes 9 -- true",
      "plan find --topic <slug>",
      "plan reserve --convert <abs-path> --format md",
      "plan release <abs-path>",
      "plan check <abs-path>",
      "skills update --dry-run",
    ];
    for (const row of rows) {
      expect(await lintLine(`{{JIG}} ${row}`), row).toEqual([]);
      const typo = row.includes("--") ? row.replace(/--([a-z])/, "--z$1") : row.replace(/^(\w+)/, "z$1");
      expect(
        (await lintLine(`{{JIG}} ${typo}`)).map(({ rule }) => rule),
        typo,
      ).toEqual(["S020"]);
    }
  });

  test("values and placeholders are judged, not only flags", async () => {
    const wrong = [
      "job wait --max-secs soon <job-id>",
      "plan reserve --type feat --topic a --format pdf",
      "job status <nonsense>",
      "skills preflight jig-jobs --api 1",
      "skills preflight jig-jobs --api none --text 0.1.0",
    ];
    for (const line of wrong)
      expect(
        (await lintLine(`{{JIG}} ${line}`)).map(({ rule }) => rule),
        line,
      ).toEqual(["S020"]);
  });

  test("a bare jig is for the user's eyes only", async () => {
    expect((await lintText("Run `jig skills update` yourself.")).map(({ rule }) => rule)).toEqual(["S022"]);
    expect((await lintLine("jig skills update")).map(({ rule }) => rule)).toEqual(["S022"]);
    expect(await lintText('Say "run `jig skills update`" to the user.')).toEqual([]);
    expect(await lintText("> Run `jig skills update`.")).toEqual([]);
  });

  test("a description says what the skill does and gives no order", async () => {
    const said = async (description: string) => {
      const directory = copyWith((skill) => {
        const path = join(skill, "SKILL.md");
        const text = readFileSync(path, "utf8").replace(
          /^description: .*$/m,
          `description: "${description}"`,
        );
        writeFileSync(path, text);
      });
      return (await lint(directory)).rules;
    };
    expect(await said("Runs jobs. For slow work.")).toEqual([]);
    expect(await said("Run jobs. For slow work.")).toEqual(["S013"]);
    expect(await said("Runs jobs. Use it for slow work.")).toEqual(["S013"]);
    expect(await said("Runs jobs. For slow work. Never poll.")).toEqual(["S013"]);
  });

  test("unfinished words count outside inline code", async () => {
    expect((await lintText("TODO: more.")).map(({ rule }) => rule)).toEqual(["S031"]);
    expect(await lintText("Fails on `TODO`.")).toEqual([]);
  });

  test("front matter keeps to the specification", async () => {
    const changes: [string, string, string][] = [
      ['name: "jig-jobs"', 'name: "jig_jobs"', "S002"],
      ['name: "jig-jobs"', 'name: "jig-other"', "S002"],
      ['license: "MIT"', 'license: "MIT"\nmodel: "x"', "S004"],
      ['  jig-api: "1"', "  jig-api: 1", "S004"],
      ["metadata:", "metadata: {}\nignored:", "S004"],
    ];
    for (const [from, to, rule] of changes) {
      const directory = copyWith((skill) => {
        const path = join(skill, "SKILL.md");
        writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
      });
      expect((await lint(directory)).rules, to).toContain(rule);
    }
    const described = (text: string) =>
      copyWith((skill) => {
        const path = join(skill, "SKILL.md");
        writeFileSync(
          path,
          readFileSync(path, "utf8").replace(/^description: .*$/m, `description: ${JSON.stringify(text)}`),
        );
      });
    expect((await lint(described(""))).rules).toContain("S003");
    expect((await lint(described("x".repeat(1025)))).rules).toEqual(expect.arrayContaining(["S003", "S012"]));
    expect((await lint(described("holds <b> c"))).rules).toEqual(["S003"]);
    expect((await lint(described("holds two\nlines"))).rules).toEqual(["S003"]);
    expect((await lint(described(`holds ${"x".repeat(355)}`))).rules).toEqual(["S012"]);
  });

  test("the preflight line is first and asks for the declared API", async () => {
    const edit = (from: string, to: string) =>
      copyWith((skill) => {
        const path = join(skill, "SKILL.md");
        writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
      });
    expect((await lint(edit("--api 1", "--api 2"))).rules).toEqual(["S033"]);
    expect((await lint(edit("preflight jig-jobs", "preflight jig-show"))).rules).toEqual(["S033"]);
    expect((await lint(edit("# Detached jobs", "`{{JIG}} job list`\n\n# Detached jobs"))).rules).toEqual([
      "S033",
    ]);
  });

  test("sizes: a reference warns, then fails; an installed entry file warns, then fails", async () => {
    const reference = (bytes: number) =>
      copyWith(
        (skill) => writeFileSync(join(skill, "references/handoff.md"), `${"x".repeat(bytes)}\n`),
        "jig-brainstorm",
      );
    const sizes = async (bytes: number) =>
      (await lint(reference(bytes))).findings.filter(({ rule }) => rule === "S011");
    expect(await sizes(16_500)).toMatchObject([{ severity: "warning" }]);
    const strict = await check(host, shipment(), { names: [], dir: reference(16_500), strict: true });
    expect(strict.exitCode).toBe(1);
    expect(await sizes(33_000)).toMatchObject([{ severity: "error" }]);
    for (const [bytes, severity] of [
      [2000, "warning"],
      [15_000, "error"],
    ] as const) {
      const directory = copyWith((skill) => insert(skill, "x".repeat(bytes)));
      expect((await lint(directory)).findings).toMatchObject([{ rule: "S010", severity }]);
    }
  });

  test("a skill without SKILL.md, and a tree without skills", async () => {
    const directory = copyWith((skill) => rmSync(join(skill, "SKILL.md")));
    expect((await lint(directory, ["jobs"])).rules).toEqual(["S001"]);
    const empty = await check(host, shipment(), { names: [], dir: tempDir(), strict: false });
    expect(empty.notes?.[0]).toContain("no skill directory");
  });

  test("what a user added to an installed skill is not linted", async () => {
    const home = tempDir();
    const directory = join(home, "skills");
    await jigOf(
      { ...makeShipment("1.0.0", [...shipment().skills]), executable: "/opt/tools/jig" },
      home,
      directory,
    ).install();
    writeFileSync(join(directory, "jig-show/notes.md"), "TODO {{X}}\n");
    expect((await lint(directory)).rules).toEqual([]);
  });
});

describe("the lint's reading", () => {
  test("code spans, fences and quotes are told apart", () => {
    const markdown = readMarkdown(
      [
        'a `one` and "say `two`" and `three`',
        "",
        "```sh",
        "`not a span`",
        "```",
        "> `four`",
        "~~~",
        "```",
        "~~~",
      ].join("\n"),
    );
    expect(markdown.spans.map(({ text, quoted, line }) => [text, quoted, line])).toEqual([
      ["one", false, 1],
      ["two", true, 1],
      ["three", false, 1],
      ["four", true, 6],
    ]);
    expect(markdown.fences.map((fence) => fence.map(({ text }) => text))).toEqual([
      ["`not a span`"],
      ["```"],
    ]);
  });

  test("words are cut as every shell would", () => {
    expect(shellWords(`a "b c" 'd e' f"g"`)).toEqual({ words: ["a", "b c", "d e", "fg"] });
    expect(shellWords("a#b")).toEqual({ words: ["a#b"] });
    expect(shellWords('""')).toEqual({ words: [""] });
  });
});
