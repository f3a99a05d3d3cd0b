import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { type EnvelopeFacts, judge } from "../../src/elevate/judge.ts";
import { VerdictSchema } from "../../src/elevate/schema.ts";
import { envelopeFacts } from "../../src/elevate/verdict.ts";
import { JIG } from "../support/paths.ts";
import { until } from "../support/run.ts";
import { event, isAlive, onlyJob, say, type World, world } from "./fixture.ts";

const fable = { modelUsage: { "claude-fable-5": {} } };

async function settled(w: World, id: string): Promise<string> {
  const run = await w.run(["job", "wait", "--max-secs", "20", id], { timeout: 30_000 });
  return run.stdout.trim();
}

/** Start any worker as a job whose result path is the world's; gives the id. */
async function startJob(w: World, worker: string[], env: Record<string, string> = {}): Promise<string> {
  const words = ["job", "start", "--skill", "s", "--run-id", "r", "--result-path", w.result, "--", ...worker];
  const run = await w.run(words, { env });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return run.stdout.trim();
}

const workerForm = (w: World) => [JIG, "elevate", "fable", w.brief, w.result];

async function verdict(w: World, ref: string, ...more: string[]) {
  const run = await w.run(["elevate", "--verdict", ref, ...more]);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  const data = JSON.parse(run.stdout);
  expect(v.is(VerdictSchema, data)).toBe(true);
  expect(run.stdout).toBe(`${JSON.stringify(data)}\n`);
  return data;
}

describe("under the job runner", () => {
  test("elevate-22 the job is done whatever the model did, and a reap leaves no envelope", async () => {
    const w = world();
    w.stub(say(event("PLAN", fable)));
    const good = await startJob(w, workerForm(w));
    expect(await settled(w, good)).toBe("done");
    expect(JSON.parse((await w.run(["job", "result", good])).stdout)).toMatchObject({
      status: "ok",
      output: "PLAN",
    });

    w.stub("sleep 30");
    const silent = await startJob(w, workerForm(w), { CE_ELEVATION_IDLE_SECS: "1" });
    expect(await settled(w, silent)).toBe("done");
    expect(JSON.parse((await w.run(["job", "result", silent])).stdout)).toMatchObject({ reason: "idle" });

    const r = world();
    r.stub(`echo $$ > "$NOTES/claude"; sleep 60 & echo $! > "$NOTES/sleep"; wait`);
    const reaped = await startJob(r, workerForm(r));
    await until("the call to run", () => existsSync(join(r.root, "sleep")) && r.note("sleep").endsWith("\n"));
    expect((await r.run(["job", "reap", reaped])).code).toBe(0);
    expect(await settled(r, reaped)).toBe("timeout");
    expect(r.hasEnvelope()).toBe(false);
    expect([isAlive(r.note("claude")), isAlive(r.note("sleep"))]).toEqual([false, false]);
    expect(await verdict(r, reaped)).toMatchObject({ verdict: "degrade", job_state: "timeout" });
  });

  test("elevate-25 --start runs the worker form with equal caps inside and outside", async () => {
    for (const [flags, env, seconds] of [
      [[], { CE_PEER_HARD_SECS: "60" }, 5400],
      [["--hard-secs", "120"], {}, 120],
      [[], { CE_ELEVATION_HARD_SECS: "77" }, 77],
    ] as const) {
      const w = world();
      w.stub(`echo "$CE_ELEVATION_HARD_SECS" > "$NOTES/hard"; ${say(event("PLAN", fable))}`);
      const words = [
        "elevate",
        "--start",
        "--skill",
        "s",
        "--run-id",
        "r",
        ...flags,
        "fable",
        "H/brief.md",
        "H/result.json",
      ];
      const run = await w.run(words, { env });
      expect([run.code, run.stderr]).toEqual([0, ""]);
      expect(run.stdout).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{8}\n$/);
      const id = run.stdout.trim();
      expect(await settled(w, id)).toBe("done");
      const meta = JSON.parse(readFileSync(join(onlyJob(w, "s", "r"), "meta.json"), "utf8"));
      expect(meta).toMatchObject({
        label: "elevation",
        result_path: w.result,
        supervision: { hard: seconds, log_max: 52_428_800 },
        worker_argv: [JIG, "elevate", "fable", w.brief, w.result],
      });
      expect(w.note("hard")).toBe(`${seconds}\n`);
      expect(JSON.parse((await w.run(["job", "result", id])).stdout)).toMatchObject({ status: "ok" });
    }
  });

  test("--start --json prints what job start prints", async () => {
    const w = world();
    w.stub(say(event("PLAN", fable)));
    const run = await w.run([
      "elevate",
      "--start",
      "--json",
      "--skill",
      "s",
      "--run-id",
      "r",
      "fable",
      w.brief,
      w.result,
    ]);
    const directory = onlyJob(w, "s", "r");
    expect(JSON.parse(run.stdout)).toEqual({ job_id: directory.split("/").at(-1), job_dir: directory });
    expect(run.stdout).toContain('{"job_id": "');
    await settled(w, JSON.parse(run.stdout).job_id);
  });

  test("elevate-26 every check comes before anything is created", async () => {
    const w = world();
    const start = (...words: string[]) => w.run(["elevate", "--start", ...words]);
    const good = ["--skill", "s", "--run-id", "r"];
    const absent = await start(...good, "fable", w.brief, w.result);
    expect([absent.code, absent.stdout, absent.stderr]).toEqual([
      3,
      "",
      "[elevation] claude not found on PATH\n",
    ]);
    w.stub(say(event("x")));
    const cases: [string[], number, string][] = [
      [[...good, "fable", join(w.root, "no.md"), w.result], 2, "prompt file not found"],
      [["--skill", "s", "--run-id", "..", "fable", w.brief, w.result], 1, "--run-id must match"],
      [[...good, "--hard-secs", "0", "fable", w.brief, w.result], 2, "--hard-secs"],
      [[...good, "--hard-secs", "x", "fable", w.brief, w.result], 2, "--hard-secs"],
      [["--skill", "s", "fable", w.brief, w.result], 2, "--run-id"],
      [good, 1, "model required"],
    ];
    for (const [words, code, text] of cases) {
      const run = await start(...words);
      expect([words, run.code, run.stdout]).toEqual([words, code, ""]);
      expect(run.stderr).toContain(text);
      for (const line of run.stderr.trimEnd().split("\n")) expect(line).toMatch(/^\[elevation\] /);
    }
    expect(w.hasEnvelope()).toBe(false);
    expect(readdirSync(w.root).sort()).toEqual(["H", "bin", "home"]);
  });

  test("elevate-27 a sandbox without network is pointed out, and the job starts all the same", async () => {
    const w = world();
    w.stub(say(event("PLAN", fable)));
    const words = ["elevate", "--start", "--skill", "s", "--run-id", "r", "fable", w.brief, w.result];
    const run = await w.run(words, { env: { CODEX_SANDBOX_NETWORK_DISABLED: "1" } });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^\[elevation\] [^\n]*CODEX_SANDBOX_NETWORK_DISABLED[^\n]*\n$/);
    expect(await settled(w, run.stdout.trim())).toBe("done");
  });
});

describe("--verdict", () => {
  test("elevate-23 what to do, for every way a job can end", async () => {
    const w = world();
    const finish = async (script: string, env: Record<string, string> = {}) => {
      w.stub(script);
      const id = await startJob(w, workerForm(w), env);
      await settled(w, id);
      return id;
    };
    const matched = await verdict(w, await finish(say(event("PLAN", fable))));
    expect(matched).toMatchObject({
      verdict: "use",
      job_state: "done",
      job_reason: "worker exited 0",
      envelope_status: "ok",
      requested_model: "fable",
      served_model: "claude-fable-5",
      receipt: "matched",
      model_label: "claude-fable-5",
      result_path: w.result,
    });
    expect(JSON.stringify(matched)).not.toContain("PLAN");
    expect(await verdict(w, await finish(say(event("PLAN"))))).toMatchObject({
      verdict: "use",
      model_label: "fable (unverified)",
    });
    const other = event("PLAN", { modelUsage: { "claude-opus-4": {} } });
    expect(await verdict(w, await finish(say(other)))).toMatchObject({
      verdict: "degrade",
      receipt: "mismatch",
      model_label: null,
    });
    const silent = await verdict(w, await finish("sleep 30", { CE_ELEVATION_IDLE_SECS: "1" }));
    expect(silent).toMatchObject({ verdict: "degrade", job_state: "done", envelope_status: "failed" });

    // A job killed by its log cap before an envelope; then the same after a retry.
    const c = world();
    const flood = await startJob(c, ["sh", "-c", "yes 0123456789 | head -c 20000; sleep 20"], {
      CE_PEER_LOG_MAX_BYTES: "1000",
    });
    expect(await settled(c, flood)).toBe("failed");
    expect(await verdict(c, flood)).toMatchObject({
      verdict: "retry",
      job_state: "failed",
      envelope_status: null,
    });
    expect(await verdict(c, flood, "--retried", "--skill", "s")).toMatchObject({ verdict: "degrade" });
    const running = await startJob(c, ["sleep", "20"]);
    expect(await verdict(c, running)).toMatchObject({ verdict: "wait", job_state: "running" });
    await c.run(["job", "reap", running]);
    const none = await c.run(["job", "start", "--skill", "n", "--run-id", "r", "--", "no-such-worker"]);
    expect(none.code).toBe(1);
    expect(await verdict(c, onlyJob(c, "n", "r"))).toMatchObject({
      verdict: "retry",
      job_state: "never-started",
    });
    const unknown = await c.run(["elevate", "--verdict", "nosuch"]);
    expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
    expect(unknown.stderr).toMatch(/^\[elevation\] job not found under /);
    expect((await c.run(["elevate", "--verdict"])).code).toBe(2);
  }, 90_000);

  test("elevate-29 an envelope published before the kill counts, a leftover does not", async () => {
    const w = world();
    const envelope = {
      status: "ok",
      requested_model: "fable",
      served_model: "claude-fable-5",
      receipt: "matched",
      output: "P",
    };
    writeFileSync(join(w.root, "envelope"), JSON.stringify(envelope));
    const copy = `cp "$NOTES/envelope" "${w.result}"; sleep 20`;
    const id = await startJob(w, ["sh", "-c", copy], { CE_PEER_HARD_SECS: "1" });
    expect(await settled(w, id)).toBe("timeout");
    expect(await verdict(w, id)).toMatchObject({
      verdict: "use",
      job_state: "timeout",
      model_label: "claude-fable-5",
    });
    // The same job with a file from before its start.
    utimesSync(w.result, 1_000_000, 1_000_000);
    expect(await verdict(w, id)).toMatchObject({ verdict: "degrade", envelope_status: null });
    writeFileSync(join(onlyJob(w, "s", "r"), "status"), "died-without-result\n");
    expect(await verdict(w, id)).toMatchObject({ verdict: "retry", job_state: "died-without-result" });
    // Nothing of a job that cannot be trusted is told.
    writeFileSync(join(onlyJob(w, "s", "r"), "status"), "bogus\n");
    expect(await verdict(w, id)).toEqual({
      verdict: "retry",
      why: expect.any(String),
      job_state: "unreadable",
      job_reason: null,
      envelope_status: null,
      requested_model: null,
      served_model: null,
      receipt: null,
      model_label: null,
      result_path: null,
    });
  });

  test("the table, whole", () => {
    const ok = (receipt: EnvelopeFacts["receipt"]): EnvelopeFacts => ({
      status: "ok",
      requestedModel: "m",
      servedModel: "s",
      receipt,
    });
    const failed: EnvelopeFacts = { status: "failed", requestedModel: "m", servedModel: null, receipt: null };
    const SETTLED = ["done", "failed", "timeout", "died-without-result"];
    for (const envelope of [undefined, failed, ok("matched"), ok("mismatch")]) {
      expect(judge("running", envelope, true).verdict).toBe("wait");
      expect(judge("never-started", envelope, false).verdict).toBe("retry");
      expect(judge("unreadable", envelope, false).verdict).toBe("retry");
      expect(judge("never-started", envelope, true).verdict).toBe("degrade");
    }
    for (const state of SETTLED) {
      expect(judge(state, ok("matched"), true).verdict).toBe("use");
      expect(judge(state, ok("unverified"), false).verdict).toBe("use");
      expect(judge(state, ok("mismatch"), false).verdict).toBe("degrade");
      expect(judge(state, failed, false).verdict).toBe("degrade");
      const route = state === "done" || state === "timeout" ? "degrade" : "retry";
      expect(judge(state, undefined, false).verdict).toBe(route);
      expect(judge(state, undefined, true).verdict).toBe("degrade");
    }
  });

  test("what counts as an envelope", () => {
    const good = { status: "ok", requested_model: "m", served_model: "s", receipt: "matched", output: "x" };
    expect(envelopeFacts({ ...good, later: 1 })).toMatchObject({ status: "ok", servedModel: "s" });
    expect(envelopeFacts({ status: "failed", requested_model: "m", evidence: "" })).toMatchObject({
      status: "failed",
    });
    for (const bad of [
      {},
      { ...good, status: "maybe" },
      { ...good, receipt: "x" },
      { ...good, served_model: 1 },
      { ...good, requested_model: null },
    ]) {
      expect(envelopeFacts(bad)).toBeUndefined();
    }
    const { output: _, ...without } = good;
    expect(envelopeFacts(without)).toBeUndefined();
  });
});
