import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportPage } from "../../src/craft/metrics/page.ts";
import { summarise } from "../../src/craft/metrics/summarise.ts";
import { type MetricsRow, parseRow, roundHalfUp, rowText } from "../../src/craft/metrics/usage.ts";
import { runJig } from "../support/run.ts";
import { runWorld } from "./run-world.ts";

const T = "2026-09-22T10:00:00.000Z";

interface TurnLine {
  id?: string;
  request?: string;
  usage?: Record<string, number>;
  tools?: number;
  at?: string;
  model?: string;
}

function line({ id, request, usage = {}, tools = 0, at = T, model = "m" }: TurnLine): string {
  const content = Array.from({ length: tools }, () => ({ type: "tool_use" }));
  const message = { ...(id === undefined ? {} : { id }), model, usage, content };
  return JSON.stringify({
    type: "assistant",
    timestamp: at,
    ...(request ? { requestId: request } : {}),
    message,
  });
}

const usage = (input: number, read: number, creation: number, output: number) => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: creation,
  output_tokens: output,
});

function world() {
  const made = runWorld();
  const { cwd, home, call } = made;
  const project = join(home, ".claude/projects", cwd.replaceAll(/[/.]/g, "-"));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const agent = (session: string, name: string, type: string, lines: readonly string[]) => {
    const base = join(project, session, "subagents", `agent-${name}`);
    put(`${base}.jsonl`, `${lines.join("\n")}\n`);
    put(`${base}.meta.json`, JSON.stringify({ agentType: type }));
  };
  const main = (session: string, lines: readonly string[]) =>
    put(join(project, `${session}.jsonl`), `${lines.join("\n")}\n`);
  const emit = (...words: string[]) =>
    call(["metrics", "emit", ...words], { env: { CLAUDE_CODE_SESSION_ID: "" } });
  const ledger = () => readFileSync(join(cwd, ".claude/craft-metrics.md"), "utf8");
  return { ...made, project, put, agent, main, emit, ledger };
}

describe("metrics emit", () => {
  test("craft-run-37 a turn is billed once, its tool calls are summed", async () => {
    const { agent, emit, ledger } = world();
    agent("s1", "1", "craft:designer", [
      line({ id: "m", usage: usage(5, 50, 6, 3), tools: 1 }),
      line({ id: "m", usage: usage(5, 50, 6, 8), tools: 1 }),
    ]);
    const row =
      "demo design turns=1 tool_calls=2 tokens=69 duration_ms=0 cache_read=50 cache_creation=6 output=8 avg_ctx=61 equiv=58";
    expect((await emit("--run", "demo")).stdout).toBe(`${row}\n`);
    expect((await emit("--run", "demo", "--phase", "planning")).stdout).toBe("demo planning transcript=na\n");
    expect(ledger().split("\n")).toEqual([
      "# craft per-phase metrics (append-only)",
      expect.stringMatching(/^# .*duration_ms.*equiv/),
      row,
      "demo planning transcript=na",
      "",
    ]);
  });

  test("craft-run-38 compactions are said on stdout alone, and not for one phase", async () => {
    const { agent, main, emit, ledger } = world();
    agent("s1", "1", "designer", [line({ id: "m", usage: usage(1, 1, 1, 1) })]);
    main("s1", [
      JSON.stringify({
        type: "system",
        subtype: "compact_boundary",
        timestamp: T,
        compactMetadata: { preTokens: 24_715 },
      }),
      JSON.stringify({ type: "user", isCompactSummary: true, message: { content: "x".repeat(3_380) } }),
    ]);
    const { stdout } = await emit("--run", "demo");
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(
      "Compactions: 1 (main 1, sub-agent 0) — estimated summary-call cost 11k–20k equiv (estimate; not in totals)",
    );
    expect(ledger()).not.toContain("Compactions");
    expect((await emit("--run", "demo", "--phase", "design")).stdout).not.toContain("Compactions");
  });

  test("craft-run-50 the calling session's rows natively, all under the upstream name", async () => {
    const { agent, call, cwd, env } = world();
    agent("s1", "1", "designer", [line({ id: "a", usage: usage(1, 1, 1, 1) })]);
    agent("s2", "1", "planner", [line({ id: "b", usage: usage(1, 1, 1, 1) })]);
    const native = await call(["metrics", "emit", "--run", "demo"], {
      env: { CLAUDE_CODE_SESSION_ID: "s2" },
    });
    expect(native.stdout).toMatch(/^demo planning turns=1 [^\n]*\n$/);
    for (const name of ["emit-metrics.sh", "metrics-emit.js"]) {
      const words = ["--as", name, "--run", "demo", "--future", "x", "extra"];
      const upstream = await runJig(words, { cwd, env: { ...env, CLAUDE_CODE_SESSION_ID: "s2" } });
      expect(upstream.code).toBe(0);
      expect(upstream.stdout.split("\n").map((text) => text.split(" ")[1])).toEqual([
        "design",
        "planning",
        undefined,
      ]);
      expect(upstream.stderr).toContain("all sessions");
    }
  });

  test("craft-run-56 outside git the ledger lies in the working directory", async () => {
    const { home, call, put, base } = world();
    const cwd = join(base, "plain");
    const project = join(home, ".claude/projects", cwd.replaceAll(/[/.]/g, "-"));
    mkdirSync(cwd);
    put(join(project, "s/subagents/agent-1.jsonl"), `${line({ id: "a", usage: usage(1, 1, 1, 1) })}\n`);
    put(join(project, "s/subagents/agent-1.meta.json"), '{"agentType":"reviewer"}');
    const { code, stdout } = await call(["metrics", "emit", "--run", "x"], { cwd });
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, ".claude/craft-metrics.md"), "utf8")).toContain(stdout);
  });

  test("wrong words touch nothing", async () => {
    const { emit, cwd, base } = world();
    for (const [words, message] of [
      [[], "metrics-emit: missing required --run"],
      [["--run", "a b"], "metrics-emit: invalid --run 'a b'"],
      [["--run", "x", "--phase", ".p"], "metrics-emit: invalid --phase '.p'"],
      [["--run", "x", "--since", "soon"], "metrics-emit: unparseable --since 'soon'"],
      [["--run", "x", "--dir", base], "metrics-emit: --dir not contained within the projects root"],
      [["--run", "x", "--ledger", "../m.md"], "metrics-emit: --ledger not contained within the repo root"],
      [["--run", "x", "--nope"], "metrics-emit: "],
    ] as const) {
      const { code, stdout, stderr } = await emit(...words);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
      expect(stderr).toContain(message);
    }
    expect((await emit("--run", "x")).stderr).toContain("no events found for run 'x'");
    symlinkSync(base, join(cwd, ".claude"));
    expect((await emit("--run", "x")).stderr).toContain("not contained within the repo root");
  });

  test("roles, sessions, repeated messages, bounds, bad lines, missing cache fields", async () => {
    const { agent, emit, project, put, base } = world();
    agent("s", "1", "reviewer", [
      line({ id: "a", request: "r", usage: usage(10, 0, 0, 1), at: "2026-09-22T10:00:00Z" }),
      "not json",
      line({ usage: usage(20, 0, 0, 1), at: "2026-09-22T10:00:05Z" }),
      line({ id: "syn", usage: usage(99, 0, 0, 9), model: "<synthetic>" }),
    ]);
    agent("s", "2", "craft:reviewer", [line({ id: "a", request: "r", usage: usage(10, 0, 0, 1) })]);
    agent("s", "3", "constructor", [line({ id: "z", usage: usage(1, 1, 1, 1) })]);
    agent("s", "4", "harness-triager", [line({ id: "h", usage: { input_tokens: 5, output_tokens: 2 } })]);
    put(join(base, "outside.jsonl"), line({ id: "o", usage: usage(1, 1, 1, 1) }));
    symlinkSync(join(base, "outside.jsonl"), join(project, "s/subagents/agent-5.jsonl"));
    const { stdout, stderr } = await emit("--run", "demo", "--session", "s");
    expect(stdout.trimEnd().split("\n")).toEqual([
      "demo review turns=2 tool_calls=0 tokens=32 duration_ms=5000 cache_read=0 cache_creation=0 output=2 avg_ctx=15 equiv=40",
      "demo validation turns=1 tool_calls=0 tokens=na duration_ms=0 cache=na output=2 avg_ctx=na equiv=na",
    ]);
    expect(stderr).toContain("0 transcript(s) unreadable, 1 refused by containment");
    const later = await emit(
      "--run",
      "demo",
      "--session",
      "s",
      "--phase",
      "review",
      "--since",
      "2026-09-22T10:00:01Z",
    );
    expect(later.stdout).toContain("demo review turns=1 ");
    const shared = await emit("--run", "demo", "--session", "s", "--phase", "architecture");
    expect(shared.stdout).toContain("demo architecture turns=1 ");
  });
});

describe("rows", () => {
  const figures = fc.record({
    turns: fc.nat(),
    toolCalls: fc.nat(),
    tokens: fc.option(fc.nat()),
    durationMs: fc.nat(),
    cache: fc.option(fc.record({ read: fc.nat(), creation: fc.nat() })),
    output: fc.nat(),
    averageContext: fc.option(fc.nat()),
    equivalent: fc.option(fc.nat()),
  });
  const row: fc.Arbitrary<MetricsRow> = fc.record({
    run: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,10}$/),
    phase: fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/),
    figures: fc.option(figures),
  });

  test("a row that was written is read as it was", () => {
    fc.assert(
      fc.property(row, (one) => {
        expect(parseRow(rowText(one))).toEqual(one);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseRow(text);
        if (parsed !== undefined) expect(parseRow(rowText(parsed))).toEqual(parsed);
      }),
    );
    expect([0.5, 1.5, 2.45, 57.35].map(roundHalfUp)).toEqual([1, 2, 2, 57]);
  });
});

describe("metrics report", () => {
  const row = (run: string, phase: string, tokens: number) =>
    `${run} ${phase} turns=2 tool_calls=3 tokens=${tokens} duration_ms=65000 cache_read=100 cache_creation=50 output=10 avg_ctx=5 equiv=${tokens}`;

  function reporting() {
    const made = runWorld();
    mkdirSync(join(made.cwd, ".claude"));
    const text = [
      "# craft per-phase metrics (append-only)",
      row("a", "design", 1_000),
      row("a", "review", 2_000),
      row("a", "review", 3_000),
      "b planning transcript=na",
      "odd line",
      "",
    ].join("\n");
    writeFileSync(join(made.cwd, ".claude/craft-metrics.md"), text);
    writeFileSync(
      join(made.cwd, "p.json"),
      '{"currency":"USD","input":1,"output":10,"cache_read":0.1,"cache_creation":2}',
    );
    const report = (...words: string[]) => made.call(["metrics", "report", ...words]);
    return { ...made, report };
  }

  test("sums by phase and run, counts what ran again, prices what it can", async () => {
    const { report } = reporting();
    const { stdout, stderr } = await report("--json", "--prices", "p.json");
    expect(stderr).toContain("1 line(s)");
    const { runs, currency } = JSON.parse(stdout);
    expect(currency).toBe("USD");
    expect(runs[0]).toMatchObject({
      run: "a",
      tokens: 6_000,
      equivalent: 6_000,
      durationMs: 195_000,
      retries: 1,
    });
    expect(runs[0].phases[1]).toMatchObject({ phase: "review", tokens: 5_000, retries: 1 });
    const cost = (tokens: number) => (tokens - 160 + 100 + 10 + 100) / 1_000_000;
    expect(runs[0].cost).toBeCloseTo(cost(1_000) + cost(2_000) + cost(3_000), 12);
    expect(runs[1]).toMatchObject({
      run: "b",
      ...{ turns: null, toolCalls: null, output: null, durationMs: null, tokens: null, cost: null },
    });
    const table = (await report()).stdout;
    expect(table).toMatch(/a\s+review\s+5\.0k\s+5\.0k\s+2m 10s\s+4\s+1/);
    expect(table).toMatch(/b\s+total\s+na\s+na\s+na\s+na\s+0/);
  });

  test("a page holds every figure, no script, and nothing of the ledger unescaped", async () => {
    const { report, cwd } = reporting();
    expect((await report("--html", "r.html")).stdout).toBe(`${join(cwd, "r.html")}\n`);
    const page = readFileSync(join(cwd, "r.html"), "utf8");
    expect(page).toContain("prefers-color-scheme: dark");
    expect(page).not.toMatch(/<script|https?:\/\/|src=/);
    const hostile = summarise([{ run: '<img src=x onerror="a">', phase: "&<b>", figures: null }], undefined);
    expect(reportPage(hostile, undefined, "<x>")).not.toMatch(/<img|<b>|<x>/);
  });

  test("what is wrong is named", async () => {
    const { report, cwd, call } = reporting();
    expect((await report("--run", "nope")).stderr).toContain("no rows of run nope");
    writeFileSync(join(cwd, "p.json"), '{"input":"1"}');
    expect((await report("--prices", "p.json")).stderr).toContain('input is "1", expected a price');
    const empty = await call(["metrics", "report", "--ledger", "none.md"]);
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain("no metrics ledger at");
  });
});
