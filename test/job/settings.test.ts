import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseFailure } from "../../src/cli/parse/parse.ts";
import { parse, reach } from "../../src/cli/parse/reach.ts";
import job from "../../src/job/command.ts";
import { type LimitFlag, limitProblem, resultCapOf, supervisionFrom } from "../../src/job/settings.ts";

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
  /** What `start` makes of a limit flag; the message when it refuses. */
  async function limit(flag: LimitFlag, text: string, skill: string): Promise<number | string> {
    const words = ["start", "--skill", skill, "--run-id", "r", `--${flag}=${text}`, "--", "true"];
    try {
      const parsed = parse(await reach(job, words));
      if (parsed.kind === "help") throw new Error("help");
      const value = parsed.args.flags[flag] as unknown as number;
      return limitProblem(flag, value, skill) ?? value;
    } catch (error) {
      if (error instanceof ParseFailure) return error.message;
      throw error;
    }
  }

  test.each([
    ["idle-secs", "7.5", "s", 7.5],
    ["idle-secs", "0", "s", "for --skill ce-work only"],
    ["idle-secs", "0", "ce-work", 0],
    ["idle-secs", "-1", "ce-work", "--idle-secs must be a finite number of seconds, at least 0, got '-1'"],
    ["hard-secs", " +1e2 ", "s", 100],
    ["hard-secs", "0", "ce-work", "--hard-secs must be a finite number of seconds above 0, got '0'"],
    ["hard-secs", "inf", "s", "--hard-secs must be a finite number of seconds above 0, got 'inf'"],
    ["hard-secs", "", "s", "above 0, got ''"],
    ["log-max-bytes", "1.5", "s", "--log-max-bytes must be a positive integer of bytes, got '1.5'"],
    ["log-max-bytes", "1", "s", 1],
    ["log-max-bytes", "99999999999999999999", "s", Number.MAX_SAFE_INTEGER],
    ["result-max-bytes", "-1", "s", "--result-max-bytes must be a positive integer of bytes, got '-1'"],
    ["result-max-bytes", "0", "s", "positive integer"],
  ] as const)("--%s %j for %s", async (flag, text, skill, expected) => {
    const found = await limit(flag, text, skill);
    if (typeof expected === "number") expect(found).toBe(expected);
    else expect(found).toContain(expected);
  });

  test("what a flag accepts, the variable it stands for means too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.double(), fc.integer(), fc.string()).map(String), async (text) => {
        const value = await limit("hard-secs", text, "s");
        if (typeof value === "string") return;
        expect(supervisionFrom({ CE_PEER_HARD_SECS: text }, "s").hard).toBe(value);
        expect(supervisionFrom({ CE_PEER_HARD_SECS: String(value) }, "s").hard).toBe(value);
      }),
    );
  });
});
