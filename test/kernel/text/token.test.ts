import fc from "fast-check";
import { expect, test } from "vitest";
import { isToken } from "../../../src/kernel/text/token.ts";

test.each([
  ["a", true],
  ["A-z_0.9", true],
  [".hidden", true],
  ["-", true],
  ["", false],
  [".", false],
  ["...", false],
  ["a/b", false],
  ["a b", false],
  ["a\n", false],
  ["é", false],
])("%j is a token: %j", (text, expected) => {
  expect(isToken(text)).toBe(expected);
});

test("a token is one safe path component", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."aZ0._-/ é\n\u0000") }), (text) => {
      expect(isToken(text)).toBe(/^[A-Za-z0-9._-]+$/.test(text) && !/^\.+$/.test(text));
    }),
  );
});
