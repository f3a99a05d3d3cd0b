/** A workflow's state: an artifact is the old one or the new one, an event is there or not, and the next call works. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Beginning, createWorkflow } from "../../src/flow/artifact/create.ts";
import { layoutOf } from "../../src/flow/common/layout.ts";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { type Ended, faults } from "./harness.ts";

const WF = "wf-login-20260706-120003-1a2b3c4d";

const BEGINNING: Beginning = {
  ...{ id: WF, at: "2026-07-06T12:00:03Z", request: "login", phase: "build", agentHost: "claude-code" },
  ...{ taskId: null, taskTools: true, sessionId: null, plan: null, design: null, fallbackReason: null },
  ...{ type: "BUILD", writablePaths: [], dropped: [] },
};

// biome-ignore lint/suspicious/noExplicitAny: an artifact as it stands on disk.
type Artifact = Record<string, any>;

/** A project with one workflow, and a call about it. */
function project(words: readonly string[], change: (artifact: Artifact) => unknown = () => {}) {
  const root = tempDir();
  const layout = layoutOf(root);
  createWorkflow({ now: Date.now }, layout, BEGINNING);
  const artifact = () => JSON.parse(readFileSync(layout.artifact(WF), "utf8")) as Artifact;
  const changed = artifact();
  change(changed);
  writeFileSync(layout.artifact(WF), `${JSON.stringify({ ...changed, x_future: { b: 1 } })}\n`);
  const plan = join(root, "plan.json");
  writeFileSync(plan, '[{"phase_id":"p1"},{"phase_id":"p2"}]');
  writeFileSync(join(root, "output.log"), "x".repeat(20_000));
  const given = words.map((word) => word.replace("ROOT", root));
  return {
    directory: layout.state,
    cwd: root,
    env: { HOME: root, PATH: process.env["PATH"] },
    command: [JIG, "flow", ...given, "--project", root],
    layout,
    artifact,
    before: readFileSync(layout.artifact(WF), "utf8"),
  };
}

type Scene = ReturnType<typeof project>;

/** The events that are whole, and what follows the last newline. */
function logOf({ layout }: Scene): { events: Artifact[]; tail: string } {
  const lines = readFileSync(layout.events(WF), "utf8").split("\n");
  const tail = lines.pop()!;
  return { events: lines.map((line) => JSON.parse(line) as Artifact), tail };
}

const leftovers = ({ layout }: Scene) =>
  readdirSync(layout.workflows).filter((name) => name.startsWith(".tmp-"));

/** The next writer finds everything in order, whatever became of the one before. */
async function goesOn(scene: Scene): Promise<void> {
  const words = ["flow", "set", WF, 'design_file="next"', "--project", scene.cwd];
  const run = await runJig(words, { cwd: scene.cwd, env: scene.env });
  expect(run).toMatchObject({ code: 0 });
  expect(scene.artifact()).toMatchObject({ design_file: "next", x_future: { b: 1 } });
}

interface Change {
  words: readonly string[];
  /** What stands in the artifact before. */
  change?: (artifact: Artifact) => unknown;
  /** Whether the artifact is the new one. */
  isNew: (artifact: Artifact) => boolean;
  /** The event of the change, when it has one. */
  event?: string;
}

async function changes(scene: Scene, { code, killed, stderr }: Ended, { isNew, event }: Change) {
  const text = readFileSync(scene.layout.artifact(WF), "utf8");
  const changed = text !== scene.before;
  if (changed) expect(isNew(JSON.parse(text))).toBe(true);
  const { events, tail } = logOf(scene);
  const logged = event === undefined ? changed : events.some((one) => one["event"] === event);
  if (!killed) {
    expect(tail).toBe("");
    expect(leftovers(scene)).toEqual([]);
    if (code === 0) expect([changed, logged]).toEqual([true, true]);
    // What is done is said, and what is not.
    else if (changed) expect(stderr).toMatch(/was changed, but (its event log was not|cannot flush)/);
    else expect(logged).toBe(false);
    if (changed && !stderr.includes("its event log was not")) expect(logged).toBe(true);
  }
  // What the log tells has happened.
  if (logged) expect(changed).toBe(true);
  await goesOn(scene);
}

const CHANGES: Record<string, Change> = {
  "flow-21 flow set": {
    words: ["set", WF, 'plan_mode="direct"', 'proof_status="passed"'],
    isNew: ({ plan_mode, proof_status }) => plan_mode === "direct" && proof_status === "passed",
  },
  "flow history": {
    words: ["history", WF, "phase_started"],
    isNew: ({ status_history }) => status_history.length === 2,
    event: "phase_started",
  },
  "flow capability": {
    words: ["capability", WF, "task_tools_available", "false", "--failed-call", "TaskGet", "--error", "x"],
    isNew: ({ capabilities }) => capabilities.task_tools_available === false,
    event: "task_tools_flipped",
  },
  "flow gate set": {
    words: ["gate", WF, "set", "phase_blocked", "--replace"],
    change: (artifact) => (artifact["pending_gate"] = "clarification"),
    isNew: ({ pending_gate }) => pending_gate === "phase_blocked",
    event: "gate_set",
  },
  "flow gate set with long output": {
    words: ["gate", WF, "set", "phase_blocked", "--output-file", "ROOT/output.log"],
    isNew: ({ pending_gate }) => pending_gate === "phase_blocked",
    event: "gate_set",
  },
  "flow gate clear": {
    words: ["gate", WF, "clear"],
    change: (artifact) => (artifact["pending_gate"] = "clarification"),
    isNew: ({ pending_gate }) => pending_gate === null,
    event: "gate_cleared",
  },
  "flow phase load": {
    words: ["phase", WF, "load", "--from", "ROOT/plan.json"],
    isNew: ({ phase_cursor, phase_status }) => phase_cursor === "p1" && phase_status.p2 === "pending",
    event: "phases_loaded",
  },
  "flow phase add": {
    words: ["phase", WF, "add", "build-review", "--after", "build-implement"],
    change: (artifact) => (artifact["phase_status"] = { "build-implement": "pending" }),
    isNew: ({ phase_after }) => phase_after["build-review"][0] === "build-implement",
  },
  "flow phase set": {
    words: ["phase", WF, "set", "build-implement", "in_progress"],
    change: (artifact) => (artifact["phase_status"] = { "build-implement": "pending" }),
    isNew: ({ phase_status }) => phase_status["build-implement"] === "in_progress",
    event: "phase_status_changed",
  },
  "flow phase advance": {
    words: ["phase", WF, "advance"],
    change: (artifact) =>
      Object.assign(artifact, {
        normalized_phases: [{ phase_id: "p1" }, { phase_id: "p2" }],
        phase_status: { p1: "completed", p2: "pending" },
        phase_cursor: "p1",
        proof_status: "passed",
      }),
    isNew: ({ phase_cursor, proof_status }) => phase_cursor === "p2" && proof_status === "gaps_found",
    event: "phase_exit_gate_passed",
  },
  "flow remfix": {
    words: [
      ...["remfix", WF, "--origin", "router", "--phase", "re-review", "--scope", "N/A", "--reason", "r"],
    ],
    isNew: ({ circuit_breaker, remediation_history }) =>
      circuit_breaker.remfix_count === 1 && remediation_history.length === 1,
    event: "remediation_created",
  },
  "flow close": {
    words: ["close", WF, "--outcome", "failed"],
    isNew: ({ status_history }) => status_history.length === 2,
    event: "workflow_failed",
  },
};

for (const [what, one] of Object.entries(CHANGES)) {
  faults({
    what,
    least: 2,
    // All go through one writer, which the first is met at throughout.
    most: what.startsWith("flow-21") ? 12 : 4,
    prepare: () => project(one.words, one.change),
    holds: (scene, ended) => changes(scene, ended, one),
  });
}

faults({
  what: "flow event",
  least: 1,
  elusive: true,
  prepare: () => project(["event", WF, "agent_started", "--agent", "builder"]),
  async holds(scene, { code, killed }) {
    expect(readFileSync(scene.layout.artifact(WF), "utf8")).toBe(scene.before);
    const { events, tail } = logOf(scene);
    expect(events.length).toBeLessThanOrEqual(2);
    if (!killed) expect([events.length, tail]).toEqual([code === 0 ? 2 : 1, ""]);
    await goesOn(scene);
  },
});

const NEW = ["--request", "login", "--type", "BUILD"];
const INIT = [
  ...["--request", "login", "--init-artifact", "--workflow-type", "BUILD"],
  ...["--task-tools-available", "true", "--phase", "build"],
];

for (const words of [
  ["new", ...NEW],
  ["id", ...INIT],
]) {
  faults({
    what: `flow ${words[0]}: a workflow's files`,
    least: 4,
    most: 8,
    prepare() {
      const root = tempDir();
      mkdirSync(join(root, "p"));
      const layout = layoutOf(join(root, "p"));
      return {
        directory: join(root, "p"),
        cwd: root,
        env: { HOME: root, PATH: process.env["PATH"] },
        command: [JIG, "flow", ...words, "--project", join(root, "p")],
        layout,
      };
    },
    async holds({ layout, cwd, env }, { code, killed, stderr }) {
      let names: string[] = [];
      try {
        names = readdirSync(layout.workflows);
      } catch {
        // Not even begun, or taken away again.
      }
      const ids = names.filter((name) => /^wf-.*\.json$/.test(name)).map((name) => name.slice(0, -5));
      // Where an artifact is, the log and the directory are.
      for (const id of ids) {
        expect(JSON.parse(readFileSync(layout.artifact(id), "utf8"))).toMatchObject({ workflow_uuid: id });
        expect(readFileSync(layout.events(id), "utf8")).toMatch(/^\{.*"workflow_started".*\}\n$/);
        expect(readdirSync(layout.memory(id))).toEqual([]);
      }
      if (!killed) {
        expect(ids).toHaveLength(code === 0 ? 1 : 0);
        if (code !== 0 && names.length > 0) expect(stderr).toContain("left behind");
      }
      const again = await runJig(["flow", "new", ...NEW, "--project", layout.root], { cwd, env });
      expect(again).toMatchObject({ code: 0, stderr: "" });
    },
  });
}
