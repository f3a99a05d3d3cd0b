/** Milliseconds before the next try of the stream, 0.5 to 8 s; attempts count from 0. */
export const streamDelay = (attempt: number): number => 500 * 2 ** Math.min(attempt, 4);

/** Milliseconds before the next try of a save, 1 to 8 s, or null when only the person or a reconnect tries again. */
export const saveDelay = (attempt: number): number | null => (attempt < 4 ? 1000 * 2 ** attempt : null);
