import { expect, test } from "vitest";
import { byCodePoint } from "../../../src/kernel/text/code-point-order.ts";

test("byCodePoint sorts as UTF-8 bytes do, beyond the basic plane too", () => {
  expect(["\u{10000}", "\uffff", "b", "a"].sort(byCodePoint)).toEqual(["a", "b", "\uffff", "\u{10000}"]);
  expect(["\u{10000}", "\uffff"].sort()).toEqual(["\u{10000}", "\uffff"]);
});
