import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fromPlain,
  JsonSyntaxError,
  parseLossless,
  toPlain,
  writeLossless,
} from "../../../src/flow/common/lossless-json.ts";

describe("lossless JSON", () => {
  test("keeps the order of keys that look like integers, and the spelling of numbers", () => {
    const text = '{"b":1,"2":1.50,"1":-0,"a":[1e3,12345678901234567890],"__proto__":{"x":1}}';
    expect(writeLossless(parseLossless(text))).toBe(text);
  });

  test("says where a text is no JSON", () => {
    const at = (text: string) => {
      try {
        parseLossless(text);
      } catch (error) {
        if (error instanceof JsonSyntaxError) return [error.line, error.column, error.message];
      }
      return "no error";
    };
    expect(at("{bad")).toEqual([1, 2, "expected a key in double quotes"]);
    expect(at('{"a": 1,\n  "é": nope}')).toEqual([2, 8, "expected a value"]);
    expect(at('{"a":1,"a":2}')).toEqual([1, 8, 'the key "a" stands twice in one object']);
    expect(at("[1] 2")).toEqual([1, 5, "expected the end after the value"]);
    expect(at('["a\nb"]')).toEqual([1, 4, "a control character stands unescaped in a string"]);
    expect(at("NaN")).toEqual([1, 1, "expected a value"]);
    expect(at("")).toEqual([1, 1, "the text ends where a value was expected"]);
    expect(at("[".repeat(600))).toEqual([1, 501, "nested more than 500 deep"]);
  });

  test("reads what JSON.parse reads, and nothing else", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(toPlain(parseLossless(text))).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:01-.eE+ \\untrfalsb\n') }), (text) => {
        const read = (parse: (text: string) => unknown) => {
          try {
            return { value: parse(text) };
          } catch {
            return undefined;
          }
        };
        const strict = read((given) => toPlain(parseLossless(given)));
        const native = read(JSON.parse);
        // A key that stands twice is all that is refused beyond.
        if (strict !== undefined || !/"[^"]*".*"[^"]*"/s.test(text)) expect(strict).toEqual(native);
      }),
    );
  });

  test("what is written is read again", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.stringify(toPlain(parseLossless(writeLossless(fromPlain(value)))))).toBe(
          JSON.stringify(JSON.parse(json)),
        );
        expect(toPlain(parseLossless(writeLossless(fromPlain(value), 2)))).toEqual(JSON.parse(json));
      }),
    );
  });
});
