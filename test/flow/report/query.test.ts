import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import flow from "../../../src/flow/command.ts";
import { artifactTextSummary } from "../../../src/flow/report/query/artifact-summary.ts";
import { cutLines } from "../../../src/flow/report/query/cut-lines.ts";
import { eventSummary } from "../../../src/flow/report/query/event-lines.ts";
import { markdownSummary } from "../../../src/flow/report/query/markdown-summary.ts";
import { testHost } from "../../support/host.ts";
import { runRoom } from "../../support/room.ts";
import { runJig } from "../../support/run.ts";
import { makeTempDir, removeDir, tempDir } from "../../support/temp.ts";

/** A file of this content, queried. */
async function queried(name: string, content: string | Uint8Array, ...words: string[]) {
  const cwd = tempDir();
  writeFileSync(join(cwd, name), content);
  return runRoom(flow, ["query", name, ...words], testHost({ cwd }));
}

describe("an event log in short", () => {
  const LINES = ['{"event":"a","n":1.0}', "{bad", '{"event":"b","text":"é"}'];

  test("flow-41 the last entries, and how many there are", async () => {
    const { code, stderr, stdout } = await queried("x.events.jsonl", `${LINES.join("\n")}\n`, "--tail", "1");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      '{"event": "b", "text": "\\u00e9"}\n# 3 total lines, 2 valid entries matching filter, 1 malformed lines skipped, showing last 1. Run --mode full for the complete file.\n',
    );
  });

  test("upstream's name gives the same, and fails as its callers know", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "x.events.jsonl"), `${LINES.join("\n")}\n`);
    const words = ["x.events.jsonl", "--mode", "summary", "--tail", "1", "--event-type", "a"];
    const upstream = await runJig(["--as", "craftflow_state_query.py", ...words], { cwd });
    expect(upstream).toEqual(await runJig(["flow", "query", ...words], { cwd }));
    const gone = await runJig(["--as", "craftflow_state_query.py", "gone.md"], { cwd });
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/^Error: cannot read gone.md: /)]);
    for (const wrong of [["x", "--mode", "y"], [], ["x", "--nonsense"]]) {
      const { code, stderr } = await runJig(["--as", "craftflow_state_query.py", ...wrong], { cwd });
      expect([wrong, code, stderr.startsWith("usage:")]).toEqual([wrong, 2, true]);
    }
  });

  test("a filter, blank lines and the spelling of numbers", () => {
    expect(eventSummary([...LINES, "", " ", "[]", '"a"'], { tail: 5, eventType: "a" })).toBe(
      '{"event": "a", "n": 1.0}\n# 7 total lines, 1 valid entries matching filter, 3 malformed lines skipped, showing last 1. Run --mode full for the complete file.',
    );
  });

  test.each(["0", "-3", "+0"])("--tail %s shows all", async (tail) => {
    const lines = Array.from({ length: 60 }, (_, index) => `{"event":"e${index}"}\n`).join("");
    const { stdout } = await queried("x.events.jsonl", lines, "--tail", tail);
    expect(stdout).toContain('"e0"');
    expect(stdout).toContain("showing last 60.");
    const usual = await queried("x.events.jsonl", lines);
    expect(usual.stdout.split("\n")).toHaveLength(52);
    expect(usual.stdout).toContain('{"event": "e10"}\n');
    expect(usual.stdout).not.toContain('"e9"');
  });

  test("any tail is the end of all entries, in their order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 45 }), (length, tail) => {
        const lines = Array.from({ length }, (_, index) => `{"event": "e", "n": ${index}}`);
        const shown = eventSummary(lines, { tail, eventType: "e" }).split("\n").slice(0, -1);
        expect(shown).toEqual(lines.slice(-tail));
      }),
    );
  });

  test("lines are the same wherever the pieces of a large file end", { timeout: 60_000 }, async () => {
    const filler = "é".repeat(700);
    const lines = Array.from({ length: 7_000 }, (_, n) => `{"event":"e","n":${n},"filler":"${filler}"}`);
    const { stdout } = await queried("x.events.jsonl", lines.join("\n"), "--tail", "2");
    const [first, , counts] = stdout.split("\n");
    expect(JSON.parse(first!)).toEqual({ event: "e", n: 6_998, filler });
    expect(counts).toContain("# 7000 total lines, 7000 valid entries matching filter, 0 malformed");
  });
});

describe("an artifact in short", () => {
  test("what matters is shown, the rest counted; what is of another kind is left out", () => {
    const history = Array.from({ length: 7 }, (_, n) => ({ event: `e${n}` }));
    const artifact = {
      status_history: history,
      workflow_uuid: "wf-x",
      plan_mode: null,
      user_request: "é",
      phase_status: { b: "pending", a: "completed" },
      normalized_phases: [{}, {}],
      telemetry: { a: 1 },
      evidence: "x",
      traceability: {},
    };
    const text = artifactTextSummary(JSON.stringify(artifact));
    const summary = JSON.parse(text);
    expect(Object.keys(summary)).toEqual([
      "workflow_uuid",
      "plan_mode",
      "phase_status",
      "status_history_tail",
      "status_history_total_entries",
      "normalized_phases_entry_count",
      "telemetry_key_count",
      "traceability_key_count",
      "_note",
    ]);
    expect(summary).toMatchObject({
      plan_mode: null,
      phase_status: { b: "pending", a: "completed" },
      status_history_tail: history.slice(2),
      status_history_total_entries: 7,
      normalized_phases_entry_count: 2,
      telemetry_key_count: 1,
      traceability_key_count: 0,
      _note: expect.stringContaining("--mode full"),
    });
    expect(text).toContain('\n  "phase_status": {\n    "b": "pending",\n');
  });

  test("JSON is ASCII alone, keys keep their order and numbers their spelling", () => {
    expect(artifactTextSummary('{"phase_status":{"2":"é","1":1.50},"pending_gate":{"a":[],"b":{}}}')).toBe(
      `{
  "pending_gate": {
    "a": [],
    "b": {}
  },
  "phase_status": {
    "2": "\\u00e9",
    "1": 1.50
  },
  "_note": "compacted summary; run with --mode full for the complete artifact"
}`,
    );
  });

  test.each([
    ["{bad", "WARNING: could not parse as workflow JSON; showing raw content.\n\n{bad"],
    ["", "WARNING: could not parse as workflow JSON; showing raw content.\n\n"],
    ["[1]", "WARNING: workflow JSON top level is not an object; showing raw content.\n\n[1]"],
  ])("%j is shown as it is", (text, expected) => {
    expect(artifactTextSummary(text)).toBe(expected);
  });
});

describe("a memory file in short", () => {
  test("the newest bullets of each section, or its text; a name that stands twice is shown twice", () => {
    const bullets = Array.from({ length: 12 }, (_, n) => `- ${n}`).join("\n");
    expect(markdownSummary(`# T\n\n## A\nintro\n${bullets}\n\n## B\n\nwords\n\n## C\n## A\n  - x\n`)).toBe(
      `# (compacted summary -- run --mode full for complete content)

## A
${bullets.split("\n").slice(2).join("\n")}
... (12 total bullets, 10 most recent shown)

## B
words

## C

## A
- x
`,
    );
  });

  test("no heading: the first and the last lines", () => {
    expect(markdownSummary("a\nb\n")).toBe(
      "WARNING: no '## ' headings found; falling back to generic first/last-line summary.\n\na\nb\n",
    );
  });

  test("forty lines are whole, of more the middle is left out", () => {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `l${n}\n`).join("");
    expect(cutLines(lines(40))).toBe(lines(40));
    expect(
      cutLines(`${lines(40)}end`)
        .split("\n")
        .slice(18, 26),
    ).toEqual(["l18", "l19", "", "... (1 lines omitted) ...", "", "l21", "l22", "l23"]);
    expect(cutLines(lines(41))).toMatch(/\nl40\n\nRun --mode full for the complete content\.\n$/);
  });
});

describe("any file", () => {
  test("flow-42 full is byte for byte what is there, also what is not UTF-8", async () => {
    const cwd = tempDir();
    const bytes = new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x1b, 0x5b, 0x0d, 0x0a, 0xc3]);
    for (const name of ["a.json", "a.events.jsonl", "a.md", "a"]) {
      writeFileSync(join(cwd, name), bytes);
      const full = await runJig(["flow", "query", "--mode", "full", name], { cwd });
      expect([full.code, Buffer.compare(full.bytes, bytes)]).toEqual([0, 0]);
      const { code, stderr, stdout } = await runJig(["flow", "query", name], { cwd });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(new RegExp(`^Error: cannot read ${name}: is not valid UTF-8`));
    }
  });

  test("a file that is missing, no file, or too large to be summed up", async () => {
    const cwd = tempDir();
    for (const name of ["none.json", "."]) {
      const { code, stderr, stdout } = await runRoom(flow, ["query", name], testHost({ cwd }));
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^Error: cannot read /);
    }
    const large = await queried("a.md", "x".repeat((8 << 20) + 1));
    expect([large.code, large.stderr]).toEqual([1, expect.stringContaining("--mode full")]);
    expect((await queried("a", "", "--mode", "x")).code).toBe(2);
  });

  test("a person at a terminal sees what a terminal would obey", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "a"), "\x1b[2Jx\u202e");
    const terminal = { isTerminal: true, width: 80, colour: true };
    for (const mode of ["summary", "full"]) {
      const host = testHost({ cwd, terminal: () => terminal });
      const { stdout } = await runRoom(flow, ["query", "a", "--mode", mode], host, terminal);
      expect(stdout).toBe("\\x1b[2Jx\\u{202e}\n");
    }
  });

  test("nothing is ever hidden without a word of it", async () => {
    const cwd = makeTempDir();
    try {
      const piece = fc.constantFrom("a", "{", '"x"', "\n", "## ", "- ", "[", "1", "é", "\ufeff", "\x1b");
      const content = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
      const name = fc.constantFrom("f.json", "f.md", "f.events.jsonl", "f.txt");
      await fc.assert(
        fc.asyncProperty(name, content, async (file, text) => {
          writeFileSync(join(cwd, file), text);
          const { code, stdout } = await runRoom(flow, ["query", file], testHost({ cwd }));
          expect(code).toBe(0);
          const says = /--mode full/.test(stdout);
          expect([file, text, says || stdout.trimEnd().endsWith(text.trimEnd())]).toEqual([file, text, true]);
        }),
      );
    } finally {
      removeDir(cwd);
    }
  });
});
