/**
 * Every parser, fed generated input under a time box (`npm run fuzz` for longer): it answers or refuses, never fails
 * otherwise, and its work grows no faster than its input.
 */
import { describe, expect, test } from "vitest";
import { CRASHES, GROWTH } from "./finds.ts";
import { growthOf, patternOf } from "./growth.ts";
import { PARSERS, type Parser, refuses } from "./parsers.ts";
import { randomFrom } from "./random.ts";
import { LONG, SEED, secondsFor } from "./time-box.ts";

const named = (name: string): Parser => PARSERS.find((parser) => parser.name === name)!;

describe("what was found once", () => {
  test.each(CRASHES)("%s: no failure", async (name, text) => {
    await refuses(named(name), text);
  });

  test.each(GROWTH)("%s: no growth beyond its input's: %o", async (name, pattern) => {
    const parser = named(name);
    expect(await growthOf((text) => refuses(parser, text), pattern, 8_000)).toBeUndefined();
  });
});

describe("generated", () => {
  const share = secondsFor(9) / PARSERS.length;

  test.each(PARSERS)("$name", { timeout: share * 1_000 + 60_000 }, async (parser) => {
    const end = Date.now() + share * 1_000;
    for (let seed = SEED; Date.now() < end; seed++) {
      const random = randomFrom(seed);
      const pieces = random.some(parser.tokens, 0, random.oneIn(3) ? 200 : 20);
      const from = `${parser.name}, seed ${seed}`;
      await refuses(parser, pieces.join("")).catch((cause: unknown) => {
        throw new Error(`${from}: ${JSON.stringify(pieces.join("").slice(0, 2_000))}`, { cause });
      });
      const pattern = patternOf(random, parser.tokens);
      const growth = await growthOf((text) => refuses(parser, text), pattern, LONG ? 16_000 : 4_000);
      expect([from, growth, growth === undefined ? undefined : pattern]).toEqual([
        from,
        undefined,
        undefined,
      ]);
    }
  });
});
