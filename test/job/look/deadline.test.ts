import { describe, expect, test } from "vitest";
import {
  boundOf,
  deadlineOf,
  reasonOf,
  summarize,
  summaryText,
  type Watched,
} from "../../../src/job/look/deadline.ts";
import type { JobState } from "../../../src/job/schema.ts";

const NOW = 1_000_000;
const job = (overrides: Partial<Watched> = {}): Watched => ({
  ref: "id",
  directory: "/r/s/r/jobs/id",
  label: null,
  state: "running",
  startedAt: NOW - 5_500,
  until: NOW,
  recorded: undefined,
  ...overrides,
});

describe("the deadline (jobs.md 2.4)", () => {
  test("seconds left stay an integer however far the deadline is", () => {
    const far = deadlineOf([NOW], 1e308, 1e308, NOW);
    expect(summarize([job()], far, NOW).secs_left).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("counts from the latest start, with the grace added", () => {
    expect(deadlineOf([NOW - 9_000, NOW - 5_000, undefined], 10, 2, NOW)).toEqual({
      at: NOW + 7_000,
      passed: false,
    });
  });

  test("has passed when it is now, or when no start is known", () => {
    expect(deadlineOf([NOW - 10_000], 10, 0, NOW).passed).toBe(true);
    expect(deadlineOf([undefined], 60, 60, NOW)).toEqual({ at: NOW, passed: true });
  });

  test("bounds the call: the time left ahead of it, a little after it", () => {
    expect(boundOf({ at: NOW + 3_000, passed: false }, 30, NOW)).toBe(3);
    expect(boundOf({ at: NOW + 300_000, passed: false }, 30, NOW)).toBe(30);
    expect(boundOf({ at: NOW - 1, passed: true }, 30, NOW)).toBe(15);
    expect(boundOf({ at: NOW - 1, passed: true }, 1, NOW)).toBe(1);
  });
});

describe("the reason shown", () => {
  test.each([
    ["running", "x", ""],
    ["done", "worker exited 0", ""],
    ["unreadable", "x", "state unreadable (ownership or corruption); no result"],
    ["never-started", undefined, "never started; no result"],
    ["never-started", "noted", "noted"],
    ["failed", "worker exited 7", "worker exited 7"],
    ["timeout", undefined, ""],
  ] as [JobState, string | undefined, string][])("%s, %j", (state, recorded, expected) => {
    expect(reasonOf({ state, recorded })).toBe(expected);
  });
});

describe("the summary", () => {
  const deadline = { at: NOW + 1_500, passed: false };

  test("some run, deadline ahead", () => {
    const jobs = [job({ label: "one" }), job({ ref: "b", state: "failed", recorded: "worker exited 7" })];
    const summary = summarize(jobs, deadline, NOW);
    expect(summary).toMatchObject({ all_settled: false, deadline_passed: false, secs_left: 2 });
    expect(summaryText(summary)).toBe(
      "one\tid\trunning\t5s\n-\tb\tfailed\t5s\tworker exited 7\nwaiting: 1 of 2 still running; 2s left before the deadline",
    );
  });

  test("some run, deadline reached: only those are to be reaped", () => {
    const jobs = [job(), job({ ref: "b", state: "done" }), job({ ref: "c", startedAt: undefined })];
    const summary = summarize(jobs, { at: NOW, passed: true }, NOW);
    expect(summary).toMatchObject({ deadline_passed: true, secs_left: 0 });
    expect(summary.jobs[2]!.elapsed_secs).toBeNull();
    expect(summaryText(summary).split("\n").slice(2)).toEqual([
      "-\tc\trunning\t?",
      "deadline passed: reap id c, then wait once more; a job still running after that counts as timed out",
    ]);
  });

  test("none runs", () => {
    const summary = summarize([job({ state: "done" })], { at: NOW - 1, passed: true }, NOW);
    expect(summary).toMatchObject({ all_settled: true, deadline_passed: false });
    expect(summaryText(summary).split("\n").at(-1)).toBe("all settled");
  });

  test("control characters cannot make two lines of one; JSON has them unchanged", () => {
    const summary = summarize([job({ state: "failed", recorded: "a\nb\tc\u001b[1m" })], deadline, NOW);
    expect(summaryText(summary).split("\n")[0]).toBe("-\tid\tfailed\t5s\ta b c [1m");
    expect(summary.jobs[0]!.reason).toBe("a\nb\tc\u001b[1m");
  });
});
