import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIELDS } from "../../src/flow/artifact/fields.ts";
import { compareWithEmpty } from "./measure.ts";
import type { Bench } from "./types.ts";

const EVENTS = 60;

/** An artifact as it is at the end of some phases. */
function artifactOf(id: string, isOpen: boolean): Record<string, unknown> {
  const init = Object.entries(FIELDS).map(([name, field]) => [name, field.init?.() ?? null]);
  const phase = (index: number) => ({
    phase_id: `p${index}`,
    title: "t".repeat(50),
    objective: "o".repeat(200),
  });
  const entry = (index: number) => ({
    event: "phase_started",
    ts: "2026-07-06T14:12:03Z",
    phase: `p${index}`,
  });
  return {
    ...Object.fromEntries(init),
    workflow_uuid: id,
    workflow_id: id,
    workflow_type: "BUILD",
    user_request: "Add a login page ".repeat(10),
    normalized_phases: Array.from({ length: 5 }, (_, index) => phase(index)),
    status_history: [
      ...Array.from({ length: 20 }, (_, index) => entry(index)),
      { event: isOpen ? "phase_started" : "memory_finalized" },
    ],
  };
}

/** One workflow of a usual size; every other one is still open, so that its whole log is looked through. */
function writeWorkflow(folder: string, index: number): void {
  const id = `wf-login-20260706-141203-${index.toString(16).padStart(8, "0")}`;
  writeFileSync(join(folder, `${id}.json`), `${JSON.stringify(artifactOf(id, index % 2 === 0))}\n`);
  const event = { ts: "2026-07-06T14:12:03Z", wf: id, event: "agent_completed", agent: "builder" };
  const line = `${JSON.stringify({ ...event, reason: "r".repeat(100) })}\n`;
  writeFileSync(join(folder, `${id}.events.jsonl`), line.repeat(EVENTS));
}

/** One workflow costs the same however many there are; all of them cost in proportion. */
const status: Bench = {
  name: "the status of many workflows",
  async run({ jig, empty, tempDir }) {
    const env = { HOME: tempDir, PATH: process.env["PATH"]! };
    const rows = [];
    for (const count of [1, 250, 500, 1_000]) {
      const project = join(tempDir, `flow-status-${count}`);
      const folder = join(project, ".craftflow/state/workflows");
      mkdirSync(folder, { recursive: true });
      for (let index = 0; index < count; index++) writeWorkflow(folder, index);
      const of = (...words: string[]) => [jig, "flow", "status", ...words, "--project", project];
      const calls: [string, string[]][] = [
        [`status, ${count} workflows`, of()],
        [`status --statusline, ${count} workflows`, of("--statusline")],
        [`status --all, ${count} workflows`, of("--all")],
        [`status --all --json, ${count} workflows`, of("--all", "--json")],
      ];
      rows.push(...(await compareWithEmpty(empty, calls, { env }, 9)));
    }
    return rows;
  },
};

/** A log is gone through once, whatever is asked of it. */
const query: Bench = {
  name: "a large state file in short",
  async run({ jig, empty, tempDir }) {
    const env = { HOME: tempDir };
    const rows = [];
    for (const lines of [5_000, 10_000, 20_000]) {
      const log = join(tempDir, `${lines}.events.jsonl`);
      writeFileSync(
        log,
        `${JSON.stringify({ event: "agent_completed", reason: "r".repeat(150) })}\n`.repeat(lines),
      );
      const call: [string, string[]] = [`query of ${lines} events`, [jig, "flow", "query", log]];
      rows.push(...(await compareWithEmpty(empty, [call], { env }, 9)));
    }
    return rows;
  },
};

export const benches: Bench[] = [status, query];
