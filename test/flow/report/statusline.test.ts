import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import flow from "../../../src/flow/command.ts";
import { isRunning } from "../../../src/kernel/process/index.ts";
import { testHost } from "../../support/host.ts";
import { runRoom } from "../../support/room.ts";
import { runJig, startJig, until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { writeWorkflow } from "../written.ts";

const AUTH = "wf-auth-refactor-20260706-141203-1a2b3c4d";
const FIVE = [1, 2, 3, 4, 5].map((n) => ({ phase_id: `phase_${n}` }));
const SEGMENT = "⚡ auth-refactor 20% · 🟢 RUNNING phase_2 (1/5)";

/** A project with one workflow at work. */
function project(fields: Record<string, unknown> = {}): string {
  const root = tempDir();
  writeWorkflow(root, AUTH, {
    normalized_phases: FIVE,
    phase_status: { phase_1: "completed" },
    phase_cursor: "phase_2",
    ...fields,
  });
  return root;
}

/** A program on a PATH of its own. */
function programs(name: string, script: string): string {
  const bin = tempDir();
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

const statusline = (stdin: string, words: string[] = [], options: Parameters<typeof runJig>[1] = {}) =>
  runJig(["flow", "statusline", ...words], { cwd: tempDir(), stdin, ...options });

describe("status --statusline", () => {
  test("flow-52 nothing without a workflow, one short piece with one", async () => {
    const none = await runJig(["flow", "status", "--statusline", "--project", "/tmp/none"], {
      cwd: tempDir(),
    });
    expect([none.code, none.stdout, none.stderr]).toEqual([0, "", ""]);
    const shown = await runJig(["flow", "status", "--statusline", "--project", project()], {
      cwd: tempDir(),
    });
    expect([shown.code, shown.stdout]).toEqual([0, `${SEGMENT}\n`]);
  });

  test.each([
    [{ phase_cursor: null, normalized_phases: [], phase_status: {} }, "⚡ auth-refactor 5% · 🟢 RUNNING"],
    [{ pending_gate: "clarification" }, "⚡ auth-refactor 20% · ⚠️  BLOCKED phase_2 (1/5)"],
    [{ status_history: [{ event: "workflow_complete" }] }, "⚡ auth-refactor 100% · ✅ DONE phase_2 (1/5)"],
    [{ phase_cursor: "\x1b[2J" }, "⚡ auth-refactor 20% · 🟢 RUNNING \\x1b[2J (1/5)"],
  ])("%j", async (fields, expected) => {
    const host = testHost({ cwd: project(fields) });
    expect((await runRoom(flow, ["status", "--statusline"], host)).stdout).toBe(`${expected}\n`);
  });

  test.each([
    ["by-hand", { intent: { goal: "Refactor the whole of authentication" } }, "Refactor the whole of a…"],
    ["by-hand", { user_request: "" }, "by-hand"],
    ["a-long-one-by-hand", { user_request: "" }, "-by-hand"],
  ])("workflow %s with %j is called %s", async (id, fields, label) => {
    const root = tempDir();
    writeWorkflow(root, id, fields);
    const { stdout } = await runRoom(flow, ["status", "--statusline"], testHost({ cwd: root }));
    expect(stdout.startsWith(`⚡ ${label} 5% · `)).toBe(true);
  });

  test.each([
    [0.5, " · ctx:50%"],
    [0.7, " · \x1b[33mctx:70%\x1b[0m"],
    [0.9, " · \x1b[31mctx:90%\x1b[0m"],
    ['"x"', ""],
  ])("a context that is full to %s", async (full, expected) => {
    const answer = `{"percent_full":${full},"total":1,"model_context":2}`;
    const PATH = programs("tokentracker", `[ "$*" = "context --json --source claude" ] && echo '${answer}'`);
    const words = ["flow", "status", "--statusline", "--project", project()];
    const { stdout } = await runJig(words, { cwd: tempDir(), env: { PATH } });
    expect(stdout).toBe(`${SEGMENT}${expected}\n`);
    const plain = await runJig(words, { cwd: tempDir(), env: { PATH, NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\x1b");
  });
});

describe("statusline", () => {
  test("the project is that of the session on stdin", async () => {
    const root = project();
    mkdirSync(join(root, "sub"));
    const { code, stdout } = await statusline(JSON.stringify({ cwd: join(root, "sub") }));
    expect([code, stdout]).toEqual([0, `${SEGMENT}\n`]);
  });

  test.each(["", "{bad", "[1]", '{"cwd":5}', '{"cwd":"/does/not/exist"}', '{"cwd":"relative"}'])(
    "a session of %j is the working directory's",
    async (session) => {
      expect((await statusline(session, [], { cwd: project() })).stdout).toBe(`${SEGMENT}\n`);
      const { code, stderr, stdout } = await statusline(session);
      expect([code, stdout, stderr]).toEqual([0, "", ""]);
    },
  );

  test("upstream's name does the same", async () => {
    const session = JSON.stringify({ cwd: project() });
    const { code, stdout } = await runJig(["--as", "craftflow_statusline.sh"], {
      cwd: tempDir(),
      stdin: session,
    });
    expect([code, stdout]).toEqual([0, `${SEGMENT}\n`]);
  });

  test("a command of the user's comes first, on the same stdin, through the shell", async () => {
    const session = JSON.stringify({ cwd: project() });
    const wrapped = await statusline(session, ["--wrap", "printf '\\033[1mmine\\033[0m '; wc -c; echo"]);
    expect([wrapped.code, wrapped.stdout]).toEqual([
      0,
      `\x1b[1mmine\x1b[0m ${Buffer.byteLength(session)}  ${SEGMENT}\n`,
    ]);
    const alone = await statusline("{}", ["--wrap", "echo mine; exit 3"]);
    expect([alone.code, alone.stdout]).toEqual([0, "mine\n"]);
    const silent = await statusline(session, ["--wrap", "no-such-program-here"]);
    expect([silent.code, silent.stdout]).toEqual([0, `${SEGMENT}\n`]);
  });

  test("what does not end in time is killed with all it started, and left out", async () => {
    const cwd = project();
    const pids = join(cwd, "pids");
    const command = `trap '' TERM; echo $$ > ${pids}; sleep 600 & echo $! >> ${pids}; wait; sleep 600`;
    const PATH = programs("tokentracker", "trap '' TERM; sleep 600");
    const { code, stdout } = await statusline("{}", ["--wrap", command], { cwd, env: { PATH } });
    expect([code, stdout]).toEqual([0, `${SEGMENT}\n`]);
    for (const pid of readFileSync(pids, "utf8").trim().split("\n")) {
      await until("the wrapped program to be gone", async () => !(await isRunning(Number(pid))));
    }
  });

  test("a session that never ends its stdin is not waited for", async () => {
    const child = startJig(["flow", "statusline"], { cwd: project() });
    let stdout = "";
    child.stdout!.on("data", (chunk) => {
      stdout += chunk;
    });
    const code = await new Promise((resolve) => child.on("exit", resolve));
    child.stdin!.destroy();
    expect([code, stdout]).toEqual([0, `${SEGMENT}\n`]);
  });

  test("nothing makes it fail, and nothing is made", async () => {
    const wrong = await statusline("{}", ["--nonsense"]);
    expect([wrong.code, wrong.stdout]).toEqual([0, ""]);
    expect(wrong.stderr).toContain("--nonsense");
    const cwd = tempDir();
    mkdirSync(join(cwd, ".craftflow/state/workflows"), { recursive: true });
    writeFileSync(join(cwd, `.craftflow/state/workflows/${AUTH}.json`), "{bad");
    const { code, stdout } = await statusline("{}", [], { cwd });
    expect([code, stdout]).toEqual([0, ""]);
    expect(existsSync(join(cwd, `.craftflow/state/workflows/${AUTH}.lock`))).toBe(false);
    const large = await statusline("x".repeat((1 << 20) + 1), [], { cwd: project() });
    expect([large.code, large.stdout]).toEqual([0, `${SEGMENT}\n`]);
  });
});
