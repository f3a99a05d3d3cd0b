import { symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PlanList } from "../../src/plan/schema.ts";
import { tempDir } from "../support/temp.ts";
import { change, GOOD, GOOD_HTML } from "./support.ts";
import { type World, world } from "./world.ts";

const PLANNED = `${GOOD}\n## Planning Contract\n\nHow.\n`;

/** A requirements document on another topic. */
function on(topic: string, text = GOOD): string {
  return change(text, "topic: mute-alerts\n", `topic: ${topic}\n`);
}

function onHtml(topic: string): string {
  return change(GOOD_HTML, "<dd>mute-alerts-on-call</dd>", `<dd>${topic}</dd>`);
}

async function find({ plan }: World, ...words: string[]): Promise<PlanList> {
  const run = await plan(["find", "--json", ...words]);
  expect(run.code).toBe(0);
  return JSON.parse(run.stdout) as PlanList;
}

const names = (list: PlanList) => list.plans.map(({ relative }) => relative.replace(/^docs\/plans\//, ""));

test("plan-30 requirements by default, everything on demand, and never a failure", async () => {
  const here = world();
  here.write("docs/plans/2026-09-24-0952-feat-one-plan.md", on("one"));
  here.write("docs/plans/2026-09-25-0952-feat-two-plan.md", on("two", PLANNED));
  expect(names(await find(here))).toEqual(["2026-09-24-0952-feat-one-plan.md"]);
  expect(names(await find(here, "--stage", "any"))).toEqual([
    "2026-09-25-0952-feat-two-plan.md",
    "2026-09-24-0952-feat-one-plan.md",
  ]);
  const text = await here.plan(["find"]);
  expect(text.stdout).toBe(
    "docs/plans/2026-09-24-0952-feat-one-plan.md\trequirements-only\t2026-09-24\tone\tMute alerts - Plan\n",
  );
  here.config("docs_root: ../out\n");
  const broken = await here.plan(["find", "--json"]);
  expect(broken.code).toBe(0);
  const list = JSON.parse(broken.stdout) as PlanList;
  expect(list.plans).toEqual([]);
  expect(list.skipped).toContain("docs_root");
  const outside = await here.plan(["find", "--json"], { cwd: tempDir() });
  expect([outside.code, (JSON.parse(outside.stdout) as PlanList).skipped]).toEqual([
    0,
    "not inside a git repository",
  ]);
});

test("plan-31 a planned sibling supersedes", async () => {
  const here = world();
  here.write("docs/plans/x-plan.html", onHtml("a-b"));
  here.write("docs/plans/x-plan.md", on("a-b", PLANNED));
  expect(names(await find(here, "--topic", "a-b"))).toEqual([]);
  const all = await find(here, "--topic", "a-b", "--stage", "any");
  expect(all.plans.map(({ format, superseded_by }) => [format, superseded_by])).toEqual([
    ["html", "docs/plans/x-plan.md"],
    ["md", null],
  ]);
});

test("plan-38 of two requirements siblings the later one counts", async () => {
  const here = world();
  const md = here.write("docs/plans/p-plan.md", GOOD);
  const html = here.write("docs/plans/p-plan.html", onHtml("mute-alerts"));
  utimesSync(md, 1_790_000_000, 1_790_000_000);
  utimesSync(html, 1_790_000_010, 1_790_000_010);
  expect(names(await find(here))).toEqual(["p-plan.html"]);
  const all = await find(here, "--stage", "any");
  expect(all.plans.map(({ format, superseded_by }) => [format, superseded_by])).toEqual([
    ["html", null],
    ["md", "docs/plans/p-plan.html"],
  ]);
  utimesSync(md, 1_790_000_010.4, 1_790_000_010.4);
  expect(names(await find(here))).toEqual(["p-plan.html", "p-plan.md"]);
});

test("filters by topic, words, type, stage and source", async () => {
  const here = world();
  here.write("docs/plans/2026-09-24-0952-feat-one-plan.md", on("one"));
  here.write("docs/plans/2026-09-24-1000-fix-two-plan.md", change(on("two"), "type: feat", "type: fix"));
  here.write(
    "docs/plans/2026-09-24-1100-feat-three-plan.md",
    change(on("three"), "product_contract_source: ce-brainstorm", "product_contract_source: ce-plan"),
  );
  here.write("docs/plans/2026-09-24-1200-feat-four-plan.md", change(GOOD, "topic: mute-alerts\n", ""));
  const cases: [string[], string[]][] = [
    [["--topic", "one"], ["one"]],
    [["--topic", "four"], ["four"]],
    [["--match", "TWO"], ["two"]],
    [["--match", "mute ALERTS", "--type", "fix"], ["two"]],
    [
      ["--type", "feat"],
      ["four", "one"],
    ],
    [
      ["--source", "any"],
      ["four", "three", "two", "one"],
    ],
    [["--source", "ce-plan"], ["three"]],
    [["--stage", "planned"], []],
  ];
  for (const [words, expected] of cases) {
    const topics = (await find(here, ...words)).plans.map(({ topic }) => topic);
    expect([words, topics]).toEqual([words, expected]);
  }
  expect((await here.plan(["find", "--topic", "A b"])).code).toBe(2);
});

test("what is no plan is left out, what cannot be read is counted", async () => {
  const here = world();
  const plans = join(here.root, "docs/plans");
  here.write("docs/plans/2026-09-24-0952-feat-one-plan.md", GOOD);
  here.write("docs/plans/README.md", "# Plans\n");
  here.write("docs/plans/v2.md", change(GOOD, "ce-unified-plan/v1", "ce-unified-plan/v2"));
  here.write("docs/plans/deeper/2026-09-24-0952-feat-two-plan.md", GOOD);
  here.write("docs/plans/dir.md/file", "");
  here.write("docs/plans/empty-plan.md");
  writeFileSync(join(plans, "latin.md"), Buffer.concat([Buffer.from(GOOD), Buffer.from([0xff])]));
  const outside = tempDir();
  writeFileSync(join(outside, "o.md"), GOOD);
  symlinkSync(join(outside, "o.md"), join(plans, "outside.md"));
  symlinkSync("nowhere", join(plans, "dangling.md"));
  symlinkSync("2026-09-24-0952-feat-one-plan.md", join(plans, "inside.md"));
  const list = await find(here);
  expect(names(list)).toEqual(["2026-09-24-0952-feat-one-plan.md", "inside.md"]);
  expect(list).toMatchObject({ root: "docs", skipped: null, ignored: 4 });
  expect(list.plans[0]).toMatchObject({
    path: `${here.root}/docs/plans/2026-09-24-0952-feat-one-plan.md`,
    format: "md",
    status: "unified",
    stage: "requirements-only",
    generation: "current",
    title: "Mute alerts - Plan",
    topic: "mute-alerts",
    type: "feat",
    date: "2026-09-24",
    time: "0952",
    source: "ce-brainstorm",
    open_questions: { resolve_before_planning: 0, deferred_to_planning: 1 },
    superseded_by: null,
  });
});

test("--legacy adds the documents from before the contract, always under docs", async () => {
  const here = world();
  here.config("docs_root: art\n");
  here.write("art/plans/2026-09-24-0952-feat-one-plan.md", GOOD);
  here.write("docs/brainstorms/2025-01-02-old-search-requirements.md", "# Old search\n");
  here.write("docs/brainstorms/notes.md", "# Notes\n");
  expect((await find(here)).plans).toHaveLength(1);
  const list = await find(here, "--legacy");
  expect(
    list.plans.map(({ relative, status, stage, title, topic }) => [relative, status, stage, title, topic]),
  ).toEqual([
    [
      "art/plans/2026-09-24-0952-feat-one-plan.md",
      "unified",
      "requirements-only",
      "Mute alerts - Plan",
      "mute-alerts",
    ],
    ["docs/brainstorms/2025-01-02-old-search-requirements.md", "legacy", null, "Old search", "old-search"],
  ]);
  expect((await find(here, "--legacy", "--match", "old")).plans).toHaveLength(1);
});

test("no plans directory is an empty result", async () => {
  expect(await find(world())).toEqual({ root: "docs", skipped: null, ignored: 0, plans: [] });
});

test("escape sequences in a title are shown, not sent", async () => {
  const here = world();
  here.write("docs/plans/x-plan.md", change(GOOD, "title: Mute alerts - Plan", 'title: "\\e[31mred - Plan"'));
  const run = await here.plan(["find"]);
  expect(run.stdout).toContain("\\x1b[31mred");
  expect(run.stdout).not.toContain("\u001b");
});
