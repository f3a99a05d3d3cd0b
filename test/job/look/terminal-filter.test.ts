import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { terminalFilter } from "../../../src/job/look/terminal-filter.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const shown = (...pieces: string[]) => {
  const filter = terminalFilter();
  return pieces.map((piece) => filter(bytes(piece))).join("");
};

describe("untrusted output on a terminal (jobs.md 11.2)", () => {
  test.each([
    ["plain é 漢 🎉\n\ttext", "plain é 漢 🎉\n\ttext"],
    ["a\u001b[31mred\u001b[0m b", "ared b"],
    ["title \u001b]0;evil\u0007after", "title after"],
    ["link \u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\.", "link text."],
    ["dcs \u001bPq#0\u001b\\x", "dcs x"],
    ["charset \u001b(0x", "charset x"],
    ["c1 \u009b31mred \u009d0;t\u009cx", "c1 red x"],
    ["cr\rlf\b\u0007\u007f\u0000", "crlf"],
    ["\u001bcreset", "reset"],
    ["unfinished \u001b]0;never ends\nnext line", "unfinished \nnext line"],
    ["cancelled \u001b[3\u0018x", "cancelled x"],
    ["bidi \u202eabc", "bidi abc"],
  ])("%j", (raw, expected) => {
    expect(shown(raw)).toBe(expected);
  });

  test("a sequence may be split anywhere", () => {
    const raw = "a\u001b[38;5;1mb\u001b]0;t\u001b\\c é";
    const all = bytes(raw);
    for (let cut = 0; cut <= all.length; cut++) {
      const filter = terminalFilter();
      expect(filter(all.subarray(0, cut)) + filter(all.subarray(cut))).toBe("abc é");
    }
  });

  test("no control character but newline and tab comes through, however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
        const filter = terminalFilter();
        const out = pieces.map((piece) => filter(piece)).join("");
        expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });

  test("text without controls is unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abc \n\té漢🎉".match(/./gsu)!) }), (text) => {
        expect(shown(text)).toBe(text);
      }),
    );
  });
});
