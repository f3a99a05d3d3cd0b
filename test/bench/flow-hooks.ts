import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWithEmpty } from "./measure.ts";
import type { Bench } from "./types.ts";

/** What a host pays for every tool call and turn; at most twice an empty compiled program each. */
const hooks: Bench = {
  name: "a hook of a workflow",
  async run({ jig, empty, tempDir }) {
    const base = join(tempDir, "flow-hooks");
    const [project, plain] = [join(base, "project"), join(base, "plain")];
    const workflows = join(project, ".craftflow/state/workflows");
    mkdirSync(workflows, { recursive: true });
    mkdirSync(plain, { recursive: true });
    for (const cwd of [project, plain]) Bun.spawnSync(["git", "init", "-q", cwd]);
    const artifact = { workflow_uuid: "wf-a", phase_status: { a: "pending" }, status_history: [] };
    writeFileSync(join(workflows, "wf-a.json"), JSON.stringify(artifact));
    const env = { HOME: base, PATH: process.env["PATH"]! };
    const rows = [];
    for (const [where, cwd] of [
      ["without state", plain],
      ["with state", project],
    ] as const) {
      const tool = (tool_name: string, tool_input: object) => ({
        cwd,
        session_id: "s",
        tool_name,
        tool_input,
      });
      const file_path = join(cwd, "src/a.ts");
      const calls: [what: string, event: string, payload: object][] = [
        ["sessionstart", "sessionstart", { cwd, source: "startup" }],
        ["stop", "stop", { cwd }],
        ["precompact", "precompact", { cwd }],
        ["subagentstop", "subagentstop", { cwd, agent_type: "other" }],
        ["posttooluse, Write", "posttooluse", tool("Write", { file_path })],
        ["pretooluse, Write", "pretooluse", tool("Write", { file_path })],
        ["pretooluse, Read", "pretooluse", tool("Read", { file_path })],
        ["pretooluse, Bash that writes", "pretooluse", tool("Bash", { command: "npm test > out.log 2>&1" })],
        ["pretooluse, Bash that does not", "pretooluse", tool("Bash", { command: "git status" })],
      ];
      for (const [what, event, payload] of calls) {
        const call: [string, string[]] = [`${what}, ${where}`, [jig, "flow", "hook", event]];
        rows.push(...compareWithEmpty(empty, [call], { env, cwd, stdin: JSON.stringify(payload) }, 21));
      }
    }
    return rows;
  },
};

export const benches: Bench[] = [hooks];
