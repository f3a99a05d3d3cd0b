import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  classifyExit,
  classifyLoss,
  type ExitFacts,
  type TerminalRecord,
} from "../../../src/job/record/classify.ts";

const FACTS: ExitFacts = {
  exit: { code: 0 },
  resultDeclared: false,
  evidence: undefined,
  resultMax: 10,
  reapRequested: false,
};
const REAPED: TerminalRecord = { state: "timeout", reason: "reaped on request before completion" };

describe("an exit the supervisor saw (jobs.md 7.3)", () => {
  const table: [string, Partial<ExitFacts>, TerminalRecord][] = [
    ["0, nothing declared", {}, { state: "done", reason: "worker exited 0" }],
    ["0, result there", { resultDeclared: true, evidence: 10 }, { state: "done", reason: "worker exited 0" }],
    [
      "0, no result",
      { resultDeclared: true },
      { state: "failed", reason: "worker exited 0 without publishing a non-empty result" },
    ],
    [
      "0, a result from before the job",
      { resultDeclared: true, evidence: "stale" },
      {
        state: "failed",
        reason:
          "worker exited 0 without publishing a non-empty result (the result file is as it was before the job)",
      },
    ],
    [
      "signal, a result from before the job",
      { exit: { signal: 9 }, resultDeclared: true, evidence: "stale" },
      {
        state: "died-without-result",
        reason:
          "worker killed by signal 9 with no result evidence (the result file is as it was before the job)",
      },
    ],
    ["0, not declared", { evidence: "stale" }, { state: "done", reason: "worker exited 0" }],
    [
      "0, result over the cap",
      { resultDeclared: true, evidence: 11 },
      { state: "failed", reason: "result exceeded byte cap (11 > 10 bytes)" },
    ],
    [
      "7, result over the cap",
      { exit: { code: 7 }, resultDeclared: true, evidence: 11 },
      { state: "failed", reason: "result exceeded byte cap (11 > 10 bytes)" },
    ],
    [
      "signal, result over the cap",
      { exit: { signal: 9 }, resultDeclared: true, evidence: 11 },
      { state: "failed", reason: "result exceeded byte cap (11 > 10 bytes)" },
    ],
    [
      "signal, result there",
      { exit: { signal: 9 }, resultDeclared: true, evidence: 1 },
      { state: "done", reason: "worker killed by signal 9 after publishing its result" },
    ],
    [
      "signal, no result",
      { exit: { signal: 15 }, resultDeclared: true },
      { state: "died-without-result", reason: "worker killed by signal 15 with no result evidence" },
    ],
    [
      "signal, nothing declared",
      { exit: { signal: 9 } },
      { state: "died-without-result", reason: "worker killed by signal 9 with no result evidence" },
    ],
    ["7, nothing declared", { exit: { code: 7 } }, { state: "failed", reason: "worker exited 7" }],
    [
      "7, result there",
      { exit: { code: 7 }, resultDeclared: true, evidence: 1 },
      { state: "failed", reason: "worker exited 7" },
    ],
    [
      "137 is a code like any other",
      { exit: { code: 137 } },
      { state: "failed", reason: "worker exited 137" },
    ],
  ];
  test.each(table)("%s", (_name, facts, expected) => {
    expect(classifyExit({ ...FACTS, ...facts })).toEqual(expected);
  });

  test.each(table)("after a request for a reap: %s", (_name, facts, unasked) => {
    const asked = classifyExit({ ...FACTS, ...facts, reapRequested: true });
    expect(asked).toEqual(unasked.state === "done" ? unasked : REAPED);
  });

  test("every exit has exactly one of the four records", () => {
    const exit = fc.oneof(
      fc.record({ code: fc.nat(255) }),
      fc.record({ signal: fc.integer({ min: 1, max: 64 }) }),
    );
    const facts = fc.record({
      exit,
      resultDeclared: fc.boolean(),
      evidence: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      resultMax: fc.constant(10),
      reapRequested: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (all) => {
        const { state, reason } = classifyExit(all);
        expect(["done", "failed", "timeout", "died-without-result"]).toContain(state);
        expect(reason).not.toBe("");
        if (state === "done") expect("code" in all.exit ? all.exit.code : 0).toBe(0);
        if (state === "timeout") expect(all.reapRequested).toBe(true);
        // A file nobody promised proves nothing.
        if (!all.resultDeclared) {
          expect(classifyExit({ ...all, evidence: undefined })).toEqual({ state, reason });
        }
      }),
    );
  });
});

describe("a job whose supervisor is gone (jobs.md 8.2)", () => {
  const loss = { evidence: undefined, resultMax: 10, leaderWasRunning: false };
  const done = "worker published its result before reap (supervisor was gone)";
  const table: [string, { evidence?: number; leaderWasRunning?: boolean }, TerminalRecord][] = [
    [
      "over the cap",
      { evidence: 11 },
      { state: "failed", reason: "result exceeded byte cap (11 > 10 bytes)" },
    ],
    ["result there", { evidence: 10 }, { state: "done", reason: done }],
    [
      "result there, worker running",
      { evidence: 10, leaderWasRunning: true },
      { state: "done", reason: done },
    ],
    [
      "worker running",
      { leaderWasRunning: true },
      { state: "timeout", reason: "reaped by request; supervisor was gone, worker tree killed by reap" },
    ],
    [
      "both gone",
      {},
      { state: "died-without-result", reason: "supervisor and worker both gone without a terminal record" },
    ],
  ];
  test.each(table)("%s", (_name, facts, expected) => {
    expect(classifyLoss({ ...loss, ...facts })).toEqual(expected);
  });
});
