import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REAPED } from "../../../src/job/record/classify.ts";
import {
  type Decision,
  decide,
  forgiven,
  nextLook,
  type Observation,
  type Watch,
} from "../../../src/job/supervise/decide.ts";

const LIMITS = { idle: 10, hard: 100, log_max: 1_000 };
const WATCH: Watch = { startedAt: 0, grewAt: 0, logSize: 500, lookedAt: 0, pace: 0 };
const SEEN: Observation = {
  workerExited: false,
  reapRequested: false,
  settledElsewhere: false,
  logSize: 500,
  now: 5_000,
};

const idle = { state: "timeout", reason: "no output for 10s (idle window)" } as const;
const hard = { state: "timeout", reason: "hard cap 100s exceeded" } as const;
const overCap = { state: "failed", reason: "out.log exceeded byte cap (1001 > 1000 bytes)" } as const;
const reap = (record: Extract<Decision, { do: "reap" }>["record"]): Decision => ({ do: "reap", record });

describe("one look (jobs.md 7.2)", () => {
  const table: [string, Partial<Observation>, Partial<Watch>, Decision][] = [
    ["nothing happened", {}, {}, { do: "continue" }],
    ["the log grew", { logSize: 900, now: 50_000 }, {}, { do: "continue" }],
    ["the log is exactly at its cap", { logSize: 1_000 }, {}, { do: "continue" }],
    ["the log grew over its cap", { logSize: 1_001 }, {}, reap(overCap)],
    ["silent for the idle window", { now: 10_000 }, {}, reap(idle)],
    ["almost silent for the idle window", { now: 9_999 }, {}, { do: "continue" }],
    ["growth at the last moment counts", { now: 10_000, logSize: 501 }, {}, { do: "continue" }],
    ["shrinking is not growth", { now: 10_000, logSize: 1 }, {}, reap(idle)],
    ["at the hard cap", { now: 100_000 }, { grewAt: 99_000 }, reap(hard)],
    ["idle comes before hard", { now: 100_000 }, {}, reap(idle)],
    [
      "a request comes before every window",
      { now: 100_000, logSize: 2_000, reapRequested: true },
      {},
      reap(REAPED),
    ],
    [
      "an exit comes before everything",
      { workerExited: true, reapRequested: true, logSize: 2_000, now: 1e9 },
      {},
      { do: "classify" },
    ],
    [
      "but a record that somebody else wrote",
      { workerExited: true, settledElsewhere: true },
      {},
      { do: "give-up" },
    ],
  ];
  test.each(table)("%s", (_name, seen, watch, expected) => {
    expect(decide({ ...SEEN, ...seen }, { ...WATCH, ...watch }, LIMITS).decision).toEqual(expected);
  });

  test("without an idle window only the hard cap is left", () => {
    const limits = { ...LIMITS, idle: null };
    expect(decide({ ...SEEN, now: 99_999 }, WATCH, limits).decision.do).toBe("continue");
    expect(decide({ ...SEEN, now: 100_000 }, WATCH, limits).decision).toEqual(reap(hard));
  });

  test("fractions print in their shortest form", () => {
    const { decision } = decide(SEEN, WATCH, { ...LIMITS, idle: 0.5 });
    expect(decision).toEqual(reap({ state: "timeout", reason: "no output for 0.5s (idle window)" }));
  });

  test("a look that comes over ten seconds late was suspended, and the job did not age meanwhile", () => {
    expect(forgiven(WATCH, 10_000)).toEqual(WATCH);
    expect(forgiven(WATCH, 20_000)).toEqual({ ...WATCH, startedAt: 20_000, grewAt: 20_000 });
  });

  test("what is remembered is when the log last grew, and its size now", () => {
    expect(decide({ ...SEEN, logSize: 600 }, WATCH, LIMITS).watch).toEqual({
      startedAt: 0,
      grewAt: 5_000,
      logSize: 600,
      lookedAt: 5_000,
      pace: 100 / 5_000,
    });
    const shrunk = decide({ ...SEEN, logSize: 10 }, WATCH, LIMITS).watch;
    expect(shrunk).toEqual({ startedAt: 0, grewAt: 0, logSize: 10, lookedAt: 5_000, pace: 0 });
    expect(decide({ ...SEEN, logSize: 11, now: 6_000 }, shrunk, LIMITS).watch.grewAt).toBe(6_000);
  });

  test("a history of looks ends at the first reason, and a steady writer never idles", () => {
    const steps = fc.array(fc.record({ grow: fc.nat(50), pause: fc.integer({ min: 1, max: 20_000 }) }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(steps, (history) => {
        let watch: Watch = { startedAt: 0, grewAt: 0, logSize: 0, lookedAt: 0, pace: 0 };
        let now = 0;
        let lastGrowth = 0;
        for (const { grow, pause } of history) {
          now += pause;
          const logSize = watch.logSize + grow;
          const looked = decide(
            { workerExited: false, reapRequested: false, settledElsewhere: false, logSize, now },
            watch,
            LIMITS,
          );
          if (grow > 0) lastGrowth = now;
          watch = looked.watch;
          expect(watch.grewAt).toBe(lastGrowth);
          const due = (grow > 0 && logSize > LIMITS.log_max) || now - lastGrowth >= 10_000 || now >= 100_000;
          expect(looked.decision.do).toBe(due ? "reap" : "continue");
          if (due) return;
        }
      }),
    );
  });
});

describe("the next look", () => {
  const limits = { idle: 10, hard: 100, poll: 2, log_max: 1_000 };
  test("is a poll interval away, or when a window ends before that", () => {
    expect(nextLook(WATCH, limits, 0)).toBe(2_000);
    expect(nextLook(WATCH, limits, 9_500)).toBe(500);
    expect(nextLook({ ...WATCH, grewAt: 99_000 }, limits, 99_700)).toBe(300);
    expect(nextLook(WATCH, { ...limits, idle: null, poll: 1e9, hard: 1e9 }, 0)).toBe(3_600_000);
  });

  test("comes before a growing log can reach its cap at this pace, and soon in any case", () => {
    const wait = (pace: number, logSize: number) => nextLook({ ...WATCH, pace, logSize }, limits, 0);
    expect(wait(10, 500)).toBe(25);
    expect(wait(0.001, 500)).toBe(100);
    expect(wait(1e6, 500)).toBe(5);
    expect(wait(10, 1_000)).toBe(5);
    expect(nextLook({ ...WATCH, pace: 0.001 }, { ...limits, poll: 0.05 }, 0)).toBe(50);
  });

  test("is never at once, and never later than a poll interval", () => {
    fc.assert(
      fc.property(
        fc.nat(200_000),
        fc.nat(200_000),
        fc.double({ min: 0, noNaN: true }),
        (grewAt, now, pace) => {
          const wait = nextLook({ ...WATCH, grewAt, pace }, limits, now);
          expect(wait).toBeGreaterThanOrEqual(1);
          expect(wait).toBeLessThanOrEqual(2_000);
        },
      ),
    );
  });
});
