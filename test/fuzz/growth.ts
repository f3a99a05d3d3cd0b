/** Whether a parser's work grows as its input does: texts that repeat a small pattern, at one size and at four times it. */
import type { Random } from "./random.ts";

/** A text of any size: something at the beginning, a unit many times, something between, and what closes it as often. */
export interface Pattern {
  open: string;
  unit: string;
  middle: string;
  close: string;
}

export function patternOf(random: Random, tokens: readonly string[]): Pattern {
  const words = (least: number, most: number) => random.some(tokens, least, most).join("");
  return {
    open: random.oneIn(2) ? words(0, 3) : "",
    unit: words(1, random.oneIn(2) ? 2 : 5),
    middle: words(0, 1),
    close: random.oneIn(3) ? words(1, 2) : "",
  };
}

export function textOf({ close, middle, open, unit }: Pattern, size: number): string {
  const times = Math.max(1, Math.floor((size - open.length - middle.length) / (unit.length + close.length)));
  return open + unit.repeat(times) + middle + close.repeat(times);
}

/** CPU milliseconds of this process for one call. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { system, user } = process.cpuUsage(before);
  return (system + user) / 1000;
}

/** Milliseconds below which nothing can be said: start-up, compilation and collection weigh more. */
const NOISE = 120;

/** Four times the text is sixteen times the work of something quadratic, and four times that of something linear. */
const MOST = 9;

/**
 * How many times the work grows when the text does fourfold; undefined when it is too little to tell, or no more than
 * it should. Looked at again before it counts: the least of three runs each.
 */
export async function growthOf(
  run: (text: string) => unknown,
  pattern: Pattern,
  size: number,
): Promise<number | undefined> {
  const [small, large] = [textOf(pattern, size), textOf(pattern, 4 * size)];
  const first = await cpuOf(() => run(large));
  if (first < NOISE || first < MOST * (await cpuOf(() => run(small)))) return undefined;
  const least = async (text: string) => {
    const costs: number[] = [];
    for (let round = 0; round < 3; round++) costs.push(await cpuOf(() => run(text)));
    return Math.min(...costs);
  };
  const [few, many] = [await least(small), await least(large)];
  return many >= NOISE && many > MOST * few ? many / few : undefined;
}
