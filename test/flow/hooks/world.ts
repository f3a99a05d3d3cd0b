import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import group from "../../../src/flow/hooks/command.ts";
import type { Args, ShortCommand } from "../../../src/kernel/call/command.ts";
import { testHost } from "../../support/host.ts";
import { runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

export type Payload = Record<string, unknown> | string;

export interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** A repository `R` with an empty home, its state, and hooks called on it. */
export function hookWorld({ state = true } = {}) {
  const base = tempDir();
  const [root, home] = [join(base, "R"), join(base, "H")];
  for (const directory of [root, home]) mkdirSync(directory);
  execFileSync("git", ["init", "-q", root]);
  const stateDirectory = join(root, ".craftflow/state");
  if (state) mkdirSync(join(stateDirectory, "workflows"), { recursive: true });
  let clock = 1_800_000_000_000;
  let made = 0;

  const write = (path: string, text: string) => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };

  /** An artifact with its log; each one is newer than those before it. */
  const workflow = (id: string, fields: Record<string, unknown> = {}, directory = root) => {
    const workflows = join(directory, ".craftflow/state/workflows");
    mkdirSync(workflows, { recursive: true });
    const path = join(workflows, `${id}.json`);
    const artifact = {
      workflow_uuid: id,
      workflow_id: id,
      workflow_type: "BUILD",
      state_root: ".craftflow/state",
      phase_cursor: null,
      task_ids: {},
      phase_status: {},
      results: {},
      intent: {},
      evidence: {},
      quality: {},
      status_history: [{ event: "workflow_started" }],
      remediation_history: [],
      updated_at: new Date(clock).toISOString().slice(0, 19) + "Z",
      ...fields,
    };
    writeFileSync(path, `${JSON.stringify(artifact)}\n`);
    writeFileSync(join(workflows, `${id}.events.jsonl`), `{"event":"workflow_started"}\n`);
    made += 1;
    utimesSync(path, 1_700_000_000 + made, 1_700_000_000 + made);
    return path;
  };

  const environment = (env: Record<string, string | undefined>) => ({ HOME: home, ...env });

  /** Call a hook as a function of Host. */
  const hook = async (
    event: string,
    payload: Payload,
    { env = {}, cwd = root }: { env?: Record<string, string | undefined>; cwd?: string } = {},
  ): Promise<Said> => {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const host = testHost({
      cwd,
      home,
      env: { PATH: process.env["PATH"], ...environment(env) },
      now: () => clock,
      stdinWithin: async () => new TextEncoder().encode(text),
    });
    const verb = group.verbs[event] as ShortCommand;
    const outcome = await verb.run(host, { flags: { json: false }, positionals: [] } as unknown as Args);
    const notes = (outcome.notes ?? []).map((note) => `${note}\n`).join("");
    return { code: outcome.exitCode ?? 0, stdout: outcome.text as string, stderr: notes };
  };

  /** Call a hook of the compiled program. */
  const program = async (
    words: readonly string[],
    payload: Payload,
    { env = {}, cwd = root }: { env?: Record<string, string | undefined>; cwd?: string } = {},
  ): Promise<Said> => {
    const stdin = typeof payload === "string" ? payload : JSON.stringify(payload);
    const run = await runJig(["flow", "hook", ...words], { cwd, stdin, env: environment(env) });
    return { code: run.code!, stdout: run.stdout, stderr: run.stderr };
  };

  const tool = (name: string, input: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
    tool_name: name,
    tool_input: input,
    cwd: root,
    ...more,
  });

  return {
    base,
    root,
    home,
    state: stateDirectory,
    write,
    workflow,
    hook,
    program,
    /** The reason a tool call is denied; undefined when it is allowed. */
    async denied(payload: Payload, options: Parameters<typeof hook>[2] = {}): Promise<string | undefined> {
      const { code, stderr, stdout } = await hook("pretooluse", payload, options);
      if (code !== 0 || stderr !== "") throw new Error(`exit ${code}: ${stderr}`);
      return reasonIn(stdout);
    },
    bash: (command: string, more: Record<string, unknown> = {}) => tool("Bash", { command }, more),
    edit: (path: string, more: Record<string, unknown> = {}) => tool("Write", { file_path: path }, more),
    read: (path: string, more: Record<string, unknown> = {}) => tool("Read", { file_path: path }, more),
    tool,
    permit: (wf: string) => write(".craftflow/state/.memory-finalize", wf),
    /** The decisions in the hook log. */
    log: () => jsonLines(join(stateDirectory, "craftflow-hook-events.log")),
    pass: (milliseconds: number) => {
      clock += milliseconds;
    },
  };
}

/** The reason in a denial; undefined for no output. */
export function reasonIn(stdout: string): string | undefined {
  if (stdout === "") return undefined;
  const { hookSpecificOutput: said } = JSON.parse(stdout);
  if (said.hookEventName !== "PreToolUse" || said.permissionDecision !== "deny") throw new Error(stdout);
  return said.permissionDecisionReason;
}

export function jsonLines(path: string): Record<string, unknown>[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
