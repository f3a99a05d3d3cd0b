import { expect, test } from "vitest";
import { isWindowsTrap, windowsTrap } from "../../../src/kernel/files/windows-names.ts";

test.each([
  "a:b",
  "c.txt::$DATA",
  "con",
  "NUL.txt",
  "nul .tar.gz",
  "com1.html",
  "LPT9",
  "com¹",
  "CONIN$",
  "x.",
  "x ",
  "...",
  "d/aux/y",
  "COM1/z",
  "d\\prn",
])("%j is a trap on Windows", (name) => {
  expect([isWindowsTrap(name), windowsTrap(name) !== undefined]).toEqual([true, true]);
});

test("ordinary names are none", () => {
  const names = ["a.html", "sub/../b", "console.html", "com10.txt", "nul-x", "..", ".", ".con", ""];
  expect(names.filter(isWindowsTrap)).toEqual([]);
});

test("the part is named, and a drive is none", () => {
  expect(["C:\\w\\NUL.txt\\x", "C:\\a:b", "C:x", "\\\\.\\COM1"].map(windowsTrap)).toEqual([
    "NUL.txt",
    "a:b",
    "C:x",
    "COM1",
  ]);
  const plain = ["C:\\w", "c:/w/x", "C:", "\\\\?\\C:\\w", "\\\\server\\share\\x", "\\rooted"];
  expect(plain.map(windowsTrap)).toEqual(plain.map(() => undefined));
});
