import { expect, test } from "vitest";
import { isObject, parseObject } from "../../../src/kernel/text/json.ts";

test("an object is neither null nor a list, and anything else is none", () => {
  for (const value of [null, [], "x", 1, undefined, true]) expect(isObject(value)).toBe(false);
  expect(parseObject('{"a": [1]}')).toEqual({ a: [1] });
  for (const text of ["", "[]", "null", '"{}"', "{", '{"a": 1} x']) expect(parseObject(text)).toBeUndefined();
  expect(Object.keys(parseObject('{"__proto__": 1}')!)).toEqual(["__proto__"]);
});
