/** What a look may take in all, and who may cut it off. */
export interface Budget {
  /** Milliseconds that are left; 0 when it is used up. */
  left(): number;
  /** Aborts when the caller wants no more of it. */
  readonly signal: AbortSignal | undefined;
  /** Seconds it began with, for a message. */
  readonly seconds: number;
}

/** Most that one look takes, however many engines and hosts are asked (docs/spec/engines.md 2.4). */
export const LOOK_SECONDS = 10;

/** A budget that begins now. */
export function budgetOf(seconds: number, signal?: AbortSignal): Budget {
  const end = performance.now() + seconds * 1000;
  return { left: () => Math.max(0, end - performance.now()), signal, seconds };
}
