import { expect, test } from "vitest";
import { randomHex } from "../../../src/kernel/text/random.ts";

test("randomHex gives two lower-case digits a byte, never the same twice", () => {
  const seen = new Set(Array.from({ length: 1000 }, () => randomHex(8)));
  expect(seen.size).toBe(1000);
  for (const text of seen) expect(text).toMatch(/^[0-9a-f]{16}$/);
});
