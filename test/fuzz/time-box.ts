/**
 * How long the fuzzers look. In the suite about 20 seconds in all, from the same seed each time; by hand
 * (`JIG_FUZZ_SECONDS`, which `npm run fuzz` sets) as long as is asked for, from a new one or `JIG_FUZZ_SEED`.
 */
const IN_SUITE = 20;
const asked = process.env["JIG_FUZZ_SECONDS"];

export const LONG = asked !== undefined;
export const SEED = Number(process.env["JIG_FUZZ_SEED"] ?? (LONG ? Date.now() % 1_000_000_000 : 1));

/** Seconds for a fuzzer that has `share` of the suite's twenty. */
export function secondsFor(share: number): number {
  return (share * (asked === undefined ? IN_SUITE : Number(asked))) / IN_SUITE;
}
