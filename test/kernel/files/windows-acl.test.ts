import { expect, test } from "vitest";
import { icaclsArguments, parseWhoami } from "../../../src/kernel/files/windows-acl.ts";
import { system32 } from "../../../src/kernel/process/system32.ts";

test("tools are named by their absolute System32 path", () => {
  expect(system32("icacls.exe", "D:\\Win")).toBe("D:\\Win\\System32\\icacls.exe");
  expect(system32("icacls.exe", undefined)).toBe("C:\\Windows\\System32\\icacls.exe");
});

test("the access list breaks inheritance and names the caller, the system and the administrators once", () => {
  expect(icaclsArguments("C:\\x y", ["S-1-5-21-1-2-3-1001", "S-1-5-32-544"])).toEqual([
    "C:\\x y",
    "/inheritance:r",
    "/grant:r",
    "*S-1-5-21-1-2-3-1001:(OI)(CI)F",
    "*S-1-5-32-544:(OI)(CI)F",
    "*S-1-5-18:(OI)(CI)F",
  ]);
});

test("the caller's SID is read from whoami, whatever the account's name", () => {
  expect(parseWhoami('"desk-1\\a ""b"" c","S-1-5-21-1-2-3-1001"\r\n')).toBe("S-1-5-21-1-2-3-1001");
  expect(parseWhoami("ERROR: no")).toBeUndefined();
  expect(parseWhoami('"x","S-1-5-21-1" extra')).toBeUndefined();
});
