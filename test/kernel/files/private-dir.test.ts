import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ensurePrivateDirectory, type PrivateDirectoryError } from "../../../src/kernel/files/private-dir.ts";
import { tempDir } from "../../support/temp.ts";

const uid = process.geteuid?.();
const options = { uid, platform: process.platform };
const posix = process.platform !== "win32";
const modeOf = (path: string) => statSync(path).mode & 0o7777;

async function problem(
  attempt: Promise<string>,
): Promise<Pick<PrivateDirectoryError, "problem" | "message">> {
  return attempt.then(
    (path) => {
      throw new Error(`made ${path}`);
    },
    (error: PrivateDirectoryError) => ({ problem: error.problem, message: error.message }),
  );
}

describe.runIf(posix)("ensurePrivateDirectory", () => {
  test("makes every missing part 0700 and keeps the mode of what exists below the base", async () => {
    const base = join(tempDir(), "base");
    expect(await ensurePrivateDirectory(base, ["a", "b"], options)).toBe(join(base, "a/b"));
    for (const path of [base, join(base, "a"), join(base, "a/b")]) expect(modeOf(path)).toBe(0o700);
    chmodSync(base, 0o755);
    chmodSync(join(base, "a"), 0o755);
    await ensurePrivateDirectory(base, ["a", "b"], options);
    expect([modeOf(base), modeOf(join(base, "a"))]).toEqual([0o700, 0o755]);
    await ensurePrivateDirectory(base, ["a", "b"], { ...options, repairAll: true });
    expect(modeOf(join(base, "a"))).toBe(0o700);
  });

  test("does not make the base's parent", async () => {
    const directory = tempDir();
    const base = join(directory, "no/base");
    expect(await problem(ensurePrivateDirectory(base, [], options))).toEqual({
      problem: "parent-missing",
      message: `cannot create ${base}: parent directory does not exist`,
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("refuses a symlink or a file at any level and makes nothing behind it", async () => {
    const directory = tempDir();
    mkdirSync(join(directory, "target"));
    symlinkSync("target", join(directory, "link"));
    writeFileSync(join(directory, "file"), "");
    for (const name of ["link", "file"]) {
      const path = join(directory, name);
      const expected = {
        problem: "not-directory",
        message: `${path}: not a real directory (symlink or file planted?)`,
      };
      expect(await problem(ensurePrivateDirectory(path, ["x"], options))).toEqual(expected);
      expect(await problem(ensurePrivateDirectory(directory, [name, "x"], options))).toEqual(expected);
    }
    expect(readdirSync(join(directory, "target"))).toEqual([]);
  });

  test.runIf(uid === 0)("refuses a directory of another user at any level", async () => {
    const base = join(tempDir(), "base");
    const inner = join(base, "a");
    mkdirSync(inner, { recursive: true });
    chownSync(inner, 12_345, 12_345);
    expect(await problem(ensurePrivateDirectory(base, ["a", "b"], options))).toEqual({
      problem: "foreign-owner",
      message: `${inner}: not owned by the current user`,
    });
    expect(readdirSync(inner)).toEqual([]);
  });
});

test("on Windows a part that names a device is refused before it is made", async () => {
  const directory = tempDir();
  const onWindows = { uid: undefined, platform: "win32" } as const;
  for (const name of ["NUL", "com1.x", "x."]) {
    const { message } = await problem(ensurePrivateDirectory(directory, [name, "x"], onWindows));
    expect(message).toBe(
      `cannot create ${join(directory, name)}: Windows takes its name for a device or another name`,
    );
  }
  expect(readdirSync(directory)).toEqual([]);
});
