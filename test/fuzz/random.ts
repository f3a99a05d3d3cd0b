/** Repeatable chance: the same seed gives the same choices, so that what was found can be run again. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  /** True in one of `times` cases. */
  oneIn(times: number): boolean;
  /** Between `least` and `most` picks. */
  some<T>(from: readonly T[], least: number, most: number): T[];
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  return {
    below,
    pick,
    oneIn: (times) => below(times) === 0,
    some: (from, least, most) => Array.from({ length: least + below(most - least + 1) }, () => pick(from)),
  };
}
