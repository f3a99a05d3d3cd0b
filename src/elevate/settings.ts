import type { Host } from "../kernel/call/host.ts";
import { decimalNumber, wholeNumber } from "../kernel/text/number.ts";

export const DEFAULT_IDLE_SECONDS = 180;
export const DEFAULT_HARD_SECONDS = 5400;
export const DEFAULT_POLL_SECONDS = 5;
export const DEFAULT_HEARTBEAT_SECONDS = 60;
export const DEFAULT_MAX_TURNS = 30;
export const DEFAULT_RESULT_MAX_BYTES = 5_242_880;

/** Limits of one model call (docs/spec/elevate.md section 3). */
export interface Settings {
  /** Seconds without output from the call. */
  idle: number;
  /** Seconds in all. */
  hard: number;
  /** Upper bound for how late a limit is noticed, in seconds. */
  poll: number;
  /** Whole seconds between two signs of life on stderr. */
  heartbeat: number;
  /** Largest envelope the runner would keep, in bytes. */
  resultMax: number;
}

type Environment = Host["env"];

/** What the environment asks for; invalid, empty, zero and negative values mean the default. */
export function settingsFrom(env: Environment): Settings {
  return {
    idle: positiveSeconds(env["CE_ELEVATION_IDLE_SECS"]) ?? DEFAULT_IDLE_SECONDS,
    hard: hardSeconds(env) ?? DEFAULT_HARD_SECONDS,
    poll: positiveSeconds(env["CE_ELEVATION_POLL_SECS"]) ?? DEFAULT_POLL_SECONDS,
    heartbeat: heartbeatSeconds(env["CROSS_MODEL_HEARTBEAT_SECS"]),
    resultMax: positiveInteger(env["CE_PEER_RESULT_MAX_BYTES"]) ?? DEFAULT_RESULT_MAX_BYTES,
  };
}

export function hardSeconds(env: Environment): number | undefined {
  return positiveSeconds(env["CE_ELEVATION_HARD_SECS"]);
}

/** The caller's cap on results, undefined when it has none. */
export function callerResultMax(env: Environment): number | undefined {
  return positiveInteger(env["CE_PEER_RESULT_MAX_BYTES"]);
}

export function maxTurns(env: Environment): number {
  return positiveInteger(env["ELEVATION_MAX_TURNS"]) ?? DEFAULT_MAX_TURNS;
}

function positiveSeconds(text: string | undefined): number | undefined {
  const value = decimalNumber(text);
  return value !== undefined && value > 0 ? value : undefined;
}

function positiveInteger(text: string | undefined): number | undefined {
  const value = wholeNumber(text);
  return value !== undefined && value > 0 ? value : undefined;
}

function heartbeatSeconds(text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) return DEFAULT_HEARTBEAT_SECONDS;
  // A timer takes at most 2^31 - 1 milliseconds; a longer pause is no heartbeat anyway.
  return Math.min(Math.max(1, Number(text)), 2_000_000);
}
