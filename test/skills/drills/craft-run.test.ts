import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Agent, type Any, expectAllRun, git, makeAgent, put, tempDir } from "./agent.ts";

expectAllRun("craft-run");

const RESOLVE = { file: "references/resolve.md" };
const WALK = { file: "references/walk.md" };
const INVARIANTS = { file: "references/invariants.md" };
const PHASES = { file: "references/phases.md" };
const REBUILD = { file: "references/rebuild.md" };
const DONE = { file: "references/done.md" };

const parse = "craft parse-args";
const resolveWithFlags = "craft resolve --config";
const resolvePlain = "craft resolve --out";
const open = "craft ledger open";
const start = "craft ledger append <run-id> <phase-id> --line";
const append = "craft ledger append <run-id> <phase-id> --from";
const runState = "craft run-state";
const consult = "craft policy consult <action> --resolution <abs-path> --binding interactive";
const consultHeadless = "craft policy consult <action> --resolution <abs-path> --binding headless";
const finished = "craft driver finished <url>";
const finishedWithElection = "craft driver finished <url> --election";

const MANIFEST = `---
gates:
  part: "true"
  phase: "test -f src/mute.txt"
backlog:
  source: file
  ref: BACKLOG.md
---
# Policy

Small steps.
`;

const BACKLOG = `# Backlog

- [ ] **MUTE-1** — Mute alerts: an engineer can silence an alert until a stated time.
- [ ] **MUTE-2** — Show mutes: the list says what is muted.
`;

/** One run as the skill's reader conducts it. */
interface Run {
  agent: Agent;
  scratch: string;
  id: string;
  /** The path of its Resolution. */
  resolution: string;
  manifest: string;
  /** A file in the scratch directory. */
  file(name: string, text: string): string;
  /** The records of the ledger, without run id. */
  records(): string[];
  /** Records of one phase in one append. */
  record(phase: string, ...lines: string[]): Promise<void>;
}

async function makeCraftAgent(manifest: string | null = MANIFEST): Promise<Agent> {
  const agent = await makeAgent("craft-run");
  if (manifest !== null) put(join(agent.repository, ".claude/workflow.md"), manifest);
  put(join(agent.repository, "BACKLOG.md"), BACKLOG);
  put(join(agent.repository, "src/alerts.txt"), "alerts\n");
  git(agent.repository, "checkout", "-q", "-b", "main");
  git(agent.repository, "add", ".");
  git(agent.repository, "commit", "-q", "-m", "Start");
  return agent;
}

let scratches = 0;

async function freshScratch(agent: Agent): Promise<string> {
  const fresh = { "fresh-id": `drill-${++scratches}` };
  return (await agent.run("scratch jig-craft-run", fresh)).stdout.trim();
}

/** Section 0 up to the seed, in the order of `resolve.md`. */
async function sectionZero(agent: Agent, input: string, scratch: string) {
  const raw = put(join(scratch, "input.txt"), input);
  const parsed = (await agent.run(parse, { "abs-path": raw }, RESOLVE)).json();
  const resolution = join(scratch, "resolution.json");
  const resolved = await agent.run(resolvePlain, { "abs-path": resolution }, RESOLVE);
  expect(resolved.code, resolved.stderr).toBe(0);
  return { parsed, resolution, data: JSON.parse(readFileSync(resolution, "utf8")) as Any };
}

/** A seed file as step 4 asks for it. */
function seedOf(data: Any, flags: string): string {
  const propose = data.gateDecisions.find((one: Any) => one.phaseId === "propose");
  const awaiting = propose?.awaitingHarnesses ?? [];
  return [
    `RESOLVE: ${flags}`,
    `EFFECTIVE: ${data.effective.map(({ id }: Any) => id).join(",")}`,
    ...data.record,
    "memory: no store, empty view",
    `AWAITING(propose): ${awaiting.join(",") || "none"}`,
    "",
  ].join("\n");
}

/** A run that is open, its stores loaded. */
async function openRun(id = "mute-alerts"): Promise<Run> {
  const agent = await makeCraftAgent();
  expect((await agent.run("skills preflight")).json().status).toBe("ok");
  expect((await agent.run("craft driver active", {}, RESOLVE)).code).toBe(1);
  const scratch = await freshScratch(agent);
  const { parsed, resolution, data } = await sectionZero(agent, "MUTE-1", scratch);
  expect(parsed.brief).toBe("MUTE-1");
  const manifest: string = data.manifestPath;
  expect(manifest).toBe(join(agent.repository, ".claude/workflow.md"));

  const withManifest = { "manifest-path": manifest };
  const load = { ...withManifest, "abs-path": join(scratch, "memory.json") };
  expect((await agent.run("craft memory load --manifest", load, RESOLVE)).code).toBe(0);
  const view = { ...withManifest, "abs-path": join(scratch, "intention.json") };
  expect((await agent.run("craft intention consult --all --manifest", view, RESOLVE)).code).toBe(0);
  const gate = "craft gate implementation --resolution <abs-path> --manifest";
  const gated = { ...withManifest, "abs-path": resolution };
  expect((await agent.run(gate, gated, RESOLVE)).stdout.trim()).toBe("test -f src/mute.txt");
  const entry = await agent.run("craft backlog resolve", { ...withManifest, id: parsed.brief }, RESOLVE);
  expect(entry.json()).toMatchObject({ source: "file", state: "open" });

  const seed = put(join(scratch, "seed.txt"), seedOf(data, parsed.flags || "none"));
  const opened = await agent.run(open, { "run-id": id, "abs-path": seed }, RESOLVE);
  expect(opened.code, opened.stderr).toBe(0);
  const [key, ledger] = opened.stdout.trim().split(" ");
  expect(key).toMatch(new RegExp(`^${id}@`));
  expect((await agent.run("craft ledger dir", {}, RESOLVE)).stdout.trim()).toBe(join(ledger!, ".."));

  const file = (name: string, text: string) => put(join(scratch, name), text);
  return {
    agent,
    scratch,
    id,
    resolution,
    manifest,
    file,
    records: () =>
      readFileSync(ledger!, "utf8")
        .trimEnd()
        .split("\n")
        .filter((line) => line.startsWith(`${id} `))
        .map((line) => line.slice(id.length + 1)),
    async record(phase, ...lines) {
      const from = file("record.txt", `${lines.join("\n")}\n`);
      const run = await agent.run(append, { "run-id": id, "phase-id": phase, "abs-path": from }, WALK);
      expect(run.code, run.stderr).toBe(0);
    },
  };
}

/** Walk step 4 and the phase-start marker. */
async function enter({ agent, id, manifest }: Run, phase: string): Promise<string> {
  const values = { "run-id": id, "phase-id": phase, "manifest-path": manifest };
  const block = await agent.run(
    "craft contract-assemble --descriptor-id <phase-id> --manifest <manifest-path>",
    values,
    WALK,
  );
  expect(block.code, block.stderr).toBe(0);
  expect((await agent.run(start, values, WALK)).code).toBe(0);
  return block.stdout;
}

async function gateOf({ agent, resolution, manifest }: Run, phase: string): Promise<string> {
  const values = { "phase-id": phase, "abs-path": resolution, "manifest-path": manifest };
  const run = await agent.run("craft gate <phase-id> --resolution <abs-path> --manifest", values, WALK);
  expect(run.code, run.stderr).toBe(0);
  return run.stdout.trim();
}

async function stateOf(run: Run, agent = run.agent): Promise<Any> {
  const ledger = (await agent.run("craft ledger locate --run <run-id>", { "run-id": run.id }, REBUILD)).stdout
    .trim()
    .split(" ")
    .at(-1)!;
  const values = { "run-id": run.id, "abs-path 1": ledger, "abs-path 2": run.resolution };
  return (await agent.run(runState, values, REBUILD)).json();
}

const IMPACT = (reason: string) =>
  `title: retry counter survives\nlocus: src/alerts.txt:L1\nreason: ${reason}\nproof:\n  cat src/alerts.txt\nexpected: alerts\n`;

describe("section 0 of the craft skill, played by its own lines", () => {
  test("skills-craft-run-2 skills-craft-run-3 skills-craft-run-4 skills-craft-run-5 what does not resolve opens nothing", async () => {
    const agent = await makeCraftAgent();
    const scratch = await freshScratch(agent);
    const flagsOnly = put(join(scratch, "input.txt"), "--profile lean");
    const parsed = (await agent.run(parse, { "abs-path": flagsOnly }, RESOLVE)).json();
    expect(parsed).toMatchObject({ profile: "lean", brief: "" });

    const flags = {
      "phase-id": "refactoring",
      "assignment 1": "review.passes=2",
      "assignment 2": "push=never",
    };
    const out = { "abs-path": join(scratch, "resolution.json") };
    const missing = await agent.run(
      resolveWithFlags,
      { ...flags, ...out, "name 1": "nope", "name 2": "lean" },
      RESOLVE,
    );
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    for (const scope of ["./.claude/craft-nope.md", "~/.claude/craft-nope.md"])
      expect(missing.stderr).toContain(scope);
    expect(missing.stderr).not.toContain("workflow.md");
    expect((await agent.run("craft config-resolve", { name: "nope" }, RESOLVE)).code).toBe(1);

    put(join(agent.repository, ".claude/craft-night.md"), MANIFEST.replace("source: file", "source: 5"));
    const invalid = join(agent.repository, ".claude/craft-night.md");
    expect((await agent.run("craft manifest-lint", { "manifest-path": invalid }, RESOLVE)).code).toBe(2);
    const linted = await agent.run(
      resolveWithFlags,
      { ...flags, ...out, "name 1": "night", "name 2": "lean" },
      RESOLVE,
    );
    expect(linted).toMatchObject({ code: 2, stdout: "" });

    put(invalid, MANIFEST);
    const good = await agent.run(
      resolveWithFlags,
      { ...flags, ...out, "name 1": "night", "name 2": "lean" },
      RESOLVE,
    );
    expect(good.code, good.stderr).toBe(0);
    const stranded = { ...flags, ...out, "name 1": "night", "name 2": "lean", "phase-id": "workspace" };
    const strands = await agent.run(resolveWithFlags, stranded, RESOLVE);
    expect(strands).toMatchObject({ code: 2, stdout: "" });
    expect(strands.stderr).toContain("workspace");
    const alone = { "manifest-path": invalid, "abs-path": join(scratch, "alone.json") };
    expect((await agent.run("craft pipeline-resolve", alone, RESOLVE)).code).toBe(0);
    expect(existsSync(join(agent.repository, ".git/craft-runs"))).toBe(false);
  });

  test("skills-craft-run-21 without a manifest no line carries one, and the run goes on", async () => {
    const agent = await makeCraftAgent(null);
    const scratch = await freshScratch(agent);
    const { data, resolution } = await sectionZero(agent, "add a mute", scratch);
    expect(data.manifestPath).toBeNull();
    const view = { "abs-path": join(scratch, "view.json") };
    expect((await agent.run("craft memory load --out", view, RESOLVE)).code).toBe(0);
    const intention = { "abs-path": join(scratch, "intention.json") };
    expect((await agent.run("craft intention consult --all --out", intention, RESOLVE)).code).toBe(0);
    const ungated = "craft gate implementation --resolution <abs-path>";
    expect((await agent.run(ungated, { "abs-path": resolution }, RESOLVE)).code).toBe(1);
    const seed = put(join(scratch, "seed.txt"), seedOf(data, "none"));
    expect((await agent.run(open, { "run-id": "add-mute", "abs-path": seed }, RESOLVE)).code).toBe(0);
    const planning = { "phase-id": "planning", "abs-path": resolution };
    const gate = await agent.run("craft gate <phase-id> --resolution <abs-path>", planning, WALK);
    expect(gate.stdout.trim()).toBe("plan-lint");
    const none = { "phase-id": "implementation", "abs-path": resolution };
    expect((await agent.run("craft gate <phase-id> --resolution <abs-path>", none, WALK)).code).toBe(1);
    const delta = put(join(scratch, "delta.json"), "[]");
    const save = { "abs-path 1": delta, "abs-path 2": view["abs-path"], "run-id": "add-mute" };
    expect((await agent.run("craft memory save --delta", save, DONE)).code).toBe(0);
  });

  test("skills-craft-run-6 skills-craft-run-7 a seeded ledger, and a second open that writes nothing", async () => {
    const run = await openRun();
    const records = run.records().map((line) => line.replace(/^resolve /, ""));
    expect(records[0]).toMatch(/^RESOLVE: none$/);
    expect(records[1]).toMatch(/^EFFECTIVE: workspace,design,/);
    expect(records.at(-1)).toBe("AWAITING(propose): validation");

    const values = { "run-id": run.id, "abs-path": join(run.scratch, "seed.txt") };
    const refused = await run.agent.run(open, values, RESOLVE);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(new RegExp(`run-id ${run.id} already open since \\d{4}-`));
    expect(run.records().map((line) => line.replace(/^resolve /, ""))).toEqual(records);
    // Option 2.
    expect((await run.agent.run("craft ledger close", values, RESOLVE)).code).toBe(0);
    expect((await run.agent.run(open, values, RESOLVE)).code).toBe(0);
  });
});

describe("the walk", () => {
  test("skills-craft-run-8 skills-craft-run-9 skills-craft-run-10 skills-craft-run-11 skipped, waited for, released", async () => {
    const run = await openRun();
    await run.record("review", "auto-skip: review — evaluated unnecessary (no source diff in scope)");
    expect(run.records().filter((line) => /PHASE-/.test(line))).toEqual([]);
    expect((await stateOf(run)).completed).toContain("review");

    // Validation runs in the background: propose waits, documentation is recorded meanwhile.
    await enter(run, "validation");
    await run.record(
      "validation",
      `HARNESS-BG(validation:mutation): pid=${process.pid} out=${run.file("raw.txt", "")} spec=none`,
    );
    await enter(run, "documentation");
    await run.record("documentation", "PHASE-DONE(documentation): README updated");
    const waiting = await stateOf(run);
    expect(waiting.background).toMatchObject([{ phase: "validation", alive: true }]);
    expect(waiting.awaitingHarnesses).toEqual(["validation"]);

    await run.record(
      "validation",
      "PHASE-DONE(validation): nothing to check",
      "NO-OP(validation): no technique applies",
    );
    const released = await stateOf(run);
    expect(released.completed).toContain("validation");

    // A default phase whose skill is missing has a built-in brief; an inserted one has none.
    const phases = run.agent.text(PHASES.file);
    const ids = JSON.parse(readFileSync(run.resolution, "utf8")).effective.map(({ id }: Any) => id);
    for (const id of ids) expect(phases).toMatch(new RegExp(`^## ${id}\\b`, "m"));
    expect(phases).not.toContain("## bench");
    const [stop] = /`(procedure <phase.procedure> resolves to no installed skill)`/
      .exec(run.agent.text(WALK.file))!
      .slice(1);
    expect(stop).toBe("procedure <phase.procedure> resolves to no installed skill");
  });

  test("skills-craft-run-12 a model that is overloaded, then given up", async () => {
    const run = await openRun();
    const values = {
      role: "reviewer",
      "phase-id": "review",
      "abs-path": run.resolution,
      "manifest-path": run.manifest,
    };
    const select =
      "craft model select <role> --phase <phase-id> --resolution <abs-path> --manifest <manifest-path>";
    const first = (await run.agent.run(select, values, INVARIANTS)).stdout.trim();
    const classify = async (text: string) =>
      (
        await run.agent.run("craft model classify", { "abs-path": run.file("error.txt", text) }, INVARIANTS)
      ).stdout.trim();
    expect(await classify("HTTP 529 overloaded_error")).toBe("overload");
    expect(await classify("model not found: 404")).not.toBe("overload");
    await run.record("review", `MODEL-RETRY(reviewer): ${first} overload`);
    const degraded = { ...values, tier: first };
    const fallback = (await run.agent.run(`${select} --degraded`, degraded, INVARIANTS)).stdout.trim();
    expect(fallback).not.toBe(first);
    await run.record("review", `MODEL-DEGRADED(${first}): fallback=${fallback} cause=overload`);
    expect(run.records().filter((line) => /MODEL-/.test(line))).toHaveLength(2);
  });

  test("skills-craft-run-13 skills-craft-run-14 impacts are deferred with a proof or not at all", async () => {
    const run = await openRun();
    const defer = async (text: string) =>
      run.agent.run(
        "craft ledger defer",
        { "run-id": run.id, "phase-id": "review", "abs-path": run.file("impact.txt", text) },
        INVARIANTS,
      );
    const before = run.records();
    const refused = await defer(IMPACT("out of scope").replace(/proof:\n.*\n/, ""));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("proof");
    expect(run.records()).toEqual(before);
    expect((await defer(IMPACT("out of scope"))).stdout.trim()).toBe("I1");
    expect(run.records().at(-1)).toBe("review DEFERRED(src/alerts.txt): I1 retry counter survives");
    const reasons = /`reason` is one of (.*?)\. Refused/s.exec(run.agent.text(INVARIANTS.file))![1]!;
    const [last] = [...reasons.matchAll(/`([^`]+)`/g)].map(([, reason]) => reason!).slice(-1);
    const red = IMPACT(last!)
      .replace("retry counter survives", "a red fold")
      .replace("expected: alerts", "expected: 1 failing");
    expect((await defer(red)).stdout.trim()).toBe("I2");

    const shown = await run.agent.run("craft ledger show <run-id> --impacts", { "run-id": run.id }, PHASES);
    expect(shown.stdout).toContain("a red fold");
    const verdicts = run.file(
      "verdicts.txt",
      "id: I1\nverdict: wont-do\nrationale: by design\n\nid: I2\nverdict: backlog:candidate\nrationale: real\n",
    );
    const judged = await run.agent.run(
      "craft ledger verdict",
      { "run-id": run.id, "abs-path": verdicts },
      PHASES,
    );
    expect(judged.code, judged.stderr).toBe(0);
    expect(run.records().slice(-2)).toEqual([
      "impact-triage TRIAGED(I1): wont-do — by design",
      "impact-triage TRIAGED(I2): backlog:candidate — real",
    ]);
  });
});

describe("a whole run", () => {
  test("skills-craft-run-15 skills-craft-run-16 skills-craft-run-18 skills-craft-run-20 skills-craft-run-22 skills-craft-run-23 from parse to close, with a compaction in the middle", async () => {
    const run = await openRun();
    const { agent, id, resolution, manifest } = run;
    const main = agent.repository;
    const phase = (name: string, more: Record<string, string> = {}) => ({
      "run-id": id,
      "phase-id": name,
      "manifest-path": manifest,
      "abs-path": resolution,
      ...more,
    });

    // workspace
    await enter(run, "workspace");
    const isolate = (
      await agent.run(consult, { action: "isolate", "abs-path": resolution }, INVARIANTS)
    ).json();
    expect(isolate.surface).toBe("proceed");
    const tree = join(main, `../${id}-tree`);
    git(main, "worktree", "add", "-q", tree, "-b", `feat/${id}`);
    const setup = "craft worktree setup <abs-path>";
    expect((await agent.run(setup, { "abs-path": tree }, PHASES)).code).toBe(0);
    const script = put(join(run.scratch, "post-setup"), '#!/bin/sh\ntouch "$1/ready"\n');
    git(main, "config", "core.excludesFile", put(join(run.scratch, "ignore"), "ready\n"));
    chmodSync(script, 0o755);
    const withScript = await agent.run(
      `${setup} <script-path>`,
      { "abs-path": tree, "script-path": script },
      PHASES,
    );
    expect(withScript.code, withScript.stderr).toBe(0);
    expect(existsSync(join(tree, "ready"))).toBe(true);
    expect(await gateOf(run, "workspace")).toBe("");
    await run.record("workspace", isolate.tokens.done, `PHASE-DONE(workspace): feat/${id}, base main`);

    // design, inline: the block is the session's own, the hints come from the base.
    const inline = await agent.run(
      "craft contract-assemble --descriptor-id <phase-id> --manifest <manifest-path> --inline",
      phase("design"),
      WALK,
    );
    expect(inline.stdout).toContain("Producer");
    expect((await agent.run(start, phase("design"), WALK)).code).toBe(0);
    const lessons = { ...phase("design"), "lessons-dir": "docs/lessons/" };
    expect(
      (
        await agent.run("craft lessons-hint --phase <phase-id> --max 3 --dir <lessons-dir> --diff", lessons, {
          ...WALK,
          cwd: tree,
        })
      ).code,
    ).toBe(0);
    const paths = { ...lessons, "abs-path": run.file("paths.txt", "src/alerts.txt\n") };
    const hinted = "craft lessons-hint --phase <phase-id> --max 3 --dir <lessons-dir> --diff --from";
    expect((await agent.run(hinted, paths, { ...WALK, cwd: tree })).code).toBe(0);
    put(join(tree, `docs/design/${id}.md`), "# Mutes\n\n## Decision-candidates\n\nNone.\n");
    git(tree, "add", "docs");
    git(tree, "commit", "-q", "-m", `docs(design): ${id}`);
    await run.record("design", "PHASE-DONE(design): mutes with an end", "inline: design — ran in-session");
    await run.record("decisions", "auto-skip: decisions — evaluated unnecessary (no candidates)");

    // planning, its gate the plan lint
    await enter(run, "planning");
    expect(await gateOf(run, "planning")).toBe("plan-lint");
    const plan = put(
      join(tree, `docs/plan/${id}.md`),
      "# Plan\n\n## Part 1\n\n### Context\n\n`src/mute.txt`\n\n### TDD steps\n\n1. red\n",
    );
    const lint = () => agent.run("craft plan-lint", { "plan-path": plan }, { ...PHASES, cwd: tree });
    expect((await lint()).code).toBe(2);
    writeFileSync(plan, `${readFileSync(plan, "utf8")}\n### Gate\n\ntrue\n\n### Commit\n\nfeat: mute\n`);
    expect((await lint()).code).toBe(0);
    git(tree, "add", "docs");
    git(tree, "commit", "-q", "-m", `docs(plan): ${id}`);
    await run.record("planning", "PHASE-DONE(planning): 1 part", "GATE(planning): green");

    // implementation
    await enter(run, "implementation");
    expect(await gateOf(run, "implementation")).toBe("test -f src/mute.txt");
    const tip = git(tree, "rev-parse", "--short", "HEAD").trim();
    await run.record("implementation", `PART(1): ${tip} size=? outcome=blocked`);
    expect((await stateOf(run)).parts).toMatchObject([{ n: 1, sha: tip, outcome: "blocked" }]);
    put(join(tree, "src/mute.txt"), "until\n");
    git(tree, "add", "src");
    git(tree, "commit", "-q", "-m", "feat: mute");
    const sha = git(tree, "rev-parse", "--short", "HEAD").trim();
    await run.record(
      "implementation",
      `PART(1): ${sha} size=pure-module outcome=pass`,
      "GATE(implementation): green",
      "PHASE-DONE(implementation): 1 part",
    );

    // review, round 1: two of four dimensions are in when the conversation is compacted.
    expect(await enter(run, "review")).toContain("Reading harness");
    for (const dimension of ["code", "security"]) {
      const raw = run.file(`${dimension}.txt`, "LOW src/mute.txt:1 — no newline check | add one\n");
      const out = join(run.scratch, `${dimension}-c1.json`);
      const normal = await agent.run(
        "craft normalize-findings",
        { "abs-path 1": raw, "abs-path 2": out },
        PHASES,
      );
      expect(normal.stdout.trim()).toBe(`${out} n=1`);
      await run.record("review", `FINDINGS(${dimension}): c1 ${normal.stdout.trim()}`);
    }

    // A new session takes over: nothing is appended before it knows where it stands.
    const atCompaction = run.records();
    expect((await agent.run("craft ledger show", {}, REBUILD)).stdout).toMatch(
      new RegExp(`^${id} \\S+ /.+\n$`),
    );
    const bound = await agent.run("craft ledger locate --run <run-id> --bind", { "run-id": id }, REBUILD);
    const [key, ledger] = bound.stdout.trim().split(" ");
    expect(key).toMatch(new RegExp(`^${id}@`));
    const second = await freshScratch(agent);
    const again = await sectionZero(agent, "MUTE-1", second);
    const state = await stateOf({ ...run, resolution: again.resolution });
    expect(state).toMatchObject({
      completed: ["workspace", "design", "decisions", "planning", "implementation"],
      inFlight: [{ phase: "review" }],
      next: "refactoring",
      awaitingHarnesses: ["validation"],
    });
    expect(state.findings.map(({ dimension }: Any) => dimension)).toEqual(["code", "security"]);
    expect(state.parts).toMatchObject([{ size: "pure-module", outcome: "pass" }]);
    expect(run.records()).toEqual(atCompaction);

    // Flags or manifest changed meanwhile: a blocker.
    const changed = put(
      join(second, "changed.json"),
      readFileSync(again.resolution, "utf8").replace(
        /"awaitingHarnesses": \[\s*"validation"\s*\]/,
        '"awaitingHarnesses": []',
      ),
    );
    const mismatch = { "run-id": id, "abs-path 1": ledger!, "abs-path 2": changed };
    expect((await agent.run(runState, mismatch, REBUILD)).code).toBe(1);

    // The missing dimensions, without a second phase start.
    for (const dimension of ["tests", "perf"]) {
      const raw = put(join(second, `${dimension}.txt`), "NONE\n");
      const out = join(second, `${dimension}-c1.json`);
      const normal = await agent.run(
        "craft normalize-findings",
        { "abs-path 1": raw, "abs-path 2": out },
        PHASES,
      );
      await run.record("review", `FINDINGS(${dimension}): c1 ${normal.stdout.trim()}`);
    }
    await run.record("review", "GATE(review): green", "PHASE-DONE(review): all LOW");
    expect(run.records().filter((line) => line.includes("PHASE-START(review)"))).toHaveLength(1);
    await run.record("refactoring", "auto-skip: refactoring — evaluated unnecessary (one small file)");

    // validation: an inserted descriptor's form of the block, criteria, digest, freshness
    const descriptor = phase("validation");
    const assembled = await agent.run(
      "craft contract-assemble --descriptor-id <phase-id> --manifest <manifest-path> --descriptor-json",
      descriptor,
      WALK,
    );
    expect(assembled.stdout).toContain("Executing harness");
    expect((await agent.run(start, descriptor, WALK)).code).toBe(0);
    const dod = put(
      join(tree, "docs/DOD.md"),
      "---\ncriteria:\n  - id: built\n    kind: auto\n    assert:\n      file-exists: src/mute.txt\n---\n# Done\n",
    );
    const asserted = await agent.run(
      "craft dod-assert",
      { "dod-path": dod, "repo-root": tree, "green-ids": "implementation" },
      PHASES,
    );
    expect(asserted.code, asserted.stderr).toBe(0);
    const canonical = join(second, "canonical.json");
    const raw = put(
      join(second, "mutants.txt"),
      "MEDIUM src/mute.txt:1 — survives\nMEDIUM src/alerts.txt:9 — outside\n",
    );
    await agent.run("craft normalize-findings", { "abs-path 1": raw, "abs-path 2": canonical }, PHASES);
    const scope = put(join(second, "scope.txt"), "src/mute.txt:*\n");
    const filtered = await agent.run(
      "craft filter-findings",
      { "abs-path 1": scope, "repo-root": tree, "abs-path": canonical, "abs-path 2": canonical },
      PHASES,
    );
    expect(filtered.json()).toHaveLength(1);
    const fresh = { "manifest-path": manifest, "abs-path": join(tree, `docs/design/${id}.md`) };
    expect((await agent.run("craft intention assert-fresh", fresh, { ...PHASES, cwd: tree })).code).toBe(0);
    git(tree, "add", "docs");
    git(tree, "commit", "-q", "-m", "docs: definition of done");
    await run.record(
      "validation",
      "verify: DoD met — built",
      "GATE(validation): green",
      "PHASE-DONE(validation): benign",
    );
    await run.record("documentation", "auto-skip: documentation — evaluated unnecessary (no page)");

    // lessons: the example of the text is a lesson
    await enter(run, "lessons");
    const example = agent
      .text(PHASES.file)
      .split("\n")
      .filter((line) => line.startsWith("> "))
      .concat("")
      .map((line) => line.slice(2));
    const lesson = put(
      join(tree, "docs/lessons/reset.md"),
      example.join("\n").replace("# Reset", "\n# Reset"),
    );
    expect((await agent.run("craft lessons-lint", { "abs-path": lesson }, PHASES)).stderr).toBe("");
    git(tree, "add", "docs");
    git(tree, "commit", "-q", "-m", "docs(lessons): reset");
    await run.record("lessons", "LESSONS: docs/lessons/reset.md (new)", "PHASE-DONE(lessons): 1 draft");
    await run.record(
      "impact-triage",
      "auto-skip: impact-triage — evaluated unnecessary (no deferred findings)",
    );

    // propose and integrate without a remote
    await enter(run, "propose");
    expect(await gateOf(run, "propose")).toBe("");
    expect((await agent.run("craft hygiene-gate", { "manifest-path": manifest }, PHASES)).stdout.trim()).toBe(
      "advisory",
    );
    const body = put(join(second, "body.md"), "## Background\n\nA robust mute.\n");
    const prose = await agent.run("craft prose-lint", { "abs-path": body }, PHASES);
    expect(prose).toMatchObject({ code: 0, stdout: expect.stringContaining("SLOP-FOUND(") });
    await run.record("propose", "PHASE-DONE(propose): no remote", "NO-OP(propose): no remote");
    git(main, "merge", "-q", "--no-edit", `feat/${id}`);
    const teardown = "craft worktree teardown <main-repo-dir> <abs-path> --keep-changes";
    const trees = { "main-repo-dir": main, "abs-path": tree, "script-path": script };
    put(join(tree, ".craft-validation.lock"), `${process.pid} 2026-01-31T09:30:00Z\n`);
    expect((await agent.run(`${teardown} --pre-teardown`, trees, PHASES)).code).toBe(3);
    rmSync(join(tree, ".craft-validation.lock"));
    put(join(tree, "notes.txt"), "not committed\n");
    const torn = await agent.run(teardown, trees, PHASES);
    expect(torn.code, torn.stderr).toBe(0);
    expect(torn.stdout).toContain(`local branch deleted: feat/${id}`);
    expect(existsSync(tree)).toBe(false);
    expect(git(main, "show", "stash@{0}^3:notes.txt")).toBe("not committed\n");
    await run.record("integrate", "PHASE-DONE(integrate): merged locally", "NO-OP(integrate): no remote");
    expect((await stateOf(run)).next).toBeNull();

    // closing steps, from the main checkout
    const delta = put(
      join(second, "delta.json"),
      /`(\[\{"concern".*?\}\])`/.exec(agent.text(DONE.file))![1]!,
    );
    const save = {
      "manifest-path": manifest,
      "abs-path 1": delta,
      "abs-path 2": join(run.scratch, "memory.json"),
      "run-id": id,
    };
    const saved = await agent.run("craft memory save --manifest", save, DONE);
    expect(saved.code, saved.stderr).toBe(0);
    const store = readFileSync(join(main, ".claude/craft-memory.md"), "utf8");
    expect(store).toContain("npm test");
    expect(store).toContain("pure-module");
    const emit = "craft metrics emit --run <run-id>";
    const metrics = await agent.run(emit, { "run-id": id }, DONE);
    expect(metrics.code).toBe(0);
    const since = { "run-id": id, "phase-id": "validation", iso8601: "2026-01-31T09:30:00Z" };
    expect((await agent.run(`${emit} --phase`, since, DONE)).code).toBe(0);
    expect(
      (await agent.run(`${emit} --session`, { "run-id": id, "session-id": "session-1" }, DONE)).code,
    ).toBe(0);
    const record = await agent.run("craft ledger show <run-id>", { "run-id": id }, DONE);
    expect(record.stdout).toContain("PHASE-DONE(integrate): merged locally");
    for (const _ of [1, 2]) {
      expect(await agent.run("craft ledger close", { "run-id": id }, DONE)).toMatchObject({ code: 0 });
    }
    expect((await agent.run("craft ledger locate --run <run-id>", { "run-id": id }, REBUILD)).stdout).toBe(
      "",
    );
    expect(await agent.run("craft driver active", {}, INVARIANTS)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "",
    });
    expect((await agent.run("skills show", { file: "references/rebuild.md" })).stdout).toBe(
      agent.text(REBUILD.file),
    );
  });
});

describe("a driven run", () => {
  const status = (directory: string) => readFileSync(join(directory, "status"), "utf8");

  async function driven(): Promise<{ run: Run; state: string }> {
    const run = await openRun();
    const state = tempDir();
    run.agent.env["CRAFT_DRIVER_STATE"] = state;
    expect((await run.agent.run("craft driver active", {}, RESOLVE)).stdout.trim()).toBe(state);
    return { run, state };
  }

  test("skills-craft-run-17 nobody to ask: the merge degrades to a blocker, the status is written last", async () => {
    const { run, state } = await driven();
    const values = { action: "integrate", "abs-path": run.resolution };
    const asked = (await run.agent.run(consult, values, INVARIANTS)).json();
    expect(asked.surface).toBe("ask-then-proceed");
    const headless = (await run.agent.run(consultHeadless, values, INVARIANTS)).json();
    expect(headless.surface).toBe("degrade-to-blocker");
    await run.record("integrate", headless.tokens.degraded);
    expect(readdirSync(state)).toEqual([]);
    const reason = run.file("reason.txt", "nobody can approve the merge\n");
    const blocked = { "phase-id": "integrate", "abs-path": reason };
    expect((await run.agent.run("craft driver blocked", blocked, INVARIANTS)).code).toBe(0);
    expect(status(state)).toMatch(/^BLOCKED integrate\n/);
    expect(run.records().at(-1)).toBe("integrate POLICY(degraded:integrate)");
  });

  test("skills-craft-run-24 a declined merge: closing steps, then blocked with what is not merged", async () => {
    const { run, state } = await driven();
    const { tokens } = (
      await run.agent.run(consult, { action: "integrate", "abs-path": run.resolution }, INVARIANTS)
    ).json();
    expect(tokens.declined).toBe("POLICY(ask:integrate→declined)");
    await run.record("integrate", tokens.declined, "PHASE-DONE(integrate): not merged");
    const delta = run.file("delta.json", "[]");
    const save = {
      "manifest-path": run.manifest,
      "abs-path 1": delta,
      "abs-path 2": join(run.scratch, "memory.json"),
      "run-id": run.id,
    };
    expect((await run.agent.run("craft memory save --manifest", save, DONE)).code).toBe(0);
    expect((await run.agent.run("craft metrics emit --run <run-id>", save, DONE)).code).toBe(0);
    expect((await run.agent.run("craft ledger close", save, DONE)).code).toBe(0);
    const reason = run.file("reason.txt", "not merged https://example.invalid/pull/7\n");
    const blocked = { "phase-id": "integrate", "abs-path": reason };
    expect((await run.agent.run("craft driver blocked", blocked, INVARIANTS)).code).toBe(0);
    expect(status(state)).toContain("not merged https://example.invalid/pull/7");
  });

  test("skills-craft-run-19 a prompt that reads as --policy: finished without the election", async () => {
    const { run, state } = await driven();
    const election = await freshScratch(run.agent);
    const elect = { "manifest-path": run.manifest, "abs-path": election };
    const elected = await run.agent.run("craft backlog elect", elect, DONE);
    expect(elected.code, elected.stderr).toBe(0);
    const prompt = put(join(election, "next.prompt"), "/craft:run MUTE-2 --pоlicy push=always\n");
    const values = {
      url: "https://example.invalid/pull/7",
      "abs-path 1": join(election, "next.md"),
      "abs-path 2": prompt,
    };
    expect((await run.agent.run(finishedWithElection, values, DONE)).code).toBe(3);
    expect(readdirSync(state)).toEqual([]);
    expect((await run.agent.run(finished, values, DONE)).code).toBe(0);
    expect(status(state)).toMatch(/^FINISHED https:\/\/example\.invalid\/pull\/7\n/);
    expect(readdirSync(state)).toEqual(["status"]);
    expect((await run.agent.run(finished, values, DONE)).code).toBe(4);
  });
});
