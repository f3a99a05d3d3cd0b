const STREAM_DELAYS = [500, 1000, 2000, 4000, 8000];
const SAVE_DELAYS = [1000, 2000, 4000, 8000];

/** Milliseconds before the next try of the stream; attempts count from 0. */
export const streamDelay = (attempt: number): number =>
  STREAM_DELAYS[Math.min(attempt, STREAM_DELAYS.length - 1)]!;

/** Milliseconds before the next try of a save, or null when only the person or a reconnect tries again. */
export const saveDelay = (attempt: number): number | null => SAVE_DELAYS[attempt] ?? null;
