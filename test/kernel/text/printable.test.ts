import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasControlCharacter, printable, printableBlock } from "../../../src/kernel/text/printable.ts";

/** What a terminal may do more with than show. */
const UNSAFE =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Cs}|[\u{e0000}-\u{e007f}]/u;

describe("printable", () => {
  test("leaves what only shows as it is", () => {
    for (const text of ["", "plain ~!", "Zürich 東京 🦀 é", "a\u00a0b"]) expect(printable(text)).toBe(text);
  });

  test.each([
    ["\n\r\t", "\\n\\r\\t"],
    ["\u001b[31mred\u0007", "\\x1b[31mred\\x07"],
    ["\u0000\u007f\u009b2J", "\\x00\\x7f\\x9b2J"],
    ["user\u202egpj.exe", "user\\u{202e}gpj.exe"],
    ["a\u2028b\u2029c", "a\\u{2028}b\\u{2029}c"],
    ["pay\u200bpal\ufeff", "pay\\u{200b}pal\\u{feff}"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\ud800x\udc00", "\\u{d800}x\\u{dc00}"],
  ])("%j becomes %j", (text, shown) => expect(printable(text)).toBe(shown));

  test("nothing unsafe is left of any text, and what is safe is not touched twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(UNSAFE);
        expect(printable(shown)).toBe(shown);
      }),
    );
  });
});

describe("printableBlock", () => {
  test("keeps newlines and tabs, and nothing else that printable does not", () => {
    expect(printableBlock("a\n\tb\r\n\u001b[2J")).toBe("a\n\tb\\r\n\\x1b[2J");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const lines = (block: string) => block.split(/[\n\t]/);
        expect(lines(printableBlock(text))).toEqual(lines(text).map(printable));
      }),
    );
  });
});

test("hasControlCharacter knows C0 and DEL", () => {
  for (const text of ["\u0000", "a\nb", "\u001f", "\u007f"]) expect(hasControlCharacter(text)).toBe(true);
  for (const text of ["", " ~", "é東", "\u0080"]) expect(hasControlCharacter(text)).toBe(false);
});
