import type { TerminalState } from "./state.ts";

/** What `reason` and `status` will say. */
export interface TerminalRecord {
  state: TerminalState;
  reason: string;
}

/** The worker's end: its own code, or the number of the signal that ended it. */
export type WorkerExit = { code: number } | { signal: number };

/** Size in bytes of the result evidence (a regular file of size > 0, by lstat), `stale` for a file from before the job. */
export type Evidence = number | "stale" | undefined;

export interface ExitFacts {
  exit: WorkerExit;
  /** Whether a result path was declared at `start`. */
  resultDeclared: boolean;
  evidence: Evidence;
  /** Result cap in bytes. */
  resultMax: number;
  /** A reap was requested before the exit was seen. */
  reapRequested: boolean;
}

/** What every reap of a worker that still ran is recorded as. */
export const REAPED: TerminalRecord = { state: "timeout", reason: "reaped on request before completion" };

/** The terminal record of an exit the supervisor saw (docs/spec/jobs.md 7.3). */
export function classifyExit(facts: ExitFacts): TerminalRecord {
  const record = classifyUnasked(facts);
  if (!facts.reapRequested || record.state === "done") return record;
  return REAPED;
}

function classifyUnasked({ exit, resultDeclared, evidence, resultMax }: ExitFacts): TerminalRecord {
  const published = resultDeclared && typeof evidence === "number" ? evidence : undefined;
  const stale = resultDeclared && evidence === "stale" ? UNTOUCHED : "";
  if (published !== undefined && published > resultMax) return overCap(published, resultMax);
  if ("signal" in exit) {
    return published === undefined
      ? died(`worker killed by signal ${exit.signal} with no result evidence${stale}`)
      : done(`worker killed by signal ${exit.signal} after publishing its result`);
  }
  if (exit.code !== 0) return failed(`worker exited ${exit.code}`);
  if (resultDeclared && published === undefined) {
    return failed(`worker exited 0 without publishing a non-empty result${stale}`);
  }
  return done("worker exited 0");
}

/** Said where a person sees a result file and wonders why it does not count. */
const UNTOUCHED = " (the result file is as it was before the job)";

export interface LossFacts {
  evidence: Evidence;
  resultMax: number;
  /** The worker itself was running when this call began to kill its tree. */
  leaderWasRunning: boolean;
}

/** The terminal record of a job whose supervisor is gone, made by whoever reaps it (docs/spec/jobs.md 8.2). */
export function classifyLoss({ evidence, resultMax, leaderWasRunning }: LossFacts): TerminalRecord {
  if (typeof evidence === "number") {
    if (evidence > resultMax) return overCap(evidence, resultMax);
    return done("worker published its result before reap (supervisor was gone)");
  }
  if (leaderWasRunning) {
    const reason = "reaped by request; supervisor was gone, worker tree killed by reap";
    return { state: "timeout", reason };
  }
  return died("supervisor and worker both gone without a terminal record");
}

const done = (reason: string): TerminalRecord => ({ state: "done", reason });
const failed = (reason: string): TerminalRecord => ({ state: "failed", reason });
const died = (reason: string): TerminalRecord => ({ state: "died-without-result", reason });

function overCap(size: number, cap: number): TerminalRecord {
  return failed(`result exceeded byte cap (${size} > ${cap} bytes)`);
}
