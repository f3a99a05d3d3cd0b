import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayWidth } from "../../../src/kernel/text/display-width.ts";
import { table } from "../../../src/kernel/text/table.ts";

const HEADER = ["NAME", "SIZE", "NOTE"];
const ROWS = [
  ["東京", "7", ""],
  ["a", "1234567", "two\nlines"],
];
const terminal = { isTerminal: true, colour: false, width: 40 };
const pipe = { ...terminal, isTerminal: false };

describe("table", () => {
  test("aligns columns under a header on a terminal, without blanks at the end", () => {
    expect(table(HEADER, ROWS, terminal)).toBe(
      ["NAME  SIZE     NOTE", "東京  7", "a     1234567  two\\nlines", ""].join("\n"),
    );
    expect(table(HEADER, ROWS, terminal, { alignRight: [1] })).toBe(
      ["NAME     SIZE  NOTE", "東京        7", "a     1234567  two\\nlines", ""].join("\n"),
    );
  });

  test("cuts a line to the terminal's width; the header is bold where there is colour", () => {
    expect(table(HEADER, ROWS, { ...terminal, width: 10, colour: true })).toBe(
      ["\u001b[1mNAME  SIZ…\u001b[22m", "東京  7", "a     123…", ""].join("\n"),
    );
  });

  test("is tab-separated in a pipe, with a header only where that is asked for", () => {
    const rows = "東京\t7\t\na\t1234567\ttwo\\nlines\n";
    expect(table(HEADER, ROWS, pipe)).toBe(rows);
    expect(table(HEADER, ROWS, pipe, { headerWhenPiped: true })).toBe(`NAME\tSIZE\tNOTE\n${rows}`);
  });

  test("of nothing is nothing, but for a header that is always asked for", () => {
    expect(table(HEADER, [], terminal)).toBe("");
    expect(table(HEADER, [], pipe)).toBe("");
    expect(table(HEADER, [], pipe, { headerWhenPiped: true })).toBe("NAME\tSIZE\tNOTE\n");
  });

  test("has one line a row whatever the cells hold, none wider than the terminal", () => {
    const cell = fc.string({ unit: "binary", maxLength: 30 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
        const lines = table(HEADER, rows, terminal).split("\n");
        expect(lines.pop()).toBe("");
        expect(lines.length).toBe(rows.length + 1);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(terminal.width);
        const piped = table(HEADER, rows, pipe).split("\n");
        expect(piped.length).toBe(rows.length + 1);
        for (const line of piped.slice(0, -1)) expect(line.split("\t").length).toBe(3);
      }),
    );
  });
});
