import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RunStateBuilder } from "../../src/craft/run-state/derive.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const EFFECTIVE = [
  "workspace",
  "design",
  "decisions",
  "planning",
  "implementation",
  "review",
  "refactoring",
  "validation",
  "documentation",
  "propose",
  "integrate",
];

const resolution = (awaitingHarnesses: string[] = ["validation"]) =>
  JSON.stringify({
    effective: EFFECTIVE.map((id) => ({ id })),
    gateDecisions: [{ phaseId: "design" }, { phaseId: "propose", awaitingHarnesses }],
  });

function world(lines: readonly string[], impacts?: string) {
  const cwd = tempDir();
  const ledger = join(cwd, "demo.md");
  writeFileSync(ledger, `# craft run record (append-only)\n${lines.map((line) => `${line}\n`).join("")}`);
  if (impacts !== undefined) writeFileSync(join(cwd, "demo.impacts.md"), impacts);
  const run = (words: string[], stdin = resolution()) =>
    runJig(["craft", "run-state", ...words], { cwd, env: { HOME: cwd }, stdin });
  const state = async (stdin?: string, ...more: string[]) => {
    const { code, stdout, stderr } = await run(["demo.md", "--run", "demo", ...more], stdin);
    return { code, stderr, stdout, data: code === 0 ? JSON.parse(stdout) : undefined };
  };
  return { cwd, run, state };
}

const AWAITING = "demo resolve AWAITING(propose): validation";

describe("run-state", () => {
  test("craft-run-17 what is done, in flight and next", async () => {
    const { state, cwd } = world([
      AWAITING,
      "demo workspace PHASE-START(workspace): 2026-09-22T10:00:00Z",
      "demo workspace PHASE-DONE(workspace): ok",
      "demo design PHASE-START(design): 2026-09-22T10:10:00Z",
      "demo design PHASE-DONE(design): ok",
      "demo decisions auto-skip: decisions — evaluated unnecessary (none)",
      "demo planning PHASE-START(planning): 2026-09-22T10:15:00Z",
      "demo planning PHASE-DONE(planning): ok",
      "demo implementation PHASE-START(implementation): 2026-09-22T10:20:00Z",
      "demo implementation PART(1): abc1234 size=pure-module outcome=pass",
      "demo implementation PHASE-DONE(implementation): ok",
      "demo review PHASE-START(review): 2026-09-22T10:40:00Z",
      "demo review FINDINGS(code): c1 /tmp/x.json n=3",
    ]);
    const { code, data } = await state();
    expect(code).toBe(0);
    expect(data).toEqual({
      run: "demo",
      completed: ["workspace", "design", "decisions", "planning", "implementation"],
      inFlight: [{ phase: "review", since: "2026-09-22T10:40:00Z" }],
      next: "refactoring",
      awaitingHarnesses: ["validation"],
      parts: [{ n: 1, sha: "abc1234", size: "pure-module", outcome: "pass" }],
      findings: [{ dimension: "code", cycle: 1, path: "/tmp/x.json", count: 3 }],
      background: [],
      warnings: [],
      releases: [],
    });
    expect(Object.keys(data)).toEqual([
      "run",
      "completed",
      "inFlight",
      "next",
      "awaitingHarnesses",
      "parts",
      "findings",
      "background",
      "warnings",
      "releases",
    ]);
    expect(readdirSync(cwd)).toEqual(["demo.md"]);
  });

  test("craft-run-18 a start after a done is in flight again", async () => {
    const { state } = world([
      AWAITING,
      "demo design PHASE-START(design): a",
      "demo design PHASE-DONE(design): ok",
      "demo design PHASE-START(design): b",
    ]);
    const { data } = await state();
    expect(data.inFlight).toEqual([{ phase: "design", since: "b" }]);
    expect(data.completed).toEqual([]);
  });

  test("craft-run-19 what releases a harness and what does not", async () => {
    const lines = [AWAITING, "demo v GATE(validation): green", "demo v GATE(validation): red"];
    expect((await world(lines).state()).data.awaitingHarnesses).toEqual(["validation"]);
    lines.push("demo v NO-OP(validation:t): x", "demo v NO-OP(verify): x");
    expect((await world(lines).state()).data.awaitingHarnesses).toEqual(["validation"]);
    lines.push("demo v NO-OP(validation): x");
    expect((await world(lines).state()).data).toMatchObject({
      awaitingHarnesses: [],
      releases: [{ phase: "validation", by: "no-op" }],
    });
    const again = world([AWAITING, "demo v GATE(validation): green all of it"]);
    expect((await again.state()).data.releases).toEqual([{ phase: "validation", by: "gate" }]);
  });

  test("craft-run-20 the two sets of awaited harnesses have to agree", async () => {
    const { state } = world([AWAITING]);
    const other = await state(resolution(["validation", "architecture"]));
    expect(other).toMatchObject({ code: 1, stdout: "" });
    expect(other.stderr).toContain(
      "run-state: AWAITING(propose) mismatch — ledger: validation; resolution: validation,architecture",
    );
    const both = world(["demo resolve AWAITING(propose): architecture , validation,"]);
    expect((await both.state(resolution(["validation", "architecture"]))).code).toBe(0);
    const none = world([]);
    expect((await none.state()).stderr).toContain("ledger: absent;");
    const { code, data } = await none.state(resolution([]));
    expect(code).toBe(0);
    expect(data.warnings).toEqual(["no AWAITING(propose) line for run demo"]);
    expect(data.next).toBe("workspace");
  });

  test("craft-run-21 free text and other runs change nothing", async () => {
    const { state } = world([
      AWAITING,
      "demo review DEFERRED(a.md): I1 auto-skip: validation breaks",
      "other v NO-OP(validation): x",
      "demo2 v NO-OP(validation): x",
      "other design PHASE-START(design): x",
    ]);
    expect((await state()).data).toMatchObject({
      awaitingHarnesses: ["validation"],
      inFlight: [],
      warnings: [],
    });
  });

  test("craft-run-22 malformed records are warned of, malformed input is refused", async () => {
    const { state, run } = world([
      AWAITING,
      "demo i PART(1): xyz size=a b outcome=pass",
      "demo x FUTURE(1): y",
    ]);
    const { data } = await state();
    expect(data.parts).toEqual([]);
    expect(data.warnings).toEqual(["malformed PART record: PART(1): xyz size=a b outcome=pass"]);
    for (const stdin of ["null", "{}", "text", "", '{"effective":[{}]}']) {
      expect(await state(stdin)).toMatchObject({ code: 2, stdout: "" });
    }
    for (const [words, message] of [
      [["demo.md"], "run-state: missing --run"],
      [["demo.md", "--run"], "run-state: missing --run value"],
      [["--run", "demo"], "run-state: missing ledger path"],
      [["no.md", "--run", "demo"], "run-state: no.md"],
      [[".", "--run", "demo"], "run-state: .: is not a regular file"],
      [["demo.md", "two", "--run", "demo"], "run-state: unexpected argument two"],
      [["demo.md", "--run", "demo", "--nope"], "run-state: unknown option --nope"],
      [["demo.md", "--run", "Bad"], "run-state: invalid run-id: Bad"],
    ] as const) {
      const { code, stdout, stderr } = await run([...words]);
      expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: "" });
      expect(stderr).toContain(message);
    }
  });

  test("craft-run-23 a hundred thousand lines are read in one pass", async () => {
    const line = (index: number) =>
      index % 2 === 0 ? `demo p free text ${index}` : `other p PART(${index}): abc1234 size=? outcome=pass`;
    const { state } = world([AWAITING, ...Array.from({ length: 100_000 }, (_, index) => line(index))]);
    expect((await state()).data).toMatchObject({ next: "workspace", parts: [] });
  });

  test("a phase outside the pipeline and a second start are warned of; torn and binary lines are not", async () => {
    const { state } = world([
      AWAITING,
      "demo x PHASE-START(gone): a",
      "demo d PHASE-START(design): a",
      "demo d \t PHASE-START(design): b\r",
      "\u0000\ufffd",
      "demo",
      "demo onlyphase",
    ]);
    expect((await state()).data).toMatchObject({
      inFlight: [{ phase: "design", since: "b" }],
      warnings: [
        "phase gone is not in the effective pipeline",
        "phase design has a second PHASE-START while in flight",
      ],
    });
  });

  test("the impacts store is compared with the ledger", async () => {
    const entry = (id: string) =>
      `\n## ${id} t\nphase: review\ncaptured: x\nlocus: a.ts\nreason: out of scope\nproof:\n  p\nexpected: e\n`;
    const store = `# craft discovered impacts (append-only)\n${entry("I1")}${entry("I2")}\n### I2 verdict wont-do\nat: x\nrationale: y\n\n## I3 torn\nphase: r`;
    const { state } = world([AWAITING, "demo review DEFERRED(a.ts): I2 t"], store);
    expect((await state()).data.warnings).toEqual([
      "impact I1 is stored but has no DEFERRED line",
      "impact I2 has a verdict but no TRIAGED line",
      "impact I3 is incomplete",
    ]);
  });

  test("--liveness looks at processes and their output; without it nothing is looked at", async () => {
    const child = spawn("sleep", ["30"], { stdio: "ignore" });
    await once(child, "spawn");
    const out = join(tempDir(), "out");
    writeFileSync(out, "12345");
    const { state } = world([
      AWAITING,
      `demo validation HARNESS-BG(validation:mut): pid=${child.pid} out=${out} spec=none`,
      "demo validation HARNESS-BG(validation:lint): pid=999999999 out=/no/such spec=/s",
      "demo validation HARNESS-BG(validation:nobody): pid=0 out=/no/such spec=none",
    ]);
    try {
      const { data } = await state(undefined, "--liveness");
      expect(
        data.background.map(({ alive, outBytes }: Record<string, unknown>) => [alive, outBytes]),
      ).toEqual([
        [true, 5],
        [false, null],
        [false, null],
      ]);
      expect((await state()).data.background[0]).toEqual({
        phase: "validation",
        technique: "mut",
        pid: child.pid,
        out,
        spec: "none",
      });
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });

  test("--resolution names the file; --from of nothing waits for no terminal", async () => {
    const { cwd, run } = world([AWAITING]);
    mkdirSync(join(cwd, "d"));
    writeFileSync(join(cwd, "r.json"), resolution());
    expect((await run(["demo.md", "--run", "demo", "--resolution", "r.json"], "")).code).toBe(0);
    expect((await run(["demo.md", "--run", "demo", "--resolution", "d"], "")).code).toBe(2);
    expect((await run(["demo.md", "--run", "demo", "--resolution", "no"], "")).stderr).toContain(
      "--resolution no: no such file",
    );
  });

  test("any order of records gives a state that holds together", () => {
    const phase = fc.constantFrom(...EFFECTIVE, "gone");
    const record = fc.oneof(
      phase.map((id) => `PHASE-START(${id}): 2026-01-01T00:00:00Z`),
      phase.map((id) => `PHASE-DONE(${id}): ok`),
      phase.map((id) => `auto-skip: ${id} — x`),
      fc.tuple(phase, fc.boolean()).map(([id, green]) => `GATE(${id}): ${green ? "green" : "red"}`),
      phase.map((id) => `NO-OP(${id}): x`),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(record), (records) => {
        const awaiting = ["validation", "review"];
        const builder = new RunStateBuilder("demo", { effective: EFFECTIVE, awaiting });
        for (const text of ["AWAITING(propose): review,validation", ...records]) builder.add(text);
        const derived = builder.end();
        if (!derived.ok) throw new Error("the sets agree");
        const { completed, inFlight, next, awaitingHarnesses, releases } = derived.state;
        const flying = inFlight.map(({ phase: id }) => id);
        expect(completed.filter((id) => flying.includes(id))).toEqual([]);
        expect([...completed, ...flying]).not.toContain(next);
        const inOrder = (ids: string[]) => expect(ids).toEqual(EFFECTIVE.filter((id) => ids.includes(id)));
        inOrder(completed);
        inOrder(flying);
        expect([...awaitingHarnesses, ...releases.map(({ phase: id }) => id)].sort()).toEqual(
          awaiting.sort(),
        );
      }),
    );
  });
});
