import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { templateOf } from "../../../src/flow/memory/text/files.ts";
import { runJig } from "../../support/run.ts";
import { runUnprivileged } from "../../support/unprivileged.ts";
import { readLog, readWorkflow } from "../written.ts";
import { type MemoryWorld, memoryWorld, PERMIT, PROJECT, WF } from "./world.ts";

const OWN = `.craftflow/state/workflows/${WF}`;
const NOW = Date.parse("2026-07-06T15:00:00Z");

async function finalized(world: MemoryWorld, input: unknown, wf = WF) {
  return world.flow(["memory", "finalize", wf, "--from", "-"], { stdin: JSON.stringify(input), now: NOW });
}

/** The lines of a section in a file of the project. */
function section(world: MemoryWorld, path: string, name: string): string[] {
  const text = world.read(path);
  const body = text.slice(text.indexOf(`## ${name}\n`) + name.length + 4).split("\n## ", 1)[0]!;
  return body.split("\n").filter((line) => line.trim() !== "");
}

describe("memory finalize", () => {
  test("each field goes where it belongs, and the workflow is done", async () => {
    const world = memoryWorld();
    world.workflow(
      WF,
      { memory_notes: ["x"], telemetry: { task_metrics_available: "unknown", x_future: 1 } },
      [
        { event: "agent_started", agent: "component-builder", ts: "2026-07-06T14:20:00Z" },
        { event: "agent_completed", agent: "component-builder", ts: "2026-07-06T14:20:30+00:00" },
        { event: "agent_started", agent: "planner", ts: "2026-07-06T14:30:00Z" },
      ],
    );
    const log = join(world.layout.events(WF));
    writeFileSync(
      log,
      readFileSync(log, "utf8").replace(
        '"workflow_started"',
        '"workflow_started","ts":"2026-07-06T14:12:03Z"',
      ),
    );
    const input = {
      learnings: ["learned", { text: "low", confidence: 0.1 }],
      promote: [{ text: "shared", confidence: 0.9 }],
      patterns: [{ text: "gotcha", confidence: 1, provenance: "organic" }],
      verification: ["npm test: exit 0"],
      deferred: ["later\nthis"],
      summary: "Login page",
      tasks: ["a: done", "b: open"],
    };
    const run = await finalized(world, input);
    expect(run).toMatchObject({
      code: 0,
      stderr: "Warning: dropping note below confidence threshold (0.7): low\n",
    });
    expect(section(world, `${OWN}/activeContext.md`, "Learnings")).toEqual([
      "- learned (conf: 0.8)",
      "- shared (conf: 0.9)",
    ]);
    expect(section(world, `${PROJECT}/activeContext.md`, "Learnings")).toEqual(["- shared (conf: 0.9)"]);
    expect(section(world, `${PROJECT}/patterns.md`, "Common Gotchas")).toEqual([
      "- gotcha (conf: 1.0, organic)",
    ]);
    expect(section(world, `${OWN}/progress.md`, "Verification")).toEqual(["- npm test: exit 0"]);
    expect(section(world, `${OWN}/activeContext.md`, "Next Steps")).toEqual(["- [Deferred]: later this"]);
    expect(section(world, `${PROJECT}/progress.md`, "Completed")).toEqual(["- Login page"]);
    expect(section(world, `${OWN}/progress.md`, "Tasks")).toEqual(["- a: done", "- b: open"]);
    const artifact = readWorkflow(world.root, WF);
    expect(artifact).toMatchObject({
      memory_notes: [],
      updated_at: "2026-07-06T15:00:00Z",
      telemetry: {
        task_metrics_available: "event_log",
        x_future: 1,
        workflow_wall_clock_seconds: 2_877,
        agent_wall_clock_seconds: { builder: 30 },
      },
    });
    expect(artifact["status_history"].at(-1)).toMatchObject({ event: "memory_finalized" });
    expect(readLog(world.root, WF).at(-1)).toMatchObject({
      event: "memory_finalized",
      ts: "2026-07-06T15:00:00Z",
    });
    expect(existsSync(join(world.root, PERMIT))).toBe(false);

    const before = [`${OWN}/activeContext.md`, `${OWN}/progress.md`, `${PROJECT}/patterns.md`].map(
      world.read,
    );
    expect((await finalized(world, input)).code).toBe(0);
    expect(
      [`${OWN}/activeContext.md`, `${OWN}/progress.md`, `${PROJECT}/patterns.md`].map(world.read),
    ).toEqual(before);
    expect(readLog(world.root, WF).filter(({ event }) => event === "memory_finalized")).toHaveLength(1);
  });

  test("flow-39 the bullet over the cap is in the archive, the section has sixty and a pointer", async () => {
    const world = memoryWorld();
    world.workflow();
    const bullets = Array.from({ length: 60 }, (_, index) => `- gotcha ${index}\n`).join("");
    world.write(
      `${PROJECT}/patterns.md`,
      templateOf("patterns.md").replace("## Common Gotchas\n", `## Common Gotchas\n${bullets}`),
    );
    expect((await finalized(world, { patterns: ["the newest"] })).code).toBe(0);
    const archive = `${PROJECT}/archive/common-gotchas-2026-07.md`;
    expect(world.read(archive)).toBe("- gotcha 0\n");
    const lines = section(world, `${PROJECT}/patterns.md`, "Common Gotchas");
    expect(lines).toHaveLength(61);
    expect(lines.slice(-2)).toEqual([
      "- the newest (conf: 0.8)",
      `- Older entries archived: see .craftflow/state/project/archive/common-gotchas-2026-07.md (conf: 1.0, organic)`,
    ]);
    expect(existsSync(join(world.root, PERMIT))).toBe(false);
    expect(readLog(world.root, WF).at(-1)).toMatchObject({ event: "memory_finalized" });
  });

  test("flow-40 memory that cannot be written: exit 1, no permit, not finalized", async () => {
    const world = memoryWorld();
    world.workflow();
    const patterns = world.write(`${PROJECT}/patterns.md`, templateOf("patterns.md"));
    for (const one of [".craftflow", ".craftflow/state", ".craftflow/state/workflows", OWN]) {
      chmodSync(join(world.root, one), 0o777);
    }
    chmodSync(world.base, 0o755);
    chmodSync(patterns, 0o444);
    chmodSync(join(patterns, ".."), 0o555);
    const input = world.write("in.json", JSON.stringify({ learnings: ["l"], patterns: ["p"] }));
    const run = await runUnprivileged(["flow", "memory", "finalize", WF, "--from", input], {
      cwd: world.root,
      env: { HOME: world.home },
    });
    expect(run).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("patterns.md") });
    expect(existsSync(join(world.root, PERMIT))).toBe(false);
    expect(readLog(world.root, WF).map(({ event }) => event)).not.toContain("memory_finalized");
    expect(world.read(`${PROJECT}/patterns.md`)).toBe(templateOf("patterns.md"));
    chmodSync(join(patterns, ".."), 0o755);
  });

  test("flow-60 two finalizes at once, twenty times over: every pattern of both is kept", async () => {
    const world = memoryWorld();
    const [one, other] = [
      world.workflow("wf-a-20260706-141203-aaaaaaaa"),
      world.workflow("wf-b-20260706-141203-bbbbbbbb"),
    ];
    for (let round = 0; round < 20; round++) {
      const runs = await Promise.all(
        [one, other].map((wf) =>
          runJig(["flow", "memory", "finalize", wf, "--from", "-"], {
            cwd: world.root,
            env: { HOME: world.home },
            stdin: JSON.stringify({
              patterns: [`pattern ${round} of ${wf}`],
              summary: `round ${round} of ${wf}`,
            }),
          }),
        ),
      );
      expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
        { code: 0, stderr: "" },
        { code: 0, stderr: "" },
      ]);
    }
    const [patterns, progress] = [world.read(`${PROJECT}/patterns.md`), world.read(`${PROJECT}/progress.md`)];
    for (const wf of [one, other]) {
      for (let round = 0; round < 20; round++) {
        expect(patterns).toContain(`- pattern ${round} of ${wf} (conf: 0.8)\n`);
        expect(progress).toContain(`- round ${round} of ${wf}\n`);
      }
      expect(readLog(world.root, wf).filter(({ event }) => event === "memory_finalized")).toHaveLength(1);
    }
    expect(existsSync(join(world.root, PERMIT))).toBe(false);
  });

  test("flow-60 tasks replace the body; debug_result on a BUILD is a usage error, nothing written", async () => {
    const world = memoryWorld();
    world.workflow();
    world.write(`${OWN}/progress.md`, "## Tasks\n- old\ntext\n## Completed\n");
    expect((await finalized(world, { tasks: ["a: done"] })).code).toBe(0);
    expect(section(world, `${OWN}/progress.md`, "Tasks")).toEqual(["- a: done"]);
    const fresh = memoryWorld();
    const artifact = readFileSync(fresh.layout.artifact(fresh.workflow()), "utf8");
    expect(await finalized(fresh, { debug_result: "found", patterns: ["x"] })).toMatchObject({
      code: 2,
      stdout: "",
    });
    expect(existsSync(join(fresh.root, PROJECT))).toBe(false);
    expect(readFileSync(fresh.layout.artifact(WF), "utf8")).toBe(artifact);
  });

  test("debug_result stands below the last reset of this bug hunt, once", async () => {
    const world = memoryWorld();
    world.workflow(WF, { workflow_type: "DEBUG" });
    const other = "wf-other";
    const lines = [
      `[DEBUG-RESET: wf:${WF}]`,
      "- [DEBUG-1]: a",
      `[DEBUG-RESET: wf:${WF}]`,
      "- [DEBUG-2]: b",
      `[DEBUG-RESET: wf:${other}]`,
    ];
    world.write(`${OWN}/activeContext.md`, `## Recent Changes\n${lines.join("\n")}\n`);
    for (let round = 0; round < 2; round++) {
      expect((await finalized(world, { debug_result: "cache was cold" })).code).toBe(0);
      expect(section(world, `${OWN}/activeContext.md`, "Recent Changes")).toEqual([
        ...lines.slice(0, 3),
        "- cache was cold",
        ...lines.slice(3),
      ]);
    }
  });

  test("only the newest ten of the workflow's Completed stay, the others in an archive", async () => {
    const world = memoryWorld();
    world.workflow();
    const bullets = Array.from({ length: 13 }, (_, index) => `- done ${index}`);
    world.write(`${OWN}/progress.md`, `## Completed\ntext\n${bullets.join("\n")}\n\n## Last Updated\n`);
    await finalized(world, {});
    expect(world.read(`${OWN}/progress.md`)).toBe(
      `## Completed\ntext\n${bullets.slice(3).join("\n")}\n\n## Last Updated\n`,
    );
    expect(world.read(`${OWN}/archive/completed-2026-07.md`)).toBe("- done 0\n- done 1\n- done 2\n");
  });

  test("the task line of this workflow goes, another's stays; a plan is what comes next", async () => {
    const world = memoryWorld();
    world.workflow(WF, { workflow_type: "PLAN", plan_file: "docs/plans/p.md", design_file: "docs/d.md" });
    const mine = `- [craftflow-internal] memory_task_id: 12 wf:${WF}\n`;
    const theirs = `- [cc10x-internal] memory_task_id: 13 wf:${WF}2\n`;
    world.write(
      `${PROJECT}/activeContext.md`,
      templateOf("activeContext.md").replace("## References\n", `## References\n${mine}${theirs}`),
    );
    for (let round = 0; round < 2; round++) {
      expect((await finalized(world, {})).code).toBe(0);
      const file = `${PROJECT}/activeContext.md`;
      expect(section(world, file, "References")).toEqual([
        theirs.trim(),
        "- Plan: docs/plans/p.md",
        "- Design: docs/d.md",
        "- Research: N/A",
      ]);
      expect(section(world, file, "Recent Changes")).toEqual(["- Plan saved: docs/plans/p.md"]);
      expect(section(world, file, "Next Steps")).toEqual(["1. Execute plan: docs/plans/p.md"]);
    }
  });

  test("a plan that waits for clarification is not what comes next", async () => {
    const world = memoryWorld();
    world.workflow(WF, {
      workflow_type: "PLAN",
      plan_file: "p.md",
      planning_review_status: "needs_clarification",
    });
    await finalized(world, {});
    expect(section(world, `${PROJECT}/activeContext.md`, "Next Steps")).toEqual([]);
  });

  test("retractions reach what is there, and make no file", async () => {
    const world = memoryWorld();
    world.workflow();
    expect((await finalized(world, { retractions: ["old"] })).code).toBe(0);
    expect(existsSync(join(world.root, PROJECT, "patterns.md"))).toBe(false);
    world.write(`${PROJECT}/patterns.md`, "## Common Gotchas\n- old (conf: 0.9)\n- new\n");
    world.write(`${OWN}/activeContext.md`, "## Learnings\n- Old\n");
    expect((await finalized(world, { retractions: ["old"], learnings: ["new"] })).code).toBe(0);
    expect(section(world, `${PROJECT}/patterns.md`, "Common Gotchas")).toEqual(["- new"]);
    expect(section(world, `${OWN}/activeContext.md`, "Learnings")).toEqual(["- new (conf: 0.8)"]);
  });

  test("a retraction that matches nothing anywhere is said once; one that matches somewhere is not", async () => {
    const world = memoryWorld();
    world.workflow();
    world.write(`${PROJECT}/patterns.md`, "## Common Gotchas\n- Old  one (conf: 0.9)\n");
    const run = await finalized(world, { retractions: ["- old one", "never\nsaid"], learnings: ["new"] });
    expect(run.code).toBe(0);
    expect(run.stderr).toBe("Warning: nothing to retract reads: never said\n");
  });

  test.each([
    ["a gate", { pending_gate: "clarification" }],
    ["a gate in the older form", { pending_gate: { reason: "x" } }],
    ["an unmerged worktree", { worktree_mode: "auto_created", worktree_path: "/w", worktree_branch: "b" }],
  ])("refused while there is %s: exit 3, nothing written", async (_, fields) => {
    const world = memoryWorld();
    world.workflow(WF, fields);
    expect(await finalized(world, { patterns: ["x"] })).toMatchObject({ code: 3, stdout: "" });
    expect(existsSync(join(world.root, PROJECT))).toBe(false);
  });

  test.each([
    [{ worktree_mode: "auto_created", worktree_path: "/w", worktree_branch: null }],
    [{ worktree_mode: "auto_created", worktree_path: null, worktree_branch: "b" }],
    [{ worktree_mode: "merged_and_removed", worktree_path: "/w", worktree_branch: "b" }],
  ])("a worktree that cannot be merged any more does not hold it up: %j", async (fields) => {
    const world = memoryWorld();
    world.workflow(WF, fields);
    expect((await finalized(world, {})).code).toBe(0);
  });

  test.each([
    ["{", "not JSON"],
    ["[]", "not an object"],
    ['{"learning":[]}', '"learning"'],
    ['{"tasks":"x"}', "tasks must be a list of strings"],
    ['{"patterns":[{"text":"x","confidence":"high"}]}', "patterns[0].confidence"],
    ['{"summary":5}', "summary must be a string"],
  ])("the input %s is a usage error", async (stdin, message) => {
    const world = memoryWorld();
    world.workflow();
    const run = await world.flow(["memory", "finalize", WF, "--from", "-"], { stdin });
    expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(existsSync(join(world.root, PROJECT))).toBe(false);
  });

  test("a run that was cut off before the log said so is finished by the next", async () => {
    const world = memoryWorld();
    world.workflow(WF, { status_history: [{ event: "workflow_started" }, { event: "memory_finalized" }] });
    expect((await finalized(world, {})).code).toBe(0);
    expect(readLog(world.root, WF).at(-1)).toMatchObject({ event: "memory_finalized" });
    expect(readWorkflow(world.root, WF)["status_history"]).toHaveLength(2);
  });

  test("patterns.md at its limit: exit 1, no permit, and the file stays", async () => {
    const world = memoryWorld();
    world.workflow();
    const text = templateOf("patterns.md");
    const path = world.write(`${PROJECT}/patterns.md`, text + "x".repeat((8 << 20) - text.length));
    const run = await finalized(world, { patterns: ["one more"] });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("8388608 are the limit") });
    expect(readFileSync(path).length).toBe(8 << 20);
    expect(existsSync(join(world.root, PERMIT))).toBe(false);
  });
});
