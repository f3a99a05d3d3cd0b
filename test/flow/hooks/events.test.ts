import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../../support/paths.ts";
import { runJig, startJig } from "../../support/run.ts";
import { hookWorld, jsonLines, type Said } from "./world.ts";

const contextOf = (stdout: string): string => JSON.parse(stdout).hookSpecificOutput.additionalContext;

describe("sessionstart", () => {
  test("flow-51 input that is no object is none; the line names the newest workflow", async () => {
    const { program, workflow, log } = hookWorld();
    expect(await program(["sessionstart"], "[1,2]")).toEqual({ code: 0, stdout: "", stderr: "" });
    workflow("wf-a", { plan_file: "docs/p.md", phase_cursor: "p1", pending_gate: "clarification" });
    const { code, stderr, stdout } = await program(["sessionStart"], "[1,2]");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "CRAFTFLOW v10 workflow context (startup): wf=wf-a type=BUILD plan=docs/p.md design=N/A phase_cursor=p1 research_quality=none pending_gate=clarification incomplete_phases=none."}}\n',
    );
    expect(log()).toEqual([
      {
        ts: expect.any(String),
        event: "session_context",
        state_version: "v10",
        wf: "wf-a",
        source: "startup",
        decision: "inject",
      },
    ]);
  });

  test("names what is incomplete, in order, and how many are open", async () => {
    const { hook, workflow } = hookWorld();
    workflow("wf-a", { status_history: [{ event: "memory_finalized" }] });
    workflow("wf-b", {
      pending_gate: { reason: "which db" },
      research_quality: { overall: "high" },
      phase_status: { "2": "pending", "1": "completed", b: "skipped", a: "in_progress" },
    });
    const said = async () => contextOf((await hook("sessionstart", { source: "resume" })).stdout);
    expect(await said()).toMatch(
      /^CRAFTFLOW v10 workflow context \(resume\): .* research_quality=high pending_gate=which db incomplete_phases=2,a\.$/,
    );
    workflow("wf-c");
    expect(await said()).toMatch(/: wf=wf-c .*\. 2 workflows are open: run `jig flow resume` /);
  });

  test("one line, whatever an artifact holds; a newest one that cannot be read says nothing", async () => {
    const { hook, workflow, write } = hookWorld();
    workflow("wf-a", { plan_file: `a\nIgnore this.\u0000 ${"x".repeat(5_000)}é` });
    const { stdout } = await hook("sessionstart", {});
    expect(contextOf(stdout)).not.toMatch(/[\n\0]/);
    expect(stdout.length).toBeLessThan(1_500);
    write(".craftflow/state/workflows/wf-b.json", "{bad");
    expect((await hook("sessionstart", {})).stdout).toBe("");
  });

  test("state that leads out of the project is not looked at, and nothing is written there", async () => {
    const { hook, workflow, root, state, base } = hookWorld();
    const outside = join(base, "outside");
    mkdirSync(outside);
    workflow("wf-a", {}, outside);
    rmSync(state, { recursive: true });
    symlinkSync(join(outside, ".craftflow/state"), state);
    for (const event of ["sessionstart", "precompact", "postcompact", "stop"]) {
      expect((await hook(event, { cwd: root })).stdout).toBe("");
    }
    expect(existsSync(join(outside, ".craftflow/state/precompact-state.json"))).toBe(false);
    expect(jsonLines(join(outside, ".craftflow/state/workflows/wf-a.events.jsonl"))).toHaveLength(1);
  });
});

describe("precompact, stop and postcompact", () => {
  test("save where the newest workflow is", async () => {
    const { program, workflow, state, log } = hookWorld();
    workflow("wf-old");
    const artifact = workflow("wf-a", { phase_cursor: "p2", phase_status: "STATUS", plan_file: "p.md" });
    // An object of JavaScript would put its keys in another order.
    const statuses = '{"2":"pending","1":"completed"}';
    writeFileSync(artifact, readFileSync(artifact, "utf8").replace('"STATUS"', statuses));
    const path = join(state, "precompact-state.json");
    expect(await program(["precompact"], { trigger: "manual" })).toEqual({ code: 0, stdout: "", stderr: "" });
    const text = readFileSync(path, "utf8");
    expect(text).toContain(`"phase_status":${statuses}`);
    const { ts, ...saved } = JSON.parse(text);
    expect(ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(saved).toEqual({
      workflow_uuid: "wf-a",
      workflow_type: "BUILD",
      phase_cursor: "p2",
      phase_status: { "1": "completed", "2": "pending" },
      plan_file: "p.md",
      source: "precompact",
      trigger: "manual",
      context_usage: null,
    });
    rmSync(path);
    expect(await program(["stop"], { stop_hook_active: true })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(path)).toBe(false);
    expect(await program(["stop"], "")).toEqual({ code: 0, stdout: "", stderr: "" });
    const stopped = JSON.parse(readFileSync(path, "utf8"));
    expect(stopped).toMatchObject({ workflow_uuid: "wf-a", source: "stop" });
    expect(stopped).not.toHaveProperty("trigger");
    expect(log().map(({ event }) => event)).toEqual(["precompact_state_saved", "stop_state_saved"]);
  });

  test("ask the program that knows the context, no longer than they may", async () => {
    const { program, workflow, state, base } = hookWorld();
    workflow("wf-a");
    const bin = join(base, "bin");
    mkdirSync(bin);
    const tracker = (script: string) =>
      writeFileSync(join(bin, "tokentracker"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env["PATH"]}` };
    const usage = async () => {
      expect(await program(["precompact"], {}, { env })).toEqual({ code: 0, stdout: "", stderr: "" });
      return JSON.parse(readFileSync(join(state, "precompact-state.json"), "utf8")).context_usage;
    };
    tracker(
      `[ "$*" = "context --json --source claude" ] && echo '{"percent_full":0.5,"total":10,"model_context":20,"x":1}'`,
    );
    expect(await usage()).toEqual({ percent_full: 0.5, total: 10, model_context: 20 });
    tracker("echo nonsense");
    expect(await usage()).toBe(null);
    tracker("exec sleep 60");
    expect(await usage()).toBe(null);
  });

  test("a compaction is an event of the newest workflow, its log's torn end set off", async () => {
    const { program, workflow, state } = hookWorld();
    workflow("wf-a");
    const log = join(state, "workflows/wf-a.events.jsonl");
    writeFileSync(log, '{"ts":');
    const summary = `${"é".repeat(150)}${"😀".repeat(100)}`;
    expect(await program(["PostCompact"], { trigger: "auto", compact_summary: summary })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const [torn, line] = readFileSync(log, "utf8").split("\n");
    expect(torn).toBe('{"ts":');
    expect(JSON.parse(line!)).toEqual({
      ts: expect.stringMatching(/\+00:00$/),
      wf: "wf-a",
      event: "compact_occurred",
      phase: "unknown",
      task_id: null,
      agent: "hook",
      decision: "logged",
      reason: "auto",
      details: `${"é".repeat(150)}${"😀".repeat(50)}`,
      context_usage: null,
    });
  });
});

describe("posttooluse", () => {
  test("logs what is wrong with the newest workflow, and says nothing", async () => {
    const { hook, workflow, root, log, pass, state, edit } = hookWorld();
    const path = workflow("wf-a");
    const edited = async (file = "a.ts") => {
      expect(await hook("posttooluse", edit(join(root, file)))).toEqual({ code: 0, stdout: "", stderr: "" });
      return log().at(-1)?.["reason"];
    };
    expect(await edited()).toBeUndefined();
    const artifact = ".craftflow/state/workflows/wf-a.json";
    expect(await edited(artifact)).toBeUndefined();
    pass(61_000);
    expect(await edited(artifact)).toBe("stale-artifact-write");
    workflow("wf-a", { updated_at: undefined, intent: undefined, evidence: undefined });
    expect(await edited(artifact)).toBe("missing-keys:intent,evidence, missing-updated-at");
    rmSync(join(state, "workflows/wf-a.events.jsonl"));
    expect(await edited()).toBe("missing-keys:intent,evidence, missing-event-log");
    writeFileSync(path, "{bad");
    expect(await edited()).toBe("artifact-json:JSONDecodeError, missing-event-log");
    expect(log().at(-1)).toMatchObject({
      event: "posttool_artifact_guard",
      tool_name: "Write",
      decision: "audit",
    });
    const lines = log().length;
    await hook("posttooluse", { tool_name: "Bash", tool_input: { command: "x" } });
    expect(log()).toHaveLength(lines);
  });
});

describe("subagentstop", () => {
  test("logs whether the contract is there and valid", async () => {
    const { hook, log } = hookWorld();
    const stop = async (type: string, message: string) => {
      const before = log().length;
      const payload = {
        agent_type: type,
        agent_id: "a1",
        transcript_path: "/t.jsonl",
        last_assistant_message: message,
      };
      expect(await hook("subagentstop", payload)).toEqual({ code: 0, stdout: "", stderr: "" });
      return log().slice(before);
    };
    expect(await stop("other", "done")).toEqual([]);
    expect(await stop("craftflow:planner", "done")).toMatchObject([
      {
        event: "subagent_stop",
        agent_type: "craftflow:planner",
        agent_id: "a1",
        transcript_path: "/t.jsonl",
        contract_found: false,
        message_len: 4,
        reason: "contract_missing",
      },
    ]);
    const contract = (fields: string) =>
      `CONTRACT {}\n### Router Contract (MACHINE-READABLE)\n\`\`\`yaml\n${fields}\n\`\`\`\n`;
    expect(
      await stop("jig:reviewer", contract("STATUS: PASS\nBLOCKING: false\nREMEDIATION_NEEDED: false")),
    ).toMatchObject([
      { contract_found: true, contract_valid: true, contract_errors: [], reason: "contract_present" },
    ]);
    expect(await stop("x", contract("STATUS: WHAT"))).toMatchObject([
      { contract_found: true, contract_valid: false },
      { event: "contract_invalid", reason: expect.stringContaining("STATUS") },
    ]);
  });
});

describe("taskcompleted", () => {
  const metadata =
    "wf:wf-a\nkind:memory\norigin:router\nphase:memory-finalize\nplan:N/A\nscope:N/A\nreason:x\nROUTER ONLY: execute inline.";

  test("flow-47 a task of a workflow without its metadata is not completed; any other is", async () => {
    const { program } = hookWorld();
    const stopped = await program(["TaskCompleted"], {
      task_subject: "CRAFTFLOW x",
      task_description: "wf:1\nkind:agent",
    });
    expect(stopped).toMatchObject({ code: 2, stdout: "" });
    expect(stopped.stderr).toBe(
      "CRAFTFLOW task completion blocked: task description is missing metadata lines: origin:, phase:, plan:, scope:, reason:\n",
    );
    expect(await program(["taskcompleted"], { task_subject: "other", task_description: "" })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("a memory task is completed when its memory is finalized", async () => {
    const { hook, workflow, state } = hookWorld();
    const complete = async (description = metadata, subject = "CRAFTFLOW Memory Update: x") => {
      const { code, stderr } = await hook("taskcompleted", {
        task_subject: subject,
        task_description: description,
      });
      if (code === 0) return [];
      expect(stderr).toMatch(/^CRAFTFLOW memory-task completion blocked: .* \(([^)]*)\)\.\n$/);
      return /\(([^)]*)\)/.exec(stderr)![1]!.split(", ");
    };
    expect(await complete()).toEqual(["missing-workflow-artifact"]);
    const path = workflow("wf-a");
    expect(await complete()).toEqual(["missing-memory-finalized-event"]);
    writeFileSync(join(state, "workflows/wf-a.events.jsonl"), '{"event":"memory_finalized"}\n');
    expect(await complete()).toEqual([]);
    expect(await complete(metadata.replace("origin:router", "origin:planner"))).toEqual([
      "memory-task-origin-not-router",
    ]);
    expect(await complete(metadata.replace("ROUTER ONLY", "router"))).toEqual([
      "memory-task-missing-router-only-marker",
    ]);
    expect(await complete(metadata, "CRAFTFLOW x")).toEqual(["memory-task-subject-not-router-owned"]);
    expect(await complete(metadata.replace("wf:wf-a", "wf: ../wf-a"))).toEqual(["missing-workflow-artifact"]);
    writeFileSync(path, '{"workflow_uuid":"wf-b"}');
    expect(await complete()).toEqual(["workflow-artifact-mismatch"]);
    writeFileSync(path, "{bad");
    expect(await complete()).toEqual(["artifact-json:JSONDecodeError"]);
    expect(await complete(metadata.replace("kind:memory", "kind:agent"))).toEqual([]);
  });

  test("mode audit logs and lets it through", async () => {
    const { hook, base, log } = hookWorld();
    const env = { CLAUDE_PLUGIN_ROOT: base };
    const said = await hook("taskcompleted", { task_subject: "CRAFTFLOW x" }, { env });
    expect(said).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(log().at(-1)).toMatchObject({ event: "task_completed_guard", decision: "audit" });
  });
});

describe("every hook", () => {
  const EVENTS = [
    "sessionstart",
    "precompact",
    "postcompact",
    "pretooluse",
    "posttooluse",
    "stop",
    "subagentstop",
    "taskcompleted",
  ];

  test("survives whatever stands on its input and in its state", { timeout: 120_000 }, async () => {
    const { hook, program, root, state } = hookWorld();
    execFileSync("mkfifo", [join(state, "workflows/wf-a.json"), join(state, "craftflow-hook-events.log")]);
    execFileSync("mkfifo", [join(state, ".denial-tracker.json"), join(state, "workflows/wf-a.events.jsonl")]);
    const path = join(root, ".craftflow/state/activeContext.md");
    const inputs = [
      "",
      "null",
      "{",
      '"text"',
      '{"cwd":5,"tool_name":["Bash"],"tool_input":null}',
      { cwd: "/no/such/place", tool_name: "Bash", tool_input: { command: "echo > x" } },
      { cwd: `${root}\0`, tool_name: "Write", tool_input: { file_path: `${path}\0` } },
      '{"cwd":"\\ud800","tool_name":"Write","tool_input":{"file_path":"\\ud800"},"session_id":"\\udfff"}',
      {
        cwd: root,
        tool_name: "Write",
        tool_input: { file_path: path },
        task_subject: "CRAFTFLOW \u001b[31m",
        agent_type: "jig:x",
      },
    ];
    const judge = (event: string, input: unknown, { code, stdout }: Said) => {
      expect([event, input, code]).toEqual([event, input, event === "taskcompleted" && code === 2 ? 2 : 0]);
      if (stdout !== "") expect(stdout).toMatch(/^\{[\x20-\x7e]*\}\n?$/);
    };
    for (const event of EVENTS) {
      for (const input of inputs) judge(event, input, await hook(event, input));
      judge(event, inputs.at(-1), await program([event], inputs.at(-1)!));
    }
  });

  test("reads no more of an artifact than it may, and judges without it", async () => {
    const { hook, workflow, root, base, edit, write } = hookWorld();
    const huge = write(".craftflow/state/workflows/wf-z.json", "");
    truncateSync(huge, 17 << 20);
    utimesSync(huge, 1_900_000_000, 1_900_000_000);
    expect((await hook("sessionstart", {})).stdout).toBe("");
    const tree = join(base, "tree");
    mkdirSync(tree);
    workflow("wf-a", { worktree_path: tree });
    expect((await hook("pretooluse", edit(join(tree, "x")))).stdout).toBe("");
    expect((await hook("pretooluse", edit(join(root, ".craftflow/state/progress.md")))).stdout).toContain(
      "deny",
    );
  });

  test("a word too many stops nothing; an event that is none is a usage error", async () => {
    const { program } = hookWorld();
    for (const words of [
      ["pretooluse", "--nope"],
      ["Stop", "word"],
      ["taskcompleted", "--json"],
    ]) {
      const { code, stderr, stdout } = await program(words, "");
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toContain("hooks take no arguments");
    }
    expect((await program(["nosuch"], "")).code).toBe(2);
  });

  test("is answered when the input does not end", { timeout: 60_000 }, async () => {
    const { workflow, root, home } = hookWorld();
    workflow("wf-a");
    const child = startJig(["flow", "hook", "sessionstart"], { cwd: root, env: { HOME: home } });
    let said = "";
    child.stdout!.on("data", (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, "close");
    child.stdin!.destroy();
    expect(code).toBe(0);
    expect(said).toContain("(startup)");
  });

  test("a working directory that is gone is no fault of the session", async () => {
    const { base, workflow, root, home } = hookWorld();
    workflow("wf-a");
    const printed = await runJig(["flow", "hook", "print"], { env: { HOME: home } });
    const [{ hooks }] = JSON.parse(printed.stdout).hooks.SessionStart;
    const gone = join(base, "gone");
    const script = `mkdir ${gone} && cd ${gone} && rmdir ${gone} && ${hooks[0].command}`;
    const said = await runJig(["-c", script], {
      program: "/bin/sh",
      cwd: base,
      env: { HOME: home },
      stdin: JSON.stringify({ cwd: root }),
    });
    expect({ code: said.code, stderr: said.stderr }).toEqual({ code: 0, stderr: "" });
    expect(said.stdout).toContain("wf=wf-a");
  });
});

describe("hook print", () => {
  test("prints a registration of every event that calls this program by its absolute path", async () => {
    const { stdout, code } = await runJig(["flow", "hook", "print", "--host", "claude-code"]);
    expect(code).toBe(0);
    const { hooks } = JSON.parse(stdout);
    expect(Object.keys(hooks)).toEqual([
      "SessionStart",
      "PreCompact",
      "PostCompact",
      "PreToolUse",
      "PostToolUse",
      "Stop",
      "SubagentStop",
      "TaskCompleted",
    ]);
    for (const [event, [{ hooks: calls }]] of Object.entries<never[]>(hooks) as never as [
      string,
      [{ hooks: { command: string }[] }],
    ][]) {
      expect(calls).toEqual([
        { type: "command", command: `cd / && ${JIG} flow hook ${event.toLowerCase()}` },
      ]);
    }
    expect((await runJig(["flow", "hook", "print", "--host", "other"])).code).toBe(2);
  });
});
