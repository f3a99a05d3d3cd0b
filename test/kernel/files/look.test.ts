import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileError } from "../../../src/kernel/files/file-io.ts";
import {
  isDirectory,
  isRealDirectory,
  isRegularFile,
  lookAt,
  statIfThere,
} from "../../../src/kernel/files/look.ts";
import { tempDir } from "../../support/temp.ts";

function place() {
  const root = tempDir();
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "file"), "x");
  symlinkSync("folder", join(root, "to-folder"));
  symlinkSync("file", join(root, "to-file"));
  symlinkSync("nowhere", join(root, "to-nothing"));
  symlinkSync("loop", join(root, "loop"));
  return (name: string) => join(root, name);
}

describe("a look at a path", () => {
  test("sees a link itself, and nothing where there is nothing", () => {
    const at = place();
    for (const look of [lookAt, statIfThere]) {
      expect(look(at("file"))?.isFile()).toBe(true);
      for (const link of ["to-folder", "to-file", "to-nothing", "loop"])
        expect(look(at(link))?.isSymbolicLink()).toBe(true);
      expect(look(at("none"))).toBeUndefined();
      expect(look(at("file/below"))).toBeUndefined();
    }
  });

  test("that the system refuses is nothing, or an error that says what could not be done", () => {
    const at = place();
    expect(lookAt(at("loop/below"))).toBeUndefined();
    expect(() => statIfThere(at("loop/below"))).toThrow(FileError);
    expect(() => statIfThere(at("loop/below"), "cannot write")).toThrow(`cannot write ${at("loop/below")}: `);
  });

  test("through links: what they lead to", () => {
    const at = place();
    const names = ["folder", "to-folder", "file", "to-file", "to-nothing", "loop", "none", "file/below"];
    const passing = (is: (path: string) => boolean) => names.filter((name) => is(at(name)));
    expect(passing(isDirectory)).toEqual(["folder", "to-folder"]);
    expect(passing(isRealDirectory)).toEqual(["folder"]);
    expect(passing(isRegularFile)).toEqual(["file", "to-file"]);
    chmodSync(at("file"), 0o000);
    expect(isRegularFile(at("file"))).toBe(true);
  });
});
