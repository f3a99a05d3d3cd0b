/** What hooks write: a snapshot is whole or the old one, a log line stands alone, counts are never lost, and no session stops. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { JIG } from "../support/paths.ts";
import { testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { type Ended, faults } from "./harness.ts";

const ARTIFACT =
  '{"workflow_uuid":"wf-a","phase_status":{"2":"pending","1":"completed"},"status_history":[]}\n';

/** A project with one workflow, a snapshot, a count and a log from before; the hook reads its payload from a file. */
function project(event: string, payload: object) {
  const cwd = tempDir();
  const state = join(cwd, ".craftflow/state");
  const workflows = join(state, "workflows");
  mkdirSync(workflows, { recursive: true });
  execFileSync("git", ["init", "-q", cwd]);
  const write = (path: string, text: string) => writeFileSync(join(state, path), text);
  write("workflows/wf-a.json", ARTIFACT);
  write("workflows/wf-a.events.jsonl", '{"event":"workflow_started"}\n');
  write("precompact-state.json", '{"source":"before"}\n');
  write(".denial-tracker.json", '{"other::/p":{"count":3,"last_ts":9999999999}}\n');
  write("craftflow-hook-events.log", '{"event": "before"}\n');
  const input = join(tempDir(), "payload.json");
  writeFileSync(input, JSON.stringify({ cwd, ...payload }));
  const env = { HOME: tempDir() };
  const command = ["/bin/sh", "-c", `exec '${JIG}' flow hook ${event} < '${input}'`];
  const again = () =>
    execFileSync(command[0]!, command.slice(1), { cwd, env: testEnv(env), encoding: "utf8" });
  return { command, cwd, directory: state, env, state, again };
}

type Project = ReturnType<typeof project>;

const json = ({ state }: Project, path: string) => JSON.parse(readFileSync(join(state, path), "utf8"));

/** Its answer could not be written, which every command says in the same way. */
const isUnheard = ({ stderr }: Ended) => stderr.includes("cannot write to standard output");

/** Whatever happened: the session goes on, state is what it was, no line is fused with another, nothing lies about. */
function checkAlways(scene: Project, ended: Ended) {
  const { code, killed } = ended;
  if (!killed) expect(code).toBe(isUnheard(ended) ? 1 : 0);
  expect(readFileSync(join(scene.state, "workflows/wf-a.json"), "utf8")).toBe(ARTIFACT);
  for (const path of ["craftflow-hook-events.log", "workflows/wf-a.events.jsonl"]) {
    const lines = readFileSync(join(scene.state, path), "utf8").split("\n");
    // Of what a kill cut off, only the end may be torn.
    for (const line of lines.slice(0, -1)) expect(() => JSON.parse(line)).not.toThrow();
  }
  const left = readdirSync(scene.state).filter((name) => name.startsWith(".tmp-"));
  if (!killed) expect(left).toEqual([]);
}

for (const event of ["precompact", "stop"]) {
  faults({
    what: `flow hook ${event}`,
    least: 2,
    silent: true,
    prepare: () => project(event, {}),
    holds(scene, ended) {
      checkAlways(scene, ended);
      expect(["before", event]).toContain(json(scene, "precompact-state.json").source);
      scene.again();
      expect(json(scene, "precompact-state.json")).toMatchObject({ source: event, workflow_uuid: "wf-a" });
    },
  });
}

faults({
  what: "flow hook postcompact",
  least: 1,
  silent: true,
  elusive: true,
  prepare: () => project("postcompact", { compact_summary: "x" }),
  holds(scene, ended) {
    checkAlways(scene, ended);
    scene.again();
    const lines = readFileSync(join(scene.state, "workflows/wf-a.events.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ event: "compact_occurred", wf: "wf-a" });
  },
});

faults({
  what: "flow hook pretooluse that denies",
  least: 2,
  silent: true,
  prepare: () =>
    project("pretooluse", {
      tool_name: "Write",
      tool_input: { file_path: ".craftflow/state/activeContext.md" },
      session_id: "s",
    }),
  holds(scene, ended) {
    checkAlways(scene, ended);
    // Counting may fail; the denial stands.
    if (!ended.killed && !isUnheard(ended))
      expect(ended.stdout).toContain("blocked a direct state memory markdown write");
    expect(json(scene, ".denial-tracker.json")["other::/p"]).toEqual({ count: 3, last_ts: 9_999_999_999 });
    scene.again();
    expect(scene.again()).toContain("ESCALATED");
  },
});
