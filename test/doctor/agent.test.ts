import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { DoctorReport } from "../../src/doctor/schema.ts";
import { canMount } from "../support/disk.ts";
import { JIG } from "../support/paths.ts";
import { makeReadOnly } from "../support/read-only.ts";
import { runJig } from "../support/run.ts";
import { canTrace } from "../support/strace.ts";
import { tempDir } from "../support/temp.ts";
import { runUnprivileged } from "../support/unprivileged.ts";

/** What doctor says of the agent and the sandbox around it, run by the given words. */
async function saidOf(env: Record<string, string> = {}, ...before: string[]): Promise<string[]> {
  const [program = JIG, ...words] = [...before, JIG, "doctor", "--json"];
  const root = env["JIG_TMP_ROOT"] ?? tempDir();
  const run = await runJig(words, {
    program,
    env: { HOME: tempDir(), JIG_TMP_ROOT: root, ...env },
    timeout: 60_000,
  });
  const { checks } = JSON.parse(run.stdout) as DoctorReport;
  const of = checks.filter(({ check }) => check === "agent" || check === "sandbox");
  return of.map(({ check, level, message }) => `${level} ${check}: ${message}`);
}

const FREE = "ok sandbox: nothing that jig needs is forbidden";
const can = (...flags: string[]) => spawnSync("unshare", [...flags, "true"]).status === 0;

describe("jig doctor under an agent", () => {
  test.each([
    [{}, "none that says so"],
    [{ CLAUDECODE: "1" }, "Claude Code (CLAUDECODE)"],
    [{ CODEX_CI: "1" }, "Codex (CODEX_CI)"],
    [{ CODEX_THREAD_ID: "x" }, "Codex (CODEX_THREAD_ID)"],
    [{ OPENCODE: "1" }, "opencode (OPENCODE)"],
    [{ GEMINI_CLI: "1" }, "Gemini CLI (GEMINI_CLI)"],
    [{ GEMINI_CLI: "" }, "none that says so"],
    [{ CLAUDECODE: "1", CODEX_CI: "1" }, "Claude Code (CLAUDECODE) and Codex (CODEX_CI)"],
  ] as [Record<string, string>, string][])("%j: %s", async (env, around) => {
    expect(await saidOf(env)).toEqual([`ok agent: around this call: ${around}`, FREE]);
  });

  test.runIf(can("-Urpf", "--mount-proc"))("a process namespace for the call alone", async () => {
    const said = await saidOf({}, "unshare", "-Urpf", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh");
    expect(said[1]).toMatch(
      /^note sandbox: this call has a process namespace of its own \(first process: sh\): no job or server outlives it; /,
    );
    expect(said).toHaveLength(2);
  });

  test.runIf(can("-Urn"))("a network namespace without a network", async () => {
    const said = await saidOf({}, "unshare", "-Urn");
    expect(said[1]).toMatch(/^note sandbox: no network here but its own loopback: /);
  });

  test.runIf(canTrace)("no sockets: whose sandbox it is, and what lets them through", async () => {
    const strace = [
      "strace",
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      "trace=bind",
      "-e",
      "inject=bind:error=EPERM",
    ];
    const why = "note sandbox: no server here: cannot bind 127.0.0.1: operation not permitted; ";
    const codex = { CODEX_CI: "1", CODEX_SANDBOX_NETWORK_DISABLED: "1" };
    expect((await saidOf(codex, ...strace))[1]).toBe(
      `${why}Codex's sandbox (CODEX_SANDBOX_NETWORK_DISABLED) forbids it: start it outside, or run Codex with ` +
        "-c sandbox_workspace_write.network_access=true",
    );
    expect((await saidOf({}, ...strace))[1]).toMatch(`${why}a sandbox around this call forbids it: `);
  });

  test.runIf(canMount)("a /tmp that is read-only", async () => {
    const tmp = tempDir();
    makeReadOnly(tmp);
    const said = await saidOf({ JIG_TMP_ROOT: tmp, TMPDIR: tempDir() });
    expect(said[1]).toMatch(`note sandbox: ${tmp} takes no writes here (read-only file system): `);
  });

  test("a /tmp that this user may not write", async () => {
    const [tmp, home] = [tempDir(), tempDir()];
    chmodSync(home, 0o777);
    chmodSync(tmp, 0o555);
    const run = await runUnprivileged(["doctor", "--json"], {
      env: { JIG_TMP_ROOT: tmp, HOME: home },
      cwd: home,
    });
    expect(run.stdout).toContain(`${tmp} takes no writes here (permission denied): `);
  });
});
