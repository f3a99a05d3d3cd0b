import { describe, expect, test } from "vitest";
import { decimalNumber, wholeNumber } from "../../../src/kernel/text/number.ts";

describe("numbers as Python reads them", () => {
  test.each([
    ["1", 1],
    [" +1.5 ", 1.5],
    [".5", 0.5],
    ["5.", 5],
    ["-2e-3", -0.002],
    ["1e999", undefined],
    ["", undefined],
    [" ", undefined],
    ["0x10", undefined],
    ["1 2", undefined],
    ["nan", undefined],
    [undefined, undefined],
  ])("decimal %j is %j", (text, value) => expect(decimalNumber(text)).toBe(value));

  test.each([
    ["7", 7],
    [" +07 ", 7],
    ["-1", -1],
    ["9".repeat(30), Number.MAX_SAFE_INTEGER],
    ["1.0", undefined],
    ["1e3", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("whole %j is %j", (text, value) => expect(wholeNumber(text)).toBe(value));
});
