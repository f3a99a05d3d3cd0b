import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  absoluteFrom,
  absoluteOnWindows,
  containedRealPath,
  isInside,
  isStrictlyInside,
  resolveReal,
} from "../../../src/kernel/files/contain.ts";
import { tempDir } from "../../support/temp.ts";

const posix = process.platform !== "win32";

describe("resolveReal", () => {
  test("appends what does not exist and lets .. cancel it", () => {
    const root = tempDir();
    mkdirSync(join(root, "a", "b"), { recursive: true });
    expect(resolveReal(`${root}/a/no/such`)).toBe(join(root, "a/no/such"));
    expect(resolveReal(`${root}/a/no/../b`)).toBe(join(root, "a/b"));
    expect(resolveReal(`${root}/no/../../${root}`)).toContain(root.split("/").at(-1));
    expect(resolveReal(`${root}/a/./b//`)).toBe(join(root, "a/b"));
    expect(resolveReal("/..")).toBe("/");
  });

  test.runIf(posix)("an existing component's .. goes to its real parent, also through links", () => {
    const root = tempDir();
    mkdirSync(join(root, "deep/target"), { recursive: true });
    writeFileSync(join(root, "file"), "");
    symlinkSync("deep/target", join(root, "link"));
    expect(resolveReal(`${root}/link/../x`)).toBe(join(root, "deep/x"));
    expect(resolveReal(`${root}/file/../x`)).toBe(join(root, "x"));
    expect(resolveReal(`${root}/file/x`)).toBe(join(root, "file/x"));
  });

  test.runIf(posix)("follows a dangling link to where it would lead, and refuses a loop", () => {
    const root = tempDir();
    symlinkSync("/nowhere/at/all", join(root, "dangling"));
    expect(resolveReal(`${root}/dangling/x`)).toBe("/nowhere/at/all/x");
    symlinkSync("loop", join(root, "loop"));
    expect(() => resolveReal(`${root}/loop/x`)).toThrow("too many levels of symbolic links");
    expect(() => resolveReal(`${root}/missing/../loop/x`)).toThrow("too many levels of symbolic links");
  });

  test.runIf(posix)(
    "agrees with the system on everything that exists, and is idempotent on everything",
    () => {
      const root = tempDir();
      mkdirSync(join(root, "a/b/c"), { recursive: true });
      symlinkSync("../a/b", join(root, "a/up"));
      symlinkSync(join(root, "a"), join(root, "abs"));
      symlinkSync("missing/deeper", join(root, "dangling"));
      const part = fc.constantFrom("a", "b", "c", "up", "abs", "dangling", "missing", "..", ".", "");
      fc.assert(
        fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
          const path = `${root}/${parts.join("/")}`;
          const real = resolveReal(path);
          expect(resolveReal(real)).toBe(real);
          expect(real).not.toMatch(/\/(\.\.?)?(\/|$)(?!$)/);
          let system: string | undefined;
          try {
            system = realpathSync.native(path);
          } catch {
            // Something on the way does not exist: ours goes on, the system's does not.
          }
          if (system !== undefined) expect(real).toBe(system);
        }),
        { numRuns: 500 },
      );
    },
  );
});

describe("isInside", () => {
  test("compares whole components", () => {
    expect(isInside("/repo", "/repo-x")).toBe(false);
    expect(isInside("/repo", "/repo/x")).toBe(true);
    expect(isInside("/repo", "/repo")).toBe(true);
    expect(isStrictlyInside("/repo", "/repo")).toBe(false);
    expect(isStrictlyInside("/", "/x")).toBe(true);
    expect(isStrictlyInside("/", "/")).toBe(false);
    expect(isInside("/repo/x", "/repo")).toBe(false);
  });
});

describe("containedRealPath", () => {
  test.runIf(posix)("accepts what stays inside, and nothing that leaves by .. or by a link", () => {
    const root = tempDir();
    mkdirSync(join(root, "in/sub"), { recursive: true });
    mkdirSync(join(root, "out"));
    symlinkSync("../out", join(root, "in/leave"));
    symlinkSync("sub", join(root, "in/stay"));
    const inside = join(root, "in");
    expect(containedRealPath(inside, "sub/new")).toBe(join(inside, "sub/new"));
    expect(containedRealPath(inside, "stay/x")).toBe(join(inside, "sub/x"));
    expect(containedRealPath(inside, ".")).toBe(inside);
    expect(containedRealPath(inside, join(inside, "sub"))).toBe(join(inside, "sub"));
    for (const outside of ["..", "../out", "leave", "leave/x", "sub/../../out", "/etc", "leave/../in2"]) {
      expect([outside, containedRealPath(inside, outside)]).toEqual([outside, undefined]);
    }
  });

  test("a root given through a link is the same root", () => {
    if (!posix) return;
    const root = tempDir();
    mkdirSync(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    expect(containedRealPath(join(root, "link"), "x")).toBe(join(root, "real/x"));
  });
});

test.runIf(posix)("absoluteFrom keeps .. for the links to decide", () => {
  expect(absoluteFrom("/a", "b/../c")).toBe("/a/b/../c");
  expect(absoluteFrom("/a/", "b")).toBe("/a/b");
  expect(absoluteFrom("/a", "/b")).toBe("/b");
  expect(absoluteFrom("/a", "")).toBe("/a");
});

test("on Windows what leaves out its drive gets the directory's", () => {
  const from = (path: string) => absoluteOnWindows("D:\\w\\x", path);
  expect([from("\\rooted"), from("/rooted/y"), from("z"), from("..")]).toEqual([
    "D:\\rooted",
    "D:\\rooted\\y",
    "D:\\w\\x\\z",
    "D:\\w",
  ]);
  for (const whole of ["C:\\a\\..\\b", "c:/a", "\\\\server\\share", "//server/share"])
    expect(from(whole)).toBe(whole);
});
