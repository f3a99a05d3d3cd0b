import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { number } from "../../src/job/decimal.ts";
import { limitProblem, resultCapOf, supervisionFrom } from "../../src/job/settings.ts";

const DEFAULTS = { idle: 240, hard: 1230, log_max: 10_485_760, result_max: 5_242_880, poll: 2, grace: 5 };

describe("limits from the environment (jobs.md 7.1)", () => {
  test("defaults", () => {
    expect(supervisionFrom({}, "s")).toEqual(DEFAULTS);
  });

  test.each(["", "x", "0", "-1", "nan", "inf", "1e999", "0x10", "1 2"])("%j means the default", (bad) => {
    const env = {
      CE_PEER_IDLE_SECS: bad,
      CE_PEER_HARD_SECS: bad,
      CE_PEER_LOG_MAX_BYTES: bad,
      CE_PEER_RESULT_MAX_BYTES: bad,
      CE_PEER_POLL_SECS: bad,
      CE_PEER_GRACE_SECS: bad,
      CROSS_MODEL_HARD_SECS: bad,
    };
    expect(supervisionFrom(env, "s")).toEqual(DEFAULTS);
    expect(resultCapOf(env)).toBeUndefined();
  });

  test("numbers are taken; bytes only whole", () => {
    const env = {
      CE_PEER_IDLE_SECS: " 7.5 ",
      CE_PEER_GRACE_SECS: "1e1",
      CE_PEER_LOG_MAX_BYTES: "1.5",
      CE_PEER_RESULT_MAX_BYTES: "7",
    };
    expect(supervisionFrom(env, "s")).toEqual({ ...DEFAULTS, idle: 7.5, grace: 10, result_max: 7 });
  });

  test("the idle window can be switched off for one skill only", () => {
    expect(supervisionFrom({ CE_PEER_IDLE_SECS: "0" }, "ce-work").idle).toBeNull();
    expect(supervisionFrom({ CE_PEER_IDLE_SECS: "0" }, "s").idle).toBe(240);
    expect(supervisionFrom({ CE_PEER_IDLE_SECS: "-0" }, "ce-work").idle).toBeNull();
  });

  test.each([
    [undefined, undefined, 1230],
    [undefined, "100", 1230],
    [undefined, "2000", 2030],
    ["7200", "2000", 7200],
    ["", "2000", 2030],
    ["1", "2000", 1],
  ])("hard %j with a worker's own cap %j: %d", (hard, cap, expected) => {
    expect(supervisionFrom({ CE_PEER_HARD_SECS: hard, CROSS_MODEL_HARD_SECS: cap }, "s").hard).toBe(expected);
  });
});

describe("limit flags (jobs.md 2.2)", () => {
  test.each([
    ["idle-secs", "7.5", "s", true],
    ["idle-secs", "0", "s", false],
    ["idle-secs", "0", "ce-work", true],
    ["hard-secs", "0", "ce-work", false],
    ["hard-secs", "inf", "s", false],
    ["hard-secs", "", "s", false],
    ["log-max-bytes", "1.5", "s", false],
    ["log-max-bytes", "1", "s", true],
    ["result-max-bytes", "-1", "s", false],
    ["result-max-bytes", "0", "s", false],
  ] as const)("--%s %j for %s", (flag, value, skill, fine) => {
    const problem = limitProblem(flag, value, skill);
    if (fine) expect(problem).toBeUndefined();
    else expect(problem).toContain(`--${flag}`);
  });

  test("what a flag accepts, the variable means too", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.string()).map(String), (text) => {
        if (limitProblem("hard-secs", text, "s") === undefined) {
          expect(supervisionFrom({ CE_PEER_HARD_SECS: text }, "s").hard).toBe(number(text));
        }
      }),
    );
  });
});
