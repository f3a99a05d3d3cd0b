import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { validateArtifact } from "../../../src/flow/artifact/look/validate.ts";
import { fromPlain, type JsonMap } from "../../../src/flow/common/lossless-json.ts";
import { runJig } from "../../support/run.ts";
import { type Artifact, flowWorld, type World } from "../world.ts";

let at: World;
let wf: string;
beforeEach(async () => {
  at = flowWorld();
  wf = await at.begin();
});

describe("flow show, flow summary", () => {
  test("the artifact, or one value; strings unquoted", async () => {
    expect(JSON.parse((await at.flow(["show", wf])).stdout)).toEqual(at.artifact(wf));
    expect((await at.flow(["show", "@latest", "--field", "user_request"])).stdout).toBe('Add "login" page\n');
    expect((await at.flow(["show", wf.slice(0, 9), "--field", "status_history.0.event"])).stdout).toBe(
      "workflow_started\n",
    );
    expect(await at.flow(["show", wf, "--field", "intent.nothing"])).toMatchObject({ code: 1, stdout: "" });
    expect(await at.flow(["show", wf, "--field", "nothing"])).toMatchObject({ code: 1, stdout: "" });
  });

  test("a field that an older artifact lacks is shown as a new one has it", async () => {
    at.writeArtifact(wf, (artifact) => delete artifact["circuit_breaker"]);
    expect((await at.flow(["show", wf, "--field", "circuit_breaker.broken"])).stdout).toBe("false\n");
    expect(at.artifact(wf)).not.toHaveProperty("circuit_breaker");
  });

  test("the summary is what query shows of the file", async () => {
    const summary = await at.flow(["summary", "@latest"]);
    expect(summary).toMatchObject({ code: 0, stdout: expect.stringContaining(wf) });
    expect(summary).toEqual(await at.flow(["query", at.layout.artifact(wf)]));
  });

  test("flow-20 what is no id leads nowhere", async () => {
    for (const word of ["../../etc/passwd", "a..b", "/etc", "", ".x", "x".repeat(201)]) {
      expect([word, await at.flow(["show", word])]).toMatchObject([word, { code: 2, stdout: "" }]);
    }
    const none = await at.flow(["show", "wf-none"]);
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toContain(wf);
    await at.begin();
    expect(await at.flow(["show", "wf-"])).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("flow list", () => {
  test("flow-19 an artifact that is no JSON is named with its place, and listed beside the others", async () => {
    const other = await at.begin(["--type", "PLAN", "--request", "other"]);
    writeFileSync(at.layout.artifact(wf), "{bad");
    const shown = await at.flow(["show", wf]);
    expect(shown).toMatchObject({ code: 1, stdout: "" });
    expect(shown.stderr).toContain(`${at.layout.artifact(wf)}: line 1, column 2`);
    const listed = await at.flow(["list"]);
    expect(listed.code).toBe(0);
    const rows = listed.stdout.trimEnd().split("\n");
    expect(rows.find((row) => row.startsWith(wf))).toMatch(/\tUNREADABLE\t.*line 1, column 2/);
    expect(rows.find((row) => row.startsWith(other))).toContain("PLAN\tRUNNING");
    expect(readFileSync(at.layout.artifact(wf), "utf8")).toBe("{bad");
    expect(await at.json<Artifact[]>(["list"])).toMatchObject([
      { workflow_uuid: expect.any(String) },
      { workflow_uuid: expect.any(String) },
    ]);
    expect((await at.flow(["list", "--open"])).stdout).not.toContain(wf);
  });

  test("newest first, with state, cursor and gate", async () => {
    const [blocked, done, idle] = [await at.begin(), await at.begin(), await at.begin()];
    await at.flow(["gate", blocked, "set", "clarification"]);
    await at.flow(["close", done, "--outcome", "completed"]);
    const age = (id: string, seconds: number) =>
      utimesSync(at.layout.artifact(id), new Date(), new Date(Date.now() - seconds * 1000));
    for (const [index, id] of [blocked, done, wf].entries()) age(id, index * 10);
    age(idle, 91);
    const rows = await at.json<Artifact[]>(["list"]);
    expect(rows.map((row) => [row["workflow_uuid"], row["state"], row["pending_gate"]])).toEqual([
      [blocked, "BLOCKED", "clarification"],
      [done, "DONE", null],
      [wf, "RUNNING", null],
      [idle, "IDLE", null],
    ]);
    expect(Object.keys(rows[0]!)).toEqual([
      ...["workflow_uuid", "workflow_type", "state", "phase_cursor", "pending_gate", "updated_at", "mtime"],
      ...["session_id", "error"],
    ]);
    const open = await at.json<Artifact[]>(["list", "--open"]);
    expect(open.map((row) => row["workflow_uuid"])).toEqual([blocked, wf, idle]);
    expect(await at.json(["list", "--type", "PLAN"])).toEqual([]);
  });

  test("a project without state has no workflows, and gets none", async () => {
    rmSync(at.layout.state, { recursive: true });
    expect(await at.flow(["list"])).toMatchObject({ code: 0, stdout: "" });
    expect(await at.flow(["list", "--project", "nothere"])).toMatchObject({ code: 2 });
    const run = await runJig(["flow", "check"], { cwd: at.root });
    expect(run).toMatchObject({ code: 0, stdout: "0 workflows: 0 errors, 0 warnings\n" });
  });
});

describe("flow check", () => {
  test("a workflow as it was made has nothing wrong with it", async () => {
    expect(await at.flow(["check"])).toMatchObject({
      code: 0,
      stdout: "1 workflow: 0 errors, 0 warnings\n",
    });
  });

  test.each<[string, (artifact: Artifact) => unknown, string, "error" | "warning"]>([
    ["a missing key", (one) => delete one["evidence"], "evidence: is missing", "error"],
    ["a wrong type", (one) => (one["research_files"] = "x"), "research_files: is a string", "error"],
    ["a wrong member", (one) => (one["research_files"] = [1]), "research_files.0: is the number 1", "error"],
    ["an unknown enum", (one) => (one["proof_status"] = "new"), 'proof_status: "new" is none of', "warning"],
    ["another id", (one) => (one["workflow_id"] = "wf-x"), 'workflow_id: is "wf-x"', "error"],
    ["another name", (one) => (one["workflow_uuid"] = "wf-x"), "but the file is called", "error"],
    [
      "a history without its beginning",
      (one) => one["status_history"].shift(),
      "does not begin with",
      "error",
    ],
    ["a lost cursor", (one) => (one["phase_cursor"] = "p9"), '"p9" is no phase_id', "error"],
    ["a gate from nowhere", (one) => (one["pending_gate"] = "clarification"), "no gate_set", "warning"],
  ])("%s", async (_, change, said, level) => {
    at.writeArtifact(wf, change);
    const before = at.artifactText(wf);
    const run = await at.flow(["check", wf]);
    expect(run.code).toBe(level === "error" ? 1 : 0);
    expect(run.stdout).toContain(said);
    expect(run.stdout).toContain(`${wf}: ${level}: `);
    expect(at.artifactText(wf)).toBe(before);
  });

  test("the log: missing, malformed, torn", async () => {
    appendFileSync(at.layout.events(wf), 'no json\n[]\n{"ts":');
    expect(await at.json(["check"])).toMatchObject({
      valid: true,
      errors: 0,
      warnings: 2,
      workflows: [{ findings: [{ message: "2 malformed lines" }, { message: "ends in a torn line" }] }],
    });
    rmSync(at.layout.events(wf));
    expect((await at.flow(["check", "@latest"])).stdout).toContain("the event log is missing");
    writeFileSync(at.layout.artifact(wf), "\xff", "latin1");
    expect((await at.flow(["check"])).stdout).toContain("is not valid UTF-8");
  });

  test("an artifact of an older upstream without jig's additions is valid", () => {
    const artifact = at.artifact(wf);
    for (const name of ["session_id", "circuit_breaker", "telemetry", "capabilities"]) delete artifact[name];
    artifact["pending_gate"] = { reason: "x" };
    artifact["status_history"].push({ event: "gate_set", ts: "x" });
    artifact["x_future"] = 1;
    expect(validateArtifact(fromPlain(artifact) as JsonMap, wf)).toEqual([]);
  });
});

describe("flow close", () => {
  const last = () => at.artifact(wf)["status_history"].at(-1);

  test.each([
    ["completed", "workflow_completed"],
    ["failed", "workflow_failed"],
    ["abandoned", "workflow_failed"],
  ])("%s ends in history and log as %s", async (outcome, event) => {
    const run = await at.flow(["close", wf, "--outcome", outcome, "--reason", "r"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(last()).toMatchObject({ event, decision: outcome, reason: "r" });
    expect(at.events(wf).at(-1)).toMatchObject({ event, decision: outcome, reason: "r" });
    expect(await at.json(["list", "--open"])).toEqual([]);
  });

  test("a gate or a worktree that is not merged stands in the way, not of --force", async () => {
    await at.flow(["gate", wf, "set", "clarification"]);
    const words = ["close", wf, "--outcome", "failed"];
    const before = [at.artifactText(wf), at.events(wf)];
    expect(await at.flow(words)).toMatchObject({ code: 3, stdout: "" });
    expect([at.artifactText(wf), at.events(wf)]).toEqual(before);
    await at.flow(["gate", wf, "clear"]);
    const worktree = { worktree_mode: "auto_created", worktree_path: "/w", worktree_branch: "b" };
    at.writeArtifact(wf, (artifact) => Object.assign(artifact, worktree));
    expect(await at.flow(words)).toMatchObject({ code: 3, stdout: "" });
    expect(await at.flow([...words, "--force"])).toMatchObject({ code: 0 });
    expect(at.artifact(wf)).toMatchObject(worktree);
  });

  test("a damaged pair of worktree path and branch stands in nobody's way", async () => {
    at.writeArtifact(wf, (artifact) => {
      Object.assign(artifact, { worktree_mode: "auto_created", worktree_path: "/w", worktree_branch: null });
    });
    expect(await at.flow(["close", wf, "--outcome", "failed"])).toMatchObject({ code: 0 });
  });

  test("what has ended gets the event alone", async () => {
    await at.flow(["event", wf, "memory_finalized"]);
    const before = at.artifactText(wf);
    expect(await at.json(["close", wf, "--outcome", "completed"])).toMatchObject({ was_done: true });
    expect(at.artifactText(wf)).toBe(before);
    expect(at.events(wf).at(-1)).toMatchObject({ event: "workflow_completed" });
  });
});

describe("flow capability", () => {
  const ALL = "TaskCreate,TaskList, TaskGet,TaskUpdate,Other";
  const answer = () => at.artifact(wf)["capabilities"].task_tools_available;
  const tell = (...words: string[]) => at.flow(["capability", wf, "task_tools_available", ...words]);

  test("flow-27 all four task tools, or none", async () => {
    const detect = (...words: string[]) => at.flow(["capability", "detect", ...words]);
    expect(await detect("--tools", "TaskCreate,TaskList")).toMatchObject({ code: 0, stdout: "false\n" });
    expect(await detect("--tools", ALL)).toMatchObject({ code: 0, stdout: "true\n" });
    expect(await detect("--tools", "")).toMatchObject({ code: 0, stdout: "false\n" });
    expect(await detect("--probe-failed")).toMatchObject({ code: 0, stdout: "false\n" });
    for (const words of [[], ["--tools", ALL, "--probe-failed"], ["--tools", ALL, "--error", "x"], ["x"]]) {
      expect(await detect(...words)).toMatchObject({ code: 2, stdout: "" });
    }
    expect(answer()).toBe("unknown");
    expect(await detect("--tools", ALL, "--wf", wf)).toMatchObject({ code: 0, stdout: "true\n" });
    expect(answer()).toBe(true);
  });

  test("a call that failed flips it, and only a later session's probe flips it back", async () => {
    const failed = ["false", "--failed-call", "TaskCreate", "--error", "not found"];
    expect(await tell(...failed)).toMatchObject({ code: 0 });
    // It was not true, so nothing flipped.
    expect(at.events(wf, "task_tools_flipped")).toEqual([]);
    expect(await tell("true")).toMatchObject({ code: 0 });
    expect(await tell(...failed)).toMatchObject({ code: 0, stdout: "false\n" });
    const flip = { event: "task_tools_flipped", failed_call: "TaskCreate", reason: "not found" };
    expect(at.events(wf).at(-1)).toMatchObject(flip);
    expect(at.artifact(wf)["status_history"].at(-1)).toMatchObject(flip);
    expect(await tell("true")).toMatchObject({ code: 1, stdout: "" });
    expect(await tell("unknown")).toMatchObject({ code: 0 });
    expect(await tell("true")).toMatchObject({ code: 1, stdout: "" });
    const detect = ["capability", "detect", "--tools", ALL, "--wf", wf];
    expect(await at.flow(detect)).toMatchObject({ code: 1, stdout: "" });
    expect(answer()).toBe("unknown");
    expect(await at.flow([...detect, "--new-session"])).toMatchObject({ code: 0, stdout: "true\n" });
    expect(answer()).toBe(true);
  });

  test("words that do not go together", async () => {
    for (const words of [
      ["true", "--failed-call", "x", "--error", "y"],
      ["false", "--failed-call", "x"],
      ["false", "--error", "y"],
      ["maybe"],
      [],
      ["false", "--tools", "x"],
    ]) {
      expect([words, await tell(...words)]).toMatchObject([words, { code: 2, stdout: "" }]);
    }
  });

  test("an answer that upstream wrote as a word is the answer", async () => {
    at.writeArtifact(wf, (artifact) => (artifact["capabilities"].task_tools_available = "true"));
    expect(await tell("false", "--failed-call", "TaskGet", "--error-file", "-")).toMatchObject({ code: 0 });
    expect(at.events(wf, "task_tools_flipped")).toHaveLength(1);
  });
});
