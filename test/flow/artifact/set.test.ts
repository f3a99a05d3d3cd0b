import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { splitAssignment } from "../../../src/flow/artifact/change/assignment.ts";
import { FIELDS } from "../../../src/flow/artifact/fields.ts";
import { problemsOf } from "../../../src/flow/artifact/kinds.ts";
import { fromPlain } from "../../../src/flow/common/lossless-json.ts";
import { JigError } from "../../../src/kernel/call/errors.ts";
import { BUN, ROOT } from "../../support/paths.ts";
import { runJig, testEnv, until } from "../../support/run.ts";
import { flowWorld, type World } from "../world.ts";

let at: World;
let wf: string;
beforeEach(async () => {
  at = flowWorld();
  wf = await at.begin();
});

const set = (...words: string[]) => at.flow(["set", wf, ...words]);

describe("flow set", () => {
  test("several values together, and the moment", async () => {
    const run = await at.flow(
      ["set", wf.slice(-8), 'plan_mode="direct"', 'proof_status="passed"', "quality.confidence=80"],
      { now: 0 },
    );
    expect(run).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(at.artifact(wf)).toMatchObject({
      plan_mode: "direct",
      proof_status: "passed",
      quality: { confidence: 80, evidence_complete: false },
      updated_at: "1970-01-01T00:00:00Z",
    });
    expect(await at.json(["set", wf, 'plan_mode="direct"'])).toMatchObject({ changed: ["plan_mode"] });
  });

  test("flow-69 an optional object begins with its first member", async () => {
    expect(await set('telemetry.effort.builder="low"')).toMatchObject({ code: 0, stderr: "" });
    expect(await set('telemetry.effort.verifier="high"')).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["telemetry"].effort).toEqual({ builder: "low", verifier: "high" });
    const before = at.artifactText(wf);
    expect(await set('telemetry.effort.builder="most"')).toMatchObject({ code: 2 });
    expect((await set('telemetry.efforts.builder="low"')).stderr).toContain("no place builder");
    expect((await set('telemetry.loop_counts.deep.re_review="1"')).stderr).toContain("no place");
    expect(at.artifactText(wf)).toBe(before);
  });

  test("flow-15 a value outside the enum is refused with the allowed ones", async () => {
    const before = at.artifactText(wf);
    const run = await set('plan_mode="sideways"');
    expect(run).toMatchObject({ code: 2, stdout: "" });
    for (const word of ["plan_mode", "direct", "execution_plan", "decision_rfc"]) {
      expect(run.stderr).toContain(word);
    }
    expect(at.artifactText(wf)).toBe(before);
  });

  test.each(['created_at="x"', "status_history=[]"])("flow-16 %s is refused", async (word) => {
    const before = at.artifactText(wf);
    expect(await set(word)).toMatchObject({ code: 2, stdout: "" });
    expect(await set("--owned", word)).toMatchObject({ code: 2, stdout: "" });
    expect(at.artifactText(wf)).toBe(before);
  });

  test("flow-17 unknown keys, their order and the spelling of numbers survive", async () => {
    const text = at.artifactText(wf).replace("}\n", ',"x_future":{"2":1,"1":2.50,"__proto__":1e2}}\n');
    writeFileSync(at.layout.artifact(wf), text);
    expect(await set('verification_rigor="critical_path"')).toMatchObject({ code: 0, stderr: "" });
    const after = at.artifactText(wf);
    expect(after).toContain(',"x_future":{"2":1,"1":2.50,"__proto__":1e2}}');
    const moment = /"updated_at":"[^"]*"/;
    expect(after.replace('"critical_path"', '"standard"').replace(moment, "")).toBe(text.replace(moment, ""));
  });

  test("+= appends to a list, @ reads a file, --string takes text as it is", async () => {
    const file = at.write("d.json", '{"id":1}\n');
    expect(await set(`approved_decisions+=@${file}`, 'approved_decisions+="b"')).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["approved_decisions"]).toEqual([{ id: 1 }, "b"]);
    const words = ["set", wf, "--string", "plan_file=@-"];
    expect(await at.flow(words, { stdin: 'docs/"p".md\n' })).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["plan_file"]).toBe('docs/"p".md');
    expect(await set("approved_decisions.1=null", "results.builder={}")).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["approved_decisions"]).toEqual([{ id: 1 }, null]);
    expect(await set('results.builder.summary="s"', "results.doc_syncer={}")).toMatchObject({ code: 0 });
    expect(await set("--create", 'x.y="z"')).toMatchObject({ code: 2 });
    expect(await set("--create", 'x={"y":1}')).toMatchObject({ code: 0 });
    expect(await set("x.y=2")).toMatchObject({ code: 0 });
    expect(at.artifact(wf)).toMatchObject({ x: { y: 2 }, results: { builder: { summary: "s" } } });
  });

  test.each([
    [['unknown="x"'], "no key unknown"],
    [["plan_mode=direct"], "not JSON"],
    [["plan_mode"], "expected PATH=JSON"],
    [["=1"], "expected PATH=JSON"],
    [["intent..goal=1"], "expected PATH=JSON"],
    [["plan_mode=5"], "expected a string"],
    [["research_files=[1]"], "research_files.0"],
    [["research_files+=1"], "research_files.0"],
    [['plan_mode+="x"'], "+= needs a list"],
    [["bakeoff_n=5"], "at most 4"],
    [["bakeoff_n=1.5"], "a whole number"],
    [['quality.research_quality="x"'], "quality.research_quality"],
    [['results.builder.summary="x"'], "results.builder is null"],
    [['approved_decisions.0="x"'], "no place 0"],
    [['pending_gate="x"'], "jig flow gate"],
    [["phase_status={}"], "jig flow phase"],
    [["phase_cursor=null"], "jig flow phase"],
    [["normalized_phases=[]"], "jig flow phase"],
    [["worktree_mode=null"], "jig flow worktree"],
    [["circuit_breaker.broken=true"], "jig flow remfix"],
    [["build_mode=null"], "jig flow fast-path"],
    [["fast_path_escalated=true"], "jig flow fast-path"],
    [["capabilities.task_tools_available=true"], "jig flow capability"],
    [['capabilities={"task_tools_available":true}'], "jig flow capability"],
    [["workspace_writable_paths=[]"], "cannot be changed"],
    [["session_id=null"], "cannot be changed"],
    [["remediation_history+={}"], "only ever appended to"],
    [["plan_mode=@-", "plan_file=@-"], "@- stands twice"],
    [['plan_mode="direct"', 'proof_status="x"'], "proof_status"],
  ])("refused, nothing written: %j", async (words, said) => {
    const before = at.artifactText(wf);
    const run = await at.flow(["set", wf, ...words], { stdin: "null" });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(said);
    expect(at.artifactText(wf)).toBe(before);
  });

  test("what never decreases, and what never becomes false again, is kept so", async () => {
    expect(await set("planning_review_runs=2", "telemetry.loop_counts.re_verify=3")).toMatchObject({
      code: 0,
    });
    const owned = ["--owned", 'circuit_breaker={"remfix_count":2,"broken":true}', 'build_mode="standard"'];
    expect(await set(...owned)).toMatchObject({ code: 0 });
    const before = at.artifactText(wf);
    for (const words of [
      ["planning_review_runs=1"],
      ["telemetry.loop_counts.re_verify=2"],
      ['telemetry.loop_counts={"re_verify":2}'],
      ["telemetry.loop_counts={}"],
      ["telemetry={}"],
      ["--owned", "circuit_breaker.broken=false"],
      ["--owned", "circuit_breaker={}"],
    ]) {
      const run = await set(...words);
      expect([words, run.code]).toEqual([words, 2]);
      expect(run.stderr).toContain("never goes back");
    }
    expect(at.artifactText(wf)).toBe(before);
    expect(await set("telemetry.loop_counts.doubt_verify=1")).toMatchObject({ code: 0 });
  });

  test("a field that an older artifact lacks begins as a new one would; an unknown enum elsewhere is kept", async () => {
    at.writeArtifact(wf, (artifact) => {
      delete artifact["telemetry"];
      artifact["planning_review_status"] = "newer";
      artifact["quality"].convergence_state = "newer";
    });
    expect(await set("telemetry.loop_counts.re_hunt=1", "quality.scenario_coverage=2")).toMatchObject({
      code: 0,
    });
    expect(at.artifact(wf)).toMatchObject({
      planning_review_status: "newer",
      quality: { convergence_state: "newer", scenario_coverage: 2 },
      telemetry: { loop_counts: { re_review: 0, re_hunt: 1 }, task_metrics_available: "unknown" },
    });
  });

  test("twenty writers at once, two thousand updates: none lost, unknown keys kept", {
    timeout: 600_000,
  }, async () => {
    at.writeArtifact(wf, (artifact) => Object.assign(artifact, { x_future: { b: 1, a: [1.5] } }));
    const script = join(at.base, "writer.ts");
    const store = JSON.stringify(join(ROOT, "src/flow/artifact/store.ts"));
    const read = JSON.stringify(join(ROOT, "src/flow/artifact/read.ts"));
    const layout = JSON.stringify(join(ROOT, "src/flow/common/layout.ts"));
    writeFileSync(
      script,
      `import { updateArtifact } from ${store};
import { appendAt } from ${read};
import { layoutOf } from ${layout};
const [root, wf, who] = process.argv.slice(2);
const host = { env: { JIG_FLOW_LOCK_WAIT_MS: "300000" }, pid: process.pid, now: Date.now };
for (let n = 0; n < 100; n++) {
  await updateArtifact(host, layoutOf(root), wf, (artifact) => {
    appendAt(artifact, "approved_decisions", who + ":" + n);
    return { result: undefined, events: [{ event: "agent_started", agent: who }] };
  });
}
`,
    );
    const writers = Array.from({ length: 20 }, (_, who) =>
      runJig([script, at.root, wf, String(who)], { program: BUN, timeout: 500_000 }),
    );
    for (const run of await Promise.all(writers)) expect(run).toMatchObject({ code: 0, stderr: "" });
    const artifact = at.artifact(wf);
    const expected = Array.from({ length: 2_000 }, (_, index) => `${Math.floor(index / 100)}:${index % 100}`);
    expect([...artifact["approved_decisions"]].sort()).toEqual(expected.sort());
    expect(artifact["x_future"]).toEqual({ b: 1, a: [1.5] });
    expect(at.events(wf, "agent_started")).toHaveLength(2_000);
  });

  test("flow-59 a lock ends with its holder, and a living one is named", async () => {
    const script = join(at.base, "holder.ts");
    const lock = JSON.stringify(join(ROOT, "src/flow/common/lock.ts"));
    const layout = JSON.stringify(join(ROOT, "src/flow/common/layout.ts"));
    writeFileSync(
      script,
      `import { withArtifactLock } from ${lock};
import { layoutOf } from ${layout};
const [root, wf] = process.argv.slice(2);
const host = { env: {}, pid: process.pid, now: Date.now };
await withArtifactLock(host, layoutOf(root), wf, () => {
  console.log("held");
  return new Promise((resolve) => setTimeout(resolve, 600_000));
});
`,
    );
    const holder = spawn(BUN, [script, at.root, wf], {
      env: testEnv(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await new Promise((resolve) => holder.stdout!.once("data", resolve));
      const before = at.artifactText(wf);
      const words = ["set", wf, 'plan_mode="direct"'];
      const refused = await at.flow(words, { env: { JIG_FLOW_LOCK_WAIT_MS: "200" } });
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain(`process ${holder.pid}`);
      expect(at.artifactText(wf)).toBe(before);
      const waits = at.flow(words, { env: { JIG_FLOW_LOCK_WAIT_MS: "60000" } });
      holder.kill("SIGKILL");
      expect(await waits).toMatchObject({ code: 0, stderr: "" });
    } finally {
      holder.kill("SIGKILL");
      await until("the end of the holder", () => holder.exitCode !== null || holder.signalCode !== null);
    }
  });

  test("a foreign writer without the lock is noticed: the change is made on its bytes", async () => {
    const { updateArtifact } = await import("../../../src/flow/artifact/store.ts");
    const host = { env: {}, pid: process.pid, now: Date.now };
    let calls = 0;
    await updateArtifact(host, at.layout, wf, (artifact) => {
      calls++;
      if (calls === 1) at.writeArtifact(wf, (other) => Object.assign(other, { theirs: 1 }));
      artifact.set("ours", true);
      return { result: undefined };
    });
    expect(calls).toBe(2);
    expect(at.artifact(wf)).toMatchObject({ theirs: 1, ours: true });
    let moved = 10;
    const restless = updateArtifact(host, at.layout, wf, (artifact) => {
      at.writeArtifact(wf, (other) => Object.assign(other, { theirs: ++moved }));
      artifact.set("ours", false);
      return { result: undefined };
    });
    await expect(restless).rejects.toThrow(/artifact keeps changing underneath/);
    expect(moved).toBe(15);
    expect(at.artifact(wf)).toMatchObject({ theirs: 15, ours: true });
  });
});

describe("what a field may hold", () => {
  test("every value at creation is allowed, and nothing that was made up in its place", () => {
    for (const [name, { kind, init }] of Object.entries(FIELDS)) {
      if (init !== undefined) expect([name, problemsOf(kind, fromPlain(init()), name)]).toEqual([name, []]);
    }
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(FIELDS)), fc.jsonValue(), (name, value) => {
        const { kind } = FIELDS[name]!;
        for (const problem of problemsOf(kind, fromPlain(value), name)) {
          expect(problem.path.startsWith(name)).toBe(true);
          expect(problem.message).not.toBe("");
        }
      }),
    );
  });

  test("an assignment is a path and a text, or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab.+=\"'@ 1") }), (word) => {
        try {
          const { path, how, text } = splitAssignment(word);
          expect(path.join(".") + (how === "append" ? "+=" : "=") + text).toBe(word);
          expect(path).not.toContain("");
        } catch (error) {
          expect(error).toBeInstanceOf(JigError);
        }
      }),
    );
  });
});
