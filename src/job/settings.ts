import type { Host } from "../kernel/call/host.ts";
import { decimalNumber, wholeNumber } from "../kernel/text/number.ts";
import type { Supervision } from "./schema.ts";

type Environment = Host["env"];

export const DEFAULT_IDLE_SECONDS = 240;
/** With an engine: what is queued and runs for days is neither talkative nor short. */
export const ENGINE_IDLE_SECONDS = 1800;
export const ENGINE_HARD_SECONDS = 604_800;
/** Least default for the hard cap; a longer `CROSS_MODEL_HARD_SECS` raises it. */
export const DEFAULT_HARD_SECONDS = 1230;
/** What the default hard cap leaves a worker with a cap of its own for ending in order. */
const HARD_MARGIN_SECONDS = 30;
export const DEFAULT_LOG_MAX_BYTES = 10_485_760;
export const DEFAULT_RESULT_MAX_BYTES = 5_242_880;
export const DEFAULT_POLL_SECONDS = 2;
export const DEFAULT_GRACE_SECONDS = 5;

/** The one skill that may switch the idle window off. */
const MAY_DISABLE_IDLE = "ce-work";

/**
 * The limits a new job of this skill gets from the environment (docs/spec/jobs.md 7.1). Bad values mean the default, which
 * is a larger one for a job that an engine runs (docs/spec/engines.md 2.1).
 */
export function supervisionFrom(env: Environment, skill: string, withEngine = false): Supervision {
  const idleOff = skill === MAY_DISABLE_IDLE && decimalNumber(env["CE_PEER_IDLE_SECS"]) === 0;
  const derivedHard = (seconds(env["CROSS_MODEL_HARD_SECS"]) ?? 0) + HARD_MARGIN_SECONDS;
  const idle = withEngine ? ENGINE_IDLE_SECONDS : DEFAULT_IDLE_SECONDS;
  const unsaid = withEngine && !isHardCapSaid(env);
  return {
    idle: idleOff ? null : (seconds(env["CE_PEER_IDLE_SECS"]) ?? idle),
    hard: unsaid
      ? ENGINE_HARD_SECONDS
      : (seconds(env["CE_PEER_HARD_SECS"]) ?? Math.max(DEFAULT_HARD_SECONDS, derivedHard)),
    log_max: bytes(env["CE_PEER_LOG_MAX_BYTES"]) ?? DEFAULT_LOG_MAX_BYTES,
    result_max: resultCapOf(env) ?? DEFAULT_RESULT_MAX_BYTES,
    poll: pollOf(env),
    grace: graceOf(env),
  };
}

/** Whether a variable, or the flag that stands for one, says how long a worker may run. */
export function isHardCapSaid(env: Environment): boolean {
  return ["CE_PEER_HARD_SECS", "CROSS_MODEL_HARD_SECS"].some((name) => seconds(env[name]) !== undefined);
}

/** Seconds between terminate and kill, for the caller's own work. */
export function graceOf(env: Environment): number {
  return seconds(env["CE_PEER_GRACE_SECS"]) ?? DEFAULT_GRACE_SECONDS;
}

export function pollOf(env: Environment): number {
  return seconds(env["CE_PEER_POLL_SECS"]) ?? DEFAULT_POLL_SECONDS;
}

/** The caller's result cap in bytes; undefined when it has none, so that a job's own counts (docs/spec/jobs.md 2.5). */
export function resultCapOf(env: Environment): number | undefined {
  return bytes(env["CE_PEER_RESULT_MAX_BYTES"]);
}

/** The limit flags of `start`, by the variable each stands for (docs/spec/jobs.md 2.2). */
export const LIMIT_FLAGS = {
  "idle-secs": "CE_PEER_IDLE_SECS",
  "hard-secs": "CE_PEER_HARD_SECS",
  "log-max-bytes": "CE_PEER_LOG_MAX_BYTES",
  "result-max-bytes": "CE_PEER_RESULT_MAX_BYTES",
} as const;

export type LimitFlag = keyof typeof LIMIT_FLAGS;

/** What is wrong with a limit that only the skill decides; undefined when nothing is. */
export function limitProblem(flag: LimitFlag, value: number, skill: string): string | undefined {
  if (flag !== "idle-secs" || value > 0 || skill === MAY_DISABLE_IDLE) return undefined;
  return `--idle-secs 0 (no idle window) is for --skill ${MAY_DISABLE_IDLE} only; give a number of seconds above 0`;
}

function seconds(text: string | undefined): number | undefined {
  const value = decimalNumber(text);
  return value !== undefined && value > 0 ? value : undefined;
}

function bytes(text: string | undefined): number | undefined {
  const value = wholeNumber(text);
  return value !== undefined && value > 0 ? value : undefined;
}
