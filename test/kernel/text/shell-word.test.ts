import { expect, test } from "vitest";
import { removeCommand, shellWord } from "../../../src/kernel/text/shell-word.ts";

test("a word is quoted as the system's shells read it", () => {
  expect(["/a/b", "a b", "it's"].map((word) => shellWord(word, "linux"))).toEqual([
    "/a/b",
    "'a b'",
    "'it'\\''s'",
  ]);
  expect(["C:/a", "C:\\a", "a b", "it's"].map((word) => shellWord(word, "win32"))).toEqual([
    "C:/a",
    '"C:\\a"',
    '"a b"',
    '"it\'s"',
  ]);
});

test("what takes a file or a directory away", () => {
  expect(removeCommand("/a b", "directory", "linux")).toBe("rm -rf '/a b'");
  expect(removeCommand("/a", "file", "darwin")).toBe("rm /a");
  expect(removeCommand("C:\\a b", "directory", "win32")).toBe('rmdir /s /q "C:\\a b"');
  expect(removeCommand("C:\\a", "file", "win32")).toBe('del "C:\\a"');
});
