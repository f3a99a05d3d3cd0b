import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Judging, judgeReadiness } from "../../../src/flow/routing/intent/readiness.ts";

const CALM: Judging = {
  serialized: 100,
  budget: 16_000,
  sourceFiles: undefined,
  contradiction: undefined,
  scenarios: undefined,
};

const judge = (
  criteria: string[],
  limits: { constraints?: string[]; nonGoals?: string[] } = {},
  judging: Partial<Judging> = {},
) =>
  judgeReadiness(
    {
      constraints: limits.constraints ?? [],
      nonGoals: limits.nonGoals ?? [],
      criteria: criteria.map((text) => ({ text, id: null })),
    },
    { ...CALM, ...judging },
  );

describe("the readiness of an intent", () => {
  test("nothing to say against it", () => {
    expect(judge(["login answers within 200 ms"])).toEqual({ verdict: "READY", failing: [] });
    expect(judge([], {}, { sourceFiles: 5, serialized: 16_000 }).verdict).toBe("READY");
  });

  test("too much for one piece of work", () => {
    expect(judge([], {}, { sourceFiles: 6 })).toMatchObject({
      verdict: "DECOMPOSE",
      failing: [{ condition: "context_bounded", item: "6 source files" }],
    });
    expect(judge([], {}, { serialized: 16_001 }).verdict).toBe("DECOMPOSE");
  });

  test.each([
    ["never store passwords", "Store passwords.", true],
    ["store passwords", "no store passwords", true],
    ["Without  new dependencies", "new dependencies", true],
    ["no new dependencies", "new dependency", false],
    ["use the new store", "use the new store", false],
  ])("constraint %j against criterion %j: %j", (limit, criterion, expected) => {
    for (const limits of [{ constraints: [limit] }, { nonGoals: [limit] }]) {
      const { failing } = judge([criterion], limits);
      expect(failing.some(({ condition }) => condition === "contradiction_free")).toBe(expected);
    }
  });

  test("what the caller found halts too", () => {
    expect(judge([], {}, { contradiction: "both offline and live" })).toEqual({
      verdict: "HALT_CONTRADICTION",
      failing: [
        { condition: "contradiction_free", item: "both offline and live", reason: "given by the caller" },
      ],
    });
  });

  test.each([
    ["", "empty"],
    ["  ", "empty"],
    ["it works", "fewer than 3 words"],
    ["the page is Faster!", "'faster'"],
    ["please make it work", "'make it work'"],
    ["improved start of all", "'improved'"],
  ])("criterion %j is not specific: %s", (criterion, reason) => {
    const { failing, verdict } = judge([criterion]);
    expect(verdict).toBe("ASK_SPECIFICITY");
    expect(failing[0]!.reason).toContain(reason);
  });

  test.each(["the page is 20 % faster", "improvement of the page", "fasteners are listed"])(
    "criterion %j is specific",
    (criterion) => {
      expect(judge([criterion]).verdict).toBe("READY");
    },
  );

  test("each criterion needs a scenario where they are required, by its text or its number", () => {
    const criteria = [
      "login answers within 200 ms",
      "logout clears the session",
      "sessions end after an hour",
    ];
    const scenarios = ["Login answers within 200 ms.", "AC-2: press logout"];
    expect(judge(criteria, {}, { scenarios }).failing).toEqual([
      { condition: "specific", item: "sessions end after an hour", reason: "has no scenario" },
    ]);
  });

  test("the verdict is that of the first condition that fails; all that fail are named", () => {
    const { failing, verdict } = judge([""], {}, { sourceFiles: 9, contradiction: "x" });
    expect(verdict).toBe("DECOMPOSE");
    expect(failing.map(({ condition }) => condition)).toEqual([
      "context_bounded",
      "contradiction_free",
      "specific",
    ]);
  });

  test("a verdict other than ready names what fails, whatever the intent says", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.array(fc.string()), (criteria, constraints) => {
        const { failing, verdict } = judge(criteria, { constraints }, { scenarios: constraints });
        expect(verdict === "READY").toBe(failing.length === 0);
      }),
    );
  });
});
