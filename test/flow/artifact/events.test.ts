import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { runJig } from "../../support/run.ts";
import { flowWorld, type World } from "../world.ts";

let at: World;
let wf: string;
beforeEach(async () => {
  at = flowWorld();
  wf = await at.begin();
});

const log = () => readFileSync(at.layout.events(wf), "utf8");

/** So many calls of the binary, a few at a time: the machine has no more processors than that. */
async function concurrently(count: number, words: readonly string[]): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const run = await runJig(["flow", ...words], { cwd: at.root, timeout: 120_000 });
      expect(run).toMatchObject({ code: 0, stderr: "" });
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}

describe("flow event", () => {
  test("flow-13 two hundred calls at once are two hundred lines", { timeout: 240_000 }, async () => {
    await concurrently(200, ["event", wf, "agent_started", "--agent", "builder"]);
    expect(log().endsWith("\n")).toBe(true);
    expect(at.events(wf)).toHaveLength(201);
    expect(at.events(wf, "agent_started")).toHaveLength(200);
  });

  test("flow-18 a torn line is set off, kept and said", async () => {
    appendFileSync(at.layout.events(wf), '{"ts":');
    const run = await at.flow(["event", wf, "agent_started"]);
    expect(run).toMatchObject({ code: 0, stdout: "" });
    expect(run.stderr).toMatch(/^jig flow: .*torn line/);
    const lines = log().split("\n");
    expect(lines.at(-3)).toBe('{"ts":');
    expect(JSON.parse(lines.at(-2)!)).toMatchObject({ event: "agent_started" });
    expect((await at.flow(["event", wf, "agent_started"])).stderr).toBe("");
  });

  test("every key is there, and what is known beside them; prints nothing", async () => {
    const before = at.artifactText(wf);
    const words = [
      ...["event", wf.slice(-8), "contract_parsed", "--phase", "p", "--task-id", "7", "--agent", "a"],
      ...["--decision", "d", "--reason", "r", "--details", "t", "--field", 'n={"2":1,"1":2.50}'],
    ];
    expect(await at.flow(words, { now: Date.UTC(2026, 6, 6, 12, 0, 3) })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(log().split("\n").at(-2)).toBe(
      `{"ts":"2026-07-06T12:00:03Z","wf":"${wf}","event":"contract_parsed","phase":"p","task_id":"7","agent":"a",` +
        '"decision":"d","reason":"r","n":{"2":1,"1":2.50},"details":"t"}',
    );
    const printed = await at.flow(["event", wf, "x", "--json"]);
    expect(printed.stdout).toBe(`${log().split("\n").at(-2)}\n`);
    expect(at.artifactText(wf)).toBe(before);
  });

  test("--from begins with an object; its ts and wf do not count, and flags go over it", async () => {
    const file = at.write("e.json", '{"ts":"x","wf":"y","event":"z","phase":"p","agent":"a","__proto__":1}');
    expect(await at.flow(["event", wf, "x", "--from", file, "--agent", "b"])).toMatchObject({ code: 0 });
    const line = log().split("\n").at(-2)!;
    expect(JSON.parse(line)).toMatchObject({ wf, event: "x", phase: "p", agent: "b" });
    expect(line).toContain('"__proto__":1');
    expect(await at.flow(["event", wf, "x", "--from", "-"], { stdin: "[]" })).toMatchObject({ code: 1 });
    const bad = await at.flow(["event", wf, "x", "--from", "-"], { stdin: "{\n x" });
    expect(bad.stderr).toContain("line 2, column 2");
    expect((await at.flow(["event", wf, "x", "--reason-file", "-"], { stdin: "why\n" })).code).toBe(0);
    expect(at.events(wf).at(-1)).toMatchObject({ reason: "why" });
  });

  test.each([
    [["Bad"], "lower-case name"],
    [["x", "--field", "k=bare"], "not JSON"],
    [["x", "--field", "k"], "expected NAME=JSON"],
    [["x", "--field", 'ts="x"'], "filled in by jig"],
    [["x", "--reason", "a", "--reason-file", "b"], "not both"],
    [["x", "--details", "y".repeat(70_000)], "details is too long"],
  ])("what is no event is refused, nothing appended: %j", async (words, said) => {
    const before = log();
    const run = await at.flow(["event", wf, ...words]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(said);
    expect(log()).toBe(before);
  });

  test("a workflow that is not there, or is only begun to be named", async () => {
    expect(await at.flow(["event", "wf-none", "x"])).toMatchObject({ code: 1 });
    expect(await at.flow(["event", wf.slice(0, 10), "x"])).toMatchObject({ code: 1 });
    expect(await at.flow(["event", "@latest", "x"])).toMatchObject({ code: 2 });
  });
});

describe("flow history", () => {
  test("flow-14 fifty calls at once are fifty entries in both places", { timeout: 240_000 }, async () => {
    await concurrently(50, ["history", wf, "phase_started"]);
    expect(at.artifact(wf)["status_history"]).toHaveLength(51);
    expect(at.events(wf, "phase_started")).toHaveLength(50);
  });

  test("an entry says what is known, the log all keys; alone it prints the list", async () => {
    expect(
      await at.flow(["history", wf, "phase_started", "--phase", "p1", "--field", "n=1"], { now: 0 }),
    ).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const entry = { event: "phase_started", ts: "1970-01-01T00:00:00Z", n: 1, phase: "p1" };
    expect(at.artifact(wf)).toMatchObject({ updated_at: "1970-01-01T00:00:00Z" });
    expect(at.artifact(wf)["status_history"].at(-1)).toEqual(entry);
    expect(at.events(wf).at(-1)).toMatchObject({ ...entry, wf, agent: null });
    const printed = JSON.parse((await at.flow(["history", wf])).stdout);
    expect(printed).toEqual(at.artifact(wf)["status_history"]);
    expect(await at.json(["history", wf, "--remediation"])).toEqual([]);
    await at.flow(["history", wf, "fixed", "--remediation", "--reason", "r"]);
    expect(await at.json(["history", wf, "--remediation"])).toMatchObject([{ event: "fixed", reason: "r" }]);
    expect(await at.flow(["history", wf, "--phase", "p"])).toMatchObject({ code: 2 });
  });

  test("an entry too long for the log is not written at all", async () => {
    const before = [at.artifactText(wf), log()];
    const file = at.write("long.json", JSON.stringify({ details: "x".repeat(70_000) }));
    expect(await at.flow(["history", wf, "x", "--from", file])).toMatchObject({ code: 2 });
    expect([at.artifactText(wf), log()]).toEqual(before);
  });

  test("a history that is no list is replaced by nothing", async () => {
    writeFileSync(at.layout.artifact(wf), "[]\n");
    const run = await at.flow(["history", wf, "x"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("not an object");
  });
});
