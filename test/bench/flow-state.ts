import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { compareWithEmpty } from "./measure.ts";
import type { Bench, BenchRow } from "./types.ts";

/** A project with one workflow, and its id. */
function begin(jig: string, cwd: string, env: Record<string, string>): string {
  mkdirSync(cwd);
  Bun.spawnSync(["git", "init", "-q", cwd]);
  const words = ["flow", "new", "--type", "BUILD", "--request", "add a login page"];
  const made = Bun.spawnSync([jig, ...words], { cwd, env });
  return made.stdout.toString().trim();
}

/** An event costs the same at any length of the log: nothing of it is read but its last byte. */
const event: Bench = {
  name: "a workflow's event log as it grows",
  async run({ jig, empty, tempDir }) {
    const cwd = join(tempDir, "flow-event");
    const env = { HOME: tempDir, PATH: process.env["PATH"]! };
    const wf = begin(jig, cwd, env);
    const log = join(cwd, `.craftflow/state/workflows/${wf}.events.jsonl`);
    const line = `{"ts":"2026-07-06T12:00:03Z","wf":"${wf}","event":"agent_started","details":"${"x".repeat(200)}"}\n`;
    const rows: BenchRow[] = [];
    let length = 1;
    for (const wanted of [1, 10_000, 100_000]) {
      appendFileSync(log, line.repeat(wanted - length));
      length = wanted;
      const words = [jig, "flow", "event", wf, "agent_started", "--agent", "builder"];
      rows.push(...compareWithEmpty(empty, [[`event onto ${length} lines`, words]], { env, cwd }, 21));
    }
    return rows;
  },
};

const verbs: Bench = {
  name: "short verbs of a workflow's state",
  async run({ jig, empty, tempDir }) {
    const cwd = join(tempDir, "flow-verbs");
    const env = { HOME: tempDir, PATH: process.env["PATH"]! };
    const wf = begin(jig, cwd, env);
    const flow = (...words: string[]) => [jig, "flow", ...words];
    Bun.spawnSync(flow("phase", wf, "add", "build-implement"), { cwd, env });
    return compareWithEmpty(
      empty,
      [
        ["flow show --field", flow("show", wf, "--field", "phase_cursor")],
        ["flow gate show", flow("gate", wf, "show")],
        ["flow phase next", flow("phase", wf, "next")],
        ["flow just-go", flow("just-go")],
        ["flow set", flow("set", wf, 'plan_mode="direct"')],
        ["flow root (runs git)", flow("root")],
      ],
      { env, cwd },
      21,
    );
  },
};

export const benches: Bench[] = [event, verbs];
