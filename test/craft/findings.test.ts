import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SEVERITIES, STATUSES } from "../../src/craft/findings/finding.ts";
import { MAX_LINE, parseFindings } from "../../src/craft/findings/parse.ts";
import { isInScope, parseScope, relativePath } from "../../src/craft/findings/scope.ts";

const problem = (text: string) => {
  const parsed = parseFindings(text);
  return parsed.ok ? undefined : parsed.problem;
};
const findings = (text: string) => {
  const parsed = parseFindings(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.findings;
};

describe("findings in lines", () => {
  test("a status, every dash, a fix, a path with blanks and colons", () => {
    const text = [
      "HIGH src/a.ts:12 — no check | add one",
      "",
      "PROBE: LOW a b:c.ts:0 - whole file",
      "  CRITICAL x.ts:3 – en dash  ",
    ].join("\r\n");
    expect(findings(text)).toEqual([
      { file: "src/a.ts", line: 12, severity: "HIGH", finding: "no check", fix: "add one" },
      { file: "a b:c.ts", line: 0, severity: "LOW", finding: "whole file", status: "PROBE" },
      { file: "x.ts", line: 3, severity: "CRITICAL", finding: "en dash" },
    ]);
    expect(findings("")).toEqual([]);
    expect(findings(" \n\n")).toEqual([]);
  });

  test("a reviewer's NONE is no finding; beside one it is a bad line", () => {
    expect(findings("NONE")).toEqual([]);
    expect(findings("\n  NONE\r\n")).toEqual([]);
    for (const text of ["NONE\nHIGH a.ts:1 — x", "HIGH a.ts:1 — x\nNONE", "NONE\nNONE", "none"]) {
      expect(problem(text)).toContain("severity");
    }
  });

  test.each([
    ["MEDIUM a.ts — no line", "no FILE:LINE"],
    ["high a.ts:1 — lower case", "severity"],
    ["DONE: HIGH a.ts:1 — x", "unknown status"],
    ["HIGH a.ts:1 — a | b | c", "more than one"],
    [`HIGH a.ts:1 — ${"x".repeat(MAX_LINE)}`, "longer than"],
    ["HIGH a.ts:1 —  ", "no FILE:LINE"],
  ])("one bad line fails the input: %.40s", (line, why) => {
    const text = problem(`HIGH a.ts:1 — fine\n${line}`);
    expect(text).toContain(why);
    expect(text).toContain("line 2");
    expect(text!.length).toBeLessThan(320);
  });

  test("what is echoed is JSON-escaped and short", () => {
    expect(problem("\u001b[31mHIGH")).toContain('"\\u001b[31mHIGH"');
  });
});

describe("findings in JSON", () => {
  test("null fix and status are left out, other keys dropped, texts trimmed", () => {
    const text = JSON.stringify([
      { status: null, fix: null, finding: " f ", severity: "LOW", line: "7", file: "a", more: 1 },
      { file: "b", line: 1, severity: "HIGH", finding: "g", fix: " h ", status: "SUSPECT" },
    ]);
    expect(JSON.stringify(findings(text))).toBe(
      JSON.stringify([
        { file: "a", line: 7, severity: "LOW", finding: "f" },
        { file: "b", line: 1, severity: "HIGH", finding: "g", fix: "h", status: "SUSPECT" },
      ]),
    );
  });

  test.each([
    '[{"file":"a","line":1,"severity":"HIGH"}]',
    '[{"file":"a","line":-1,"severity":"HIGH","finding":"x"}]',
    '[{"file":"a","line":1,"severity":"huge","finding":"x"}]',
    "[1]",
    "[",
  ])("a bad item fails the input: %s", (text) => {
    expect(problem(text)).toBeDefined();
  });

  test("lines and JSON agree for every finding", () => {
    const word = fc.stringMatching(/^[a-z][a-z ./]{0,20}[a-z]$/);
    const one = fc.record({
      file: word,
      line: fc.nat(99_999),
      severity: fc.constantFrom(...SEVERITIES),
      finding: word,
      fix: fc.option(word, { nil: undefined }),
      status: fc.option(fc.constantFrom(...STATUSES), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(one), (list) => {
        const lines = list.map(
          ({ status, severity, file, line, finding, fix }) =>
            `${status === undefined ? "" : `${status}: `}${severity} ${file}:${line} — ${finding}${fix === undefined ? "" : ` | ${fix}`}`,
        );
        expect(findings(lines.join("\n"))).toEqual(findings(JSON.stringify(list)));
      }),
    );
  });
});

describe("scope", () => {
  const scope = (text: string, root?: string) => {
    const parsed = parseScope(text, root);
    if (!parsed.ok) throw new Error(parsed.problem);
    return parsed.scope;
  };

  test("ranges, whole files, colons and commas in names", () => {
    const spec = scope("a.ts:3-5\n\n  b,c:d.ts:*  \na.ts:6-6\n");
    expect([2, 3, 5, 6, 7].map((line) => isInScope(spec, "a.ts", line))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(isInScope(spec, "b,c:d.ts", 0)).toBe(true);
    expect(isInScope(spec, "a.ts", 0)).toBe(false);
    expect(isInScope(scope(""), "a.ts", 1)).toBe(false);
  });

  test("paths are compared relative to the repository", () => {
    const spec = scope("/r/x/a.ts:*\n./b.ts:*", "/r/x/");
    expect(isInScope(spec, relativePath("a.ts", "/r/x"), 1)).toBe(true);
    expect(isInScope(spec, relativePath("/r/x/./b.ts", "/r/x/"), 1)).toBe(true);
    expect(isInScope(spec, relativePath("/r/xa.ts", "/r/x"), 1)).toBe(false);
  });

  test.each(["a", "a:0-1", "a:2-1", "a:1", ":*", "a:1-2,b:*", "a:1-2x"])("malformed: %s", (entry) => {
    expect(parseScope(entry, undefined).ok).toBe(false);
  });

  test("agrees with looking at every range", () => {
    const range = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(10));
    fc.assert(
      fc.property(fc.array(range), fc.nat(60), (ranges, line) => {
        const spec = scope(ranges.map(([start, more]) => `f:${start}-${start + more}`).join("\n"));
        const expected = ranges.some(([start, more]) => line >= start && line <= start + more);
        expect(isInScope(spec, "f", line)).toBe(expected);
      }),
    );
  });
});
