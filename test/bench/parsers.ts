import { cpuOf } from "../fuzz/growth.ts";
import { PARSERS, type Parser, refuses } from "../fuzz/parsers.ts";
import { randomFrom } from "../fuzz/random.ts";
import { median } from "./measure.ts";
import type { Bench, BenchRow } from "./types.ts";

const SIZE = 16_384;
const ROUNDS = 5;

/** A text that the parser reads whole at every size: the first generated one that it does not refuse. */
async function unitOf(parser: Parser): Promise<string> {
  for (let seed = 1; seed < 1_000; seed++) {
    const unit = `${randomFrom(seed).some(parser.tokens, 40, 40).join("")}\n\n`;
    if (!(await refuses(parser, repeated(unit, 8 * SIZE)))) return unit;
  }
  throw new Error(`${parser.name} refuses every text`);
}

function repeated(unit: string, size: number): string {
  return unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
}

/** CPU of one parser for n, 2n, 4n and 8n characters, each beside the same multiple of what n takes. */
async function rowsOf(parser: Parser): Promise<BenchRow[]> {
  const unit = await unitOf(parser);
  const costs: number[] = [];
  for (const times of [1, 2, 4, 8]) {
    const text = repeated(unit, times * SIZE);
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await cpuOf(() => refuses(parser, text)));
    costs.push(median(rounds));
  }
  return costs.map((value, index) => ({
    figure: `${parser.name}, ${(SIZE << index) >> 10} KiB, CPU`,
    value,
    unit: "ms",
    ...(index === 0
      ? {}
      : { baseline: `${1 << index} times 16 KiB`, baselineValue: costs[0]! * (1 << index) }),
  }));
}

const growth: Bench = {
  name: "growth of every parser",
  async run() {
    const rows: BenchRow[] = [];
    for (const parser of PARSERS) rows.push(...(await rowsOf(parser)));
    return rows;
  },
};

export const benches: Bench[] = [growth];
