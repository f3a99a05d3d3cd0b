import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixKeywordsIn } from "../../../src/flow/routing/fix-keywords.ts";
import { bakeoffRequested } from "../../../src/flow/routing/intent/bakeoff.ts";
import { judgeRisk } from "../../../src/flow/routing/risk.ts";
import { routeRequest } from "../../../src/flow/routing/words.ts";

const route = (request: string) => {
  const { workflow, signals } = routeRequest(request);
  return `${workflow} ${signals.join(", ")}`;
};

describe("the words of a request", () => {
  test.each([
    ["plan the fix for login", "DEBUG fix"],
    ["explain the prefix tree", "BUILD default"],
    ["design an audit page", "PLAN design"],
    ["", "BUILD default"],
    ["Is  this\ngood?", "REVIEW is this good"],
    ["is this, good", "BUILD default"],
    ["is is this good", "REVIEW is this good"],
    ["Failures: buggy ERRORS, troubleshooting", "DEBUG error, bug, fail, troubleshoot"],
    ["specification of the architecture", "PLAN architect, spec"],
    ["analyses and reanalysis", "REVIEW analyze"],
    ["fix_it prefix éfix fixé fix2", "BUILD default"],
    ["fix-it", "DEBUG fix"],
    ["«fix»", "DEBUG fix"],
  ])("%j is %s", (request, expected) => {
    expect(route(request)).toBe(expected);
  });

  test("what was outvoted is said", () => {
    expect(routeRequest("review the plan for the crash")).toEqual({
      workflow: "DEBUG",
      priority: 1,
      signal: "ERROR",
      signals: ["crash"],
      otherSignals: { PLAN: ["plan"], REVIEW: ["review"] },
    });
  });

  test("a word counts exactly where no letter, digit or underscore touches it", () => {
    const forms: [string, string][] = [
      ["fixing", "fix"],
      ["planned", "plan"],
      ["analysis", "analyze"],
      ["issues", "issue"],
    ];
    const around = fc.constantFrom(
      "",
      " ",
      "a",
      "Z",
      "9",
      "_",
      "-",
      ".",
      "é",
      "話",
      "🙂",
      "\u0301",
      "\n",
      "'",
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        around,
        around,
        fc.boolean(),
        ([word, base], before, after, upper) => {
          const request = before + (upper ? word.toUpperCase() : word) + after;
          const stands = !/[\p{L}\p{N}_]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(after);
          expect([request, routeRequest(request).signals]).toEqual([request, [stands ? base : "default"]]);
        },
      ),
    );
  });
});

/** The same table asked in the plainest way. */
function naive(request: string, keyword: string): boolean {
  const pattern = keyword
    .split(" ")
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s_-]+");
  return new RegExp(pattern).test(request.toLowerCase());
}

describe("the risk of a build", () => {
  const judge = (request: string, host: "claude-code" | "cursor" = "claude-code", added: string[] = []) =>
    judgeRisk(request, { host, added });

  test("keywords match inside words and with any run between theirs, in the order of the table", () => {
    expect(judge("Add OAuth login, schema-change later")).toEqual({
      build_mode: "standard",
      fast_path_risk_signals: ["auth", "oauth", "schema change"],
      matches: [
        { keyword: "auth", group: "security", text: "Auth", index: 5, whole_word: false },
        { keyword: "oauth", group: "security", text: "OAuth", index: 4, whole_word: true },
        { keyword: "schema change", group: "database", text: "schema-change", index: 17, whole_word: true },
      ],
    });
    expect(judge("rename a button")).toEqual({
      build_mode: "fast_path",
      fast_path_risk_signals: [],
      matches: [],
    });
    expect(judge("DROP _ - \n table").fast_path_risk_signals).toEqual(["drop table"]);
    expect(judge("droptable").build_mode).toBe("fast_path");
  });

  test("of several places the one that is a word is shown, counted in characters", () => {
    expect(judge("🙂 authors use AUTH").matches).toEqual([
      { keyword: "auth", group: "security", text: "AUTH", index: 14, whole_word: true },
    ]);
    expect(judge("İİ auth").matches[0]).toMatchObject({ text: "auth", index: 3 });
  });

  test("one host has more keywords, and a call may bring its own", () => {
    expect(judge("race on rollback").build_mode).toBe("fast_path");
    expect(judge("race on rollback", "cursor").fast_path_risk_signals).toEqual(["race", "rollback"]);
    expect(judge("ship the Big_red  button", "claude-code", ["BIG red", "auth"]).matches).toEqual([
      { keyword: "big red", group: "added", text: "Big_red", index: 9, whole_word: true },
    ]);
  });

  test("finds what a plain search finds", () => {
    const words = ["auth", "session", "schema", "change", "drop", "column", "access", "control", "x"];
    const piece = fc.constantFrom(...words, " ", "-", "_", "\t", "\u00a0", "é", "A", ".");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const request = pieces.join("");
        const expected = ["auth", "session", "access control", "schema change", "drop column"].filter(
          (keyword) => naive(request, keyword),
        );
        expect([request, judge(request).fast_path_risk_signals]).toEqual([request, expected]);
      }),
    );
  });

  test.each([
    ["Fixed prefix", ["fix"]],
    ["close the vulnerability, corruptions and BUGs", ["close", "vulnerability", "bug", "corrupt"]],
    ["add a page", []],
    ["", []],
  ])("%j asks for a verification of its own: %j", (text, expected) => {
    expect(fixKeywordsIn(text)).toEqual(expected);
  });
});

describe("the candidates a request wants", () => {
  test.each([
    ["add a page for 3 candidates", null],
    ["bake-off", 2],
    ["Bakeoff with 3 candidates", 3],
    ["compare models, 9 models", 4],
    ["a parallel plan: 1 plan", 2],
    ["three-model bake-off", 3],
    ["bake off of 99999999999999999999 plans", 4],
    ["compare the models", null],
    ["compare models for 3 users", 2],
  ])("%j: %j", (request, expected) => {
    expect(bakeoffRequested(request)).toBe(expected);
  });
});
