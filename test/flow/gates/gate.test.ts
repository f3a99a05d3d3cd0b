import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Artifact, flowWorld, type World } from "../world.ts";

let at: World;
let wf: string;
beforeEach(async () => {
  at = flowWorld();
  wf = await at.begin();
});

const gate = (...words: string[]) => at.flow(["gate", wf, ...words]);
const names = () => at.events(wf).map(({ event }) => event);

describe("flow gate", () => {
  test("flow-22 one gate at a time, unless it is replaced", async () => {
    expect(await gate("set", "clarification", "--reason", "which db")).toMatchObject({ code: 0, stderr: "" });
    const before = at.artifactText(wf);
    expect(await gate("set", "phase_blocked")).toMatchObject({ code: 3, stdout: "" });
    expect(at.artifactText(wf)).toBe(before);
    expect(await gate("set", "phase_blocked", "--replace")).toMatchObject({ code: 0 });
    expect(names().slice(1)).toEqual(["gate_set", "gate_cleared", "gate_set"]);
    expect(at.events(wf).slice(1)).toMatchObject([
      { gate: "clarification", reason: "which db" },
      { gate: "clarification" },
      { gate: "phase_blocked", reason: null },
    ]);
    expect(at.artifact(wf)["pending_gate"]).toBe("phase_blocked");
  });

  test("the detail is refreshed by setting it again, and goes with the gate", async () => {
    await at.flow(["gate", wf, "set", "clarification", "--reason", "a"], { now: 0 });
    await at.flow(["gate", wf, "set", "clarification", "--reason-file", "-", "--holder", "h"], {
      now: 1_000,
      stdin: "b\n",
    });
    expect(at.artifact(wf)["pending_gate_detail"]).toEqual({
      reason: "b",
      holder: "h",
      set_at: "1970-01-01T00:00:01Z",
    });
    expect(await gate("show")).toMatchObject({ code: 3, stdout: "clarification\n" });
    expect(await gate("clear", "phase_blocked")).toMatchObject({ code: 1, stdout: "" });
    expect(await gate("clear", "clarification", "--reason", "pg")).toMatchObject({ code: 0 });
    expect(at.events(wf).at(-1)).toMatchObject({ event: "gate_cleared", reason: "pg" });
    expect(at.artifact(wf)).toMatchObject({ pending_gate: null, pending_gate_detail: null });
    const before = at.artifactText(wf);
    expect(await gate("clear")).toMatchObject({ code: 0, stdout: "none\n" });
    expect(at.artifactText(wf)).toBe(before);
    expect(await gate("show")).toMatchObject({ code: 0, stdout: "none\n" });
  });

  test("upstream's other form of a gate is one as well", async () => {
    at.writeArtifact(wf, (artifact) => (artifact["pending_gate"] = { reason: "open question" }));
    expect(await gate("show")).toMatchObject({ code: 3, stdout: "open question\n" });
    expect(await gate("clear")).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["pending_gate"]).toBeNull();
  });

  test("a name that is not known is set with a note; what is no name is refused", async () => {
    const run = await gate("set", "my_gate");
    expect(run).toMatchObject({ code: 0, stdout: "my_gate\n" });
    expect(run.stderr).toBe("jig flow: my_gate is no gate that jig knows; it is set all the same\n");
    for (const words of [
      ["set"],
      ["set", "Bad"],
      ["set", "../x"],
      ["show", "x"],
      ["clear", "--holder", "h"],
    ]) {
      expect([words, await gate(...words)]).toMatchObject([words, { code: 2, stdout: "" }]);
    }
  });

  test("short output is in the event; long output is kept whole and cut there", async () => {
    const short = at.write("short.log", "exit 1\n");
    await gate("set", "phase_blocked", "--output-file", short);
    expect(at.events(wf).at(-1)).toMatchObject({ details: "exit 1\n" });
    expect(readdirSync(at.layout.memory(wf))).toEqual([]);
    const text = `first${"\0é".repeat(10_000)}last`;
    const long = at.write("long.log", text);
    const words = ["gate", wf, "set", "phase_blocked", "--output-file", long];
    const made = await at.json(words, { now: Date.UTC(2026, 6, 6, 12, 0, 3) });
    const path = join(at.layout.memory(wf), "gate-phase_blocked-20260706T120003Z.log");
    expect(made["output_path"]).toBe(path);
    expect(readFileSync(path, "utf8")).toBe(text);
    const details = at.events(wf).at(-1)!["details"] as string;
    expect(details.startsWith("first")).toBe(true);
    expect(details.endsWith("last")).toBe(true);
    expect(details).toContain(`characters cut, all are in ${path}`);
    expect(details.length).toBeLessThan(8_300);
    const again = await at.json(words, { now: Date.UTC(2026, 6, 6, 12, 0, 3) });
    expect(again["output_path"]).toBe(path.replace(".log", "-2.log"));
    const refused = ["gate", wf, "set", "clarification", "--output-file", long];
    expect(await at.flow(refused)).toMatchObject({ code: 3, stdout: "" });
    expect(readdirSync(at.layout.memory(wf))).toHaveLength(2);
    const missing = await gate("set", "phase_blocked", "--output-file", "nothere");
    expect(missing).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("flow gate check", () => {
  const PLAN = "# Plan\n\n## differences FROM agreement\nnone\n";
  const change = (edit: (artifact: Artifact) => unknown) => at.writeArtifact(wf, edit);
  const reasons = async (name: string): Promise<string[]> => {
    const run = await gate("check", name);
    const [verdict, ...rest] = run.stdout.trimEnd().split("\n");
    expect([run.code, verdict]).toEqual(rest.length === 0 ? [0, "pass"] : [1, "fail"]);
    return rest;
  };

  test("plan_trust: nothing to distrust without a plan", async () => {
    expect(await reasons("plan_trust")).toEqual([]);
  });

  test("plan_trust holds for a plan that says all", async () => {
    at.write("plan.md", PLAN);
    change((artifact) => {
      Object.assign(artifact, { plan_file: "plan.md", plan_mode: "execution_plan" });
      artifact["intent"].acceptance_criteria = ["x"];
      artifact["intent"].open_decisions = [{ id: 1, approved: true }];
      artifact["normalized_phases"] = [{ phase_id: "p1", exit_criteria: ["done"] }];
    });
    expect(await reasons("plan_trust")).toEqual([]);
  });

  test.each<[string, (artifact: Artifact) => unknown, string]>([
    ["an open decision", (one) => (one["intent"].open_decisions = ["which db"]), "open_decisions: 1"],
    [
      "one not approved",
      (one) => (one["intent"].open_decisions = [{ approved: "true" }]),
      "open_decisions: 1",
    ],
    ["no mode", (one) => (one["plan_mode"] = null), "plan_mode"],
    ["no rigor", (one) => delete one["verification_rigor"], "verification_rigor"],
    ["no criteria", (one) => (one["normalized_phases"] = [{ phase_id: "p1" }]), "phase p1"],
    ["empty criteria", (one) => (one["normalized_phases"][0].exit_criteria = []), "phase p1"],
    ["no acceptance", (one) => (one["intent"].acceptance_criteria = []), "acceptance_criteria"],
    ["no file", (one) => (one["plan_file"] = "nothere.md"), "nothere.md"],
    ["a file without the section", (one) => (one["plan_file"] = "README.md"), "Differences from agreement"],
  ])("plan_trust fails for %s", async (_, edit, said) => {
    at.write("plan.md", PLAN);
    change((artifact) => {
      Object.assign(artifact, { plan_file: "plan.md", plan_mode: "decision_rfc" });
      artifact["intent"].acceptance_criteria = ["x"];
      artifact["normalized_phases"] = [{ phase_id: "p1", exit_criteria: ["done"] }];
      edit(artifact);
    });
    expect(await reasons("plan_trust")).toEqual([expect.stringContaining(said)]);
  });

  test("plan_trust asks for less in direct mode", async () => {
    at.write("plan.md", PLAN);
    change((artifact) => {
      Object.assign(artifact, { plan_file: join(at.root, "plan.md"), plan_mode: "direct" });
      artifact["normalized_phases"] = [{ phase_id: "p1" }];
    });
    expect(await reasons("plan_trust")).toEqual([]);
  });

  test("phase_exit without a cursor: steps but those of the tail, the proof, a gate", async () => {
    for (const step of ["build-implement", "build-doc-sync", "memory-finalize"]) {
      await at.flow(["phase", wf, "add", step]);
    }
    await gate("set", "clarification");
    expect(await reasons("phase_exit")).toEqual([
      "step build-implement is pending",
      "proof_status is gaps_found, not passed",
      "the gate clarification is set",
    ]);
    await gate("clear");
    await at.flow(["phase", wf, "set", "build-implement", "skipped"]);
    await at.flow(["set", wf, 'proof_status="passed"']);
    expect(await reasons("phase_exit")).toEqual([]);
  });

  test("phase_exit with a cursor: that phase", async () => {
    change((artifact) => {
      artifact["normalized_phases"] = [{ phase_id: "p1" }];
      Object.assign(artifact, { phase_cursor: "p1", proof_status: "passed", plan_mode: "execution_plan" });
      artifact["phase_status"] = { p1: "in_progress", "build-implement": "pending" };
    });
    expect(await reasons("phase_exit")).toEqual([
      "phase p1 is in_progress, not completed",
      "phase p1 has no exit_criteria",
    ]);
    change((artifact) => {
      artifact["phase_status"].p1 = "completed";
      artifact["normalized_phases"][0].exit_criteria = ["x"];
    });
    expect(await reasons("phase_exit")).toEqual([]);
  });

  test("failure_stop: the breaker, blocked phases, an escalation that failed again, loops", async () => {
    expect(await reasons("failure_stop")).toEqual([]);
    change((artifact) => {
      artifact["circuit_breaker"].broken = true;
      artifact["phase_status"] = { a: "blocked", b: "pending" };
      artifact["build_mode"] = "fast_path_escalated";
      Object.assign(artifact["telemetry"].loop_counts, { re_verify: 1, doubt_verify: 3, fix_verify: 4 });
    });
    expect(await reasons("failure_stop")).toEqual([
      "circuit_breaker is broken",
      "phase a is blocked",
      "the escalated fast path was verified again and has not passed",
      "fix_verify ran 4 times, more than 3",
    ]);
  });

  test("memory_sync: the event in the log; skill_precedence: no program judges it", async () => {
    expect(await reasons("memory_sync")).toEqual([expect.stringContaining("memory_finalized")]);
    await at.flow(["event", wf, "memory_finalized"]);
    await at.flow(["event", wf, "x"]);
    expect(await reasons("memory_sync")).toEqual([]);
    expect(await gate("check", "skill_precedence")).toMatchObject({
      code: 0,
      stdout: "pass\nnot mechanical\n",
    });
    for (const words of [["check"], ["check", "nope"], ["check", "phase_exit", "--reason", "x"]]) {
      expect([words, await gate(...words)]).toMatchObject([words, { code: 2, stdout: "" }]);
    }
  });

  test("nothing is written", async () => {
    const before = at.artifactText(wf);
    for (const name of ["plan_trust", "phase_exit", "failure_stop", "memory_sync"]) await gate("check", name);
    expect(at.artifactText(wf)).toBe(before);
    expect(existsSync(at.layout.lock(wf))).toBe(false);
  });
});

describe("flow just-go", () => {
  const settings = (text: string) =>
    at.write(
      ".craftflow/state/project/activeContext.md",
      `# Active Context\n\n## Session Settings\n${text}\n`,
    );
  const justGo = (...words: string[]) => at.flow(["just-go", ...words]);

  test("flow-28 a comment is none, AUTO_PROCEED is one; some gates are never answered by it", async () => {
    settings("# AUTO_PROCEED: true");
    expect(await justGo()).toMatchObject({ code: 0, stdout: "false\n" });
    expect(await justGo("--gate", "scope_decision")).toMatchObject({ code: 3, stdout: "ask\n" });
    settings("- AUTO_PROCEED: TRUE");
    expect(await justGo()).toMatchObject({ code: 0, stdout: "true\n" });
    expect(await justGo("--gate", "root_ambiguous")).toMatchObject({ code: 3, stdout: "ask\n" });
    expect(await justGo("--gate", "scope_decision")).toMatchObject({ code: 0, stdout: "auto\n", stderr: "" });
  });

  test("of all gates two may be answered, one of them only for a recommended decision", async () => {
    settings("AUTO_PROCEED: true");
    const auto: string[] = [];
    for (const name of [
      ...["intent_contradiction", "clarification", "scope_decision", "checkpoint_decision", "phase_blocked"],
      ...["worktree_merge_locked", "worktree_base_branch_changed", "worktree_dirty_main_tree"],
      ...["root_ambiguous", "revert", "skill_distill_approval", "circuit_breaker", "my_gate"],
    ]) {
      const run = await justGo("--gate", name);
      expect([name, run.code]).toEqual([name, run.stdout === "auto\n" ? 0 : 3]);
      if (run.code === 0) auto.push(name);
    }
    expect(auto).toEqual(["scope_decision"]);
    const checkpoint = ["--gate", "checkpoint_decision", "--checkpoint-type"];
    expect(await justGo(...checkpoint, "decision")).toMatchObject({ code: 3 });
    expect(await justGo(...checkpoint, "human_verify", "--recommended")).toMatchObject({ code: 3 });
    expect(await justGo(...checkpoint, "decision", "--recommended")).toMatchObject({
      code: 0,
      stdout: "auto\n",
    });
    expect(await justGo("--gate", "Bad!")).toMatchObject({ code: 2, stdout: "" });
  });

  test("lines that contradict each other give false, and are said; other settings are reported", async () => {
    settings("AUTO_PROCEED: true\nAUTO_PROCEED: false\nDIFF_DRIVEN_DOCS: skip");
    const run = await justGo();
    expect(run).toMatchObject({ code: 0, stdout: "false\n" });
    expect(run.stderr).toMatch(/^jig flow: .*AUTO_PROCEED/);
    expect(await at.json(["just-go"])).toMatchObject({
      just_go: false,
      settings: { DIFF_DRIVEN_DOCS: "skip" },
    });
  });

  test("without memory nobody has allowed anything", async () => {
    expect(await justGo()).toMatchObject({ code: 0, stdout: "false\n" });
    writeFileSync(at.write(".craftflow/state/project/activeContext.md", ""), "\xff", "latin1");
    expect(await justGo()).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("flow remfix", () => {
  const WORDS = ["--origin", "code-reviewer", "--phase", "re-review", "--scope", "ALL_ISSUES"];
  const remfix = (...more: string[]) => at.flow(["remfix", wf, ...WORDS, ...more]);

  test("flow-26 the third breaks the circuit, the fourth needs a person", async () => {
    for (let n = 1; n <= 3; n++) expect(await remfix("--reason", `r${n}`)).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["circuit_breaker"]).toEqual({ remfix_count: 3, broken: true });
    const before = at.artifactText(wf);
    expect(await remfix("--reason", "r4")).toMatchObject({ code: 3, stdout: "" });
    expect(at.artifactText(wf)).toBe(before);
    expect(await remfix("--reason", "r4", "--override")).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["circuit_breaker"]).toEqual({ remfix_count: 4, broken: true });
    expect(at.artifact(wf)["remediation_history"]).toMatchObject([
      { n: 1, reason: "r1", origin: "code-reviewer", phase: "re-review", scope: "ALL_ISSUES" },
      { n: 2 },
      { n: 3 },
      { event: "remediation_created", n: 4, override: true },
    ]);
    expect(at.events(wf, "remediation_created")).toHaveLength(4);
  });

  test("an artifact from before the breaker begins at none", async () => {
    at.writeArtifact(wf, (artifact) => delete artifact["circuit_breaker"]);
    expect(await remfix("--reason-file", "-")).toMatchObject({ code: 0 });
    expect(at.artifact(wf)["circuit_breaker"]).toEqual({ remfix_count: 1, broken: false });
  });

  test("who, where, what and why are needed", async () => {
    expect(await remfix()).toMatchObject({ code: 2, stdout: "" });
    const other = ["remfix", wf, ...WORDS, "--reason", "r"].map((word) =>
      word === "code-reviewer" ? "me" : word,
    );
    expect(await at.flow(other)).toMatchObject({ code: 2, stdout: "" });
    expect(at.artifact(wf)["remediation_history"]).toEqual([]);
  });
});
