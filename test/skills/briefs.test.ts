import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseOnly } from "../../src/cli/parse-only.ts";
import { check } from "../../src/skills/check.ts";
import { briefOf, type Promised } from "../../src/skills/lint/briefs.ts";
import { readMarkdown } from "../../src/skills/lint/markdown.ts";
import { checkPromises, passagesOf, ruleOf } from "../../src/skills/lint/promises.ts";
import { sinkFor, type Tree } from "../../src/skills/lint/tree.ts";
import type { Finding } from "../../src/skills/schema.ts";
import { type Shipment, type Skill, shipment } from "../../src/skills/source/shipment.ts";
import { ROOT } from "../support/paths.ts";

const shipped = shipment();

async function lint(skill: Skill) {
  const alone: Shipment = { ...shipped, skills: [skill] };
  const { data } = await check({ cwd: "/", parse: parseOnly }, alone, {
    names: [],
    dir: undefined,
    strict: false,
  });
  return data.filter(({ rule }) => /^S05/.test(rule));
}

const allowed = (files: Skill["files"]) =>
  Object.fromEntries(files.map(({ path, text }) => [path.replace(/^references\//, ""), text.length * 4]));

/** What the rules say of one promise, which is asked hundreds of times. */
function promisesOf({ name, files }: Skill, one: Promised): Finding[] {
  const findings: Finding[] = [];
  const tree: Tree = {
    name,
    root: name,
    files: new Map(files.map(({ path, text }) => [path, text])),
    prefix: "{{JIG}}",
    source: true,
    ours: true,
    limits: { entryBytes: 8000, entryBytesWarning: 8000 },
  };
  checkPromises(tree, { references: allowed(files), promises: [one] }, sinkFor(tree, findings));
  return findings;
}

const skillOf = (id: string) => shipped.skills.find((skill) => skill.id === id)!;

function withFile(skill: Skill, path: string, change: (text: string) => string): Skill {
  return {
    ...skill,
    files: skill.files.map((file) => (file.path === path ? { path, text: change(file.text) } : file)),
  };
}

/** Every way to break one promise: a text without what it asks for, or with what it forbids. */
function breakages(skill: Skill, one: Promised): Skill[] {
  const path = one.file === "*" ? "SKILL.md" : one.file;
  const change = (edit: (text: string) => string) => withFile(skill, path, edit);
  if ("passage" in one) {
    // Passage by passage is taken out until the rule speaks: what is left holds everything else.
    let broken = skill;
    for (const block of passagesOf(skill.files.find((file) => file.path === path)!.text)) {
      broken = withFile(broken, path, (text) => text.replace(block, ""));
      if (promisesOf(broken, one).some(({ message }) => message.includes(one.passage))) break;
    }
    return [broken];
  }
  if ("literals" in one) return one.literals.map((part) => change((text) => text.replaceAll(part, "")));
  if ("absent" in one) return one.absent.map((part) => change((text) => `${text}${part}\n`));
  return one.order.map((part) =>
    change((text) => text.replaceAll(new RegExp(RegExp.escape(part), "gi"), "")),
  );
}

/** Every promise of a skill is kept as it stands, and its loss is found; returns the examples they are for. */
async function everyLossIsFound(id: string): Promise<void> {
  const skill = skillOf(id);
  expect(await lint(skill)).toEqual([]);
  const brief = briefOf(skill.name)!;
  for (const one of brief.promises) {
    for (const broken of breakages(skill, one)) {
      const told = promisesOf(broken, one).map(({ rule, message }) => `${rule} ${message}`);
      const what = JSON.stringify(one);
      const example = one.examples.length === 0 ? "" : `(example ${one.examples.join(", ")})`;
      expect(
        told.some((line) => line.startsWith(ruleOf(one)) && line.endsWith(example)),
        what,
      ).toBe(true);
    }
  }
}

describe("what a brief asks of its skill's text is held by a rule, and its loss is found", () => {
  test("skills-base-dir-1 skills-base-dir-9 skills-base-dir-11 skills-base-dir-12 skills-base-dir-14 base-dir", () =>
    everyLossIsFound("base-dir"));
  test("skills-jobs-7 skills-jobs-9 skills-jobs-13 skills-jobs-14 skills-jobs-15 skills-jobs-16 skills-jobs-17 jobs", () =>
    everyLossIsFound("jobs"));
  test("skills-show-5 skills-show-6 skills-show-10 skills-show-11 skills-show-12 skills-show-15 skills-show-17 show", () =>
    everyLossIsFound("show"));
  test("skills-packs-4 skills-packs-7 skills-packs-9 skills-packs-10 skills-packs-12 skills-packs-16 packs", () =>
    everyLossIsFound("packs"));
  test("skills-craft-run-1 skills-craft-run-4 skills-craft-run-5 skills-craft-run-11 skills-craft-run-20 craft-run", () =>
    everyLossIsFound("craft-run"));
  test("skills-flow-router-1 skills-flow-router-11 skills-flow-router-12 skills-flow-router-13 skills-flow-router-19 skills-flow-router-22 skills-flow-router-27 flow-router", () =>
    everyLossIsFound("flow-router"));
  test("skills-brainstorm-2 skills-brainstorm-3 skills-brainstorm-5 skills-brainstorm-6 skills-brainstorm-7 skills-brainstorm-8 skills-brainstorm-9 skills-brainstorm-10 skills-brainstorm-16 skills-brainstorm-20 skills-brainstorm-23 skills-brainstorm-24 skills-brainstorm-25 skills-brainstorm-26 skills-brainstorm-27 skills-brainstorm-28 skills-brainstorm-29 skills-brainstorm-30 skills-brainstorm-35 brainstorm", () =>
    everyLossIsFound("brainstorm"));
});

describe("the files of a skill", () => {
  test("a missing, a foreign and an oversized reference are found", async () => {
    const skill = skillOf("brainstorm");
    const phase = "references/phase-0.md";
    const without = { ...skill, files: skill.files.filter(({ path }) => path !== phase) };
    expect(await lint(without)).toContainEqual(expect.objectContaining({ rule: "S053" }));
    const more = { ...skill, files: [...skill.files, { path: "references/more.md", text: "More.\n" }] };
    expect(await lint(more)).toMatchObject([{ rule: "S053", message: "no file of the brief" }]);
    const large = withFile(skill, phase, (text) => text + "x".repeat(9000));
    expect(await lint(large)).toMatchObject([{ rule: "S053", message: expect.stringContaining("9000") }]);
  });

  test("skills-brainstorm-31 a Lightweight run reads no more than 60 kB", () => {
    const light = ["interaction-rules", "settled-decisions", "output-mode", "phase-0", "dialogue"];
    const paths = [
      "SKILL.md",
      ...[...light, "product-pressure-test", "synthesis-summary", "handoff"].map(
        (name) => `references/${name}.md`,
      ),
    ];
    const read = skillOf("brainstorm").files.filter(({ path }) => paths.includes(path));
    expect(read).toHaveLength(paths.length);
    expect(read.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(60_000);
  });

  test("skills-brainstorm-32 every command line of a brief stands in its skill", () => {
    for (const skill of shipped.skills) {
      const brief = readFileSync(`${ROOT}/docs/spec/skills/${skill.id}.md`, "utf8");
      const wanted = commandLines(brief);
      const found = new Set(skill.files.flatMap(({ text }) => commandLines(text)));
      expect(
        wanted.filter((line) => !found.has(line)),
        skill.name,
      ).toEqual([]);
    }
  });

  test("every brief is that of a skill, and the other way round", () => {
    const briefs = readdirSync(`${ROOT}/docs/spec/skills`).map((name) => name.replace(/\.md$/, ""));
    expect(briefs.sort()).toEqual(shipped.skills.map(({ id }) => id).sort());
    for (const { name } of shipped.skills) expect(briefOf(name), name).toBeDefined();
    expect(briefOf("jig-nothing")).toBeUndefined();
  });
});

/** Fenced lines of a Markdown text that begin with the placeholder. */
function commandLines(text: string): string[] {
  return readMarkdown(text)
    .fences.flat()
    .map((line) => line.text)
    .filter((line) => line.startsWith("{{JIG}} "));
}
