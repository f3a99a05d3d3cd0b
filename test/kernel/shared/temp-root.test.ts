import { chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JigError } from "../../../src/kernel/call/errors.ts";
import { chooseTempRoot } from "../../../src/kernel/shared/choose-temp-root.ts";
import {
  fallbackTempRoot,
  primaryTempRoot,
  tempRootCandidates,
  userTempDirectory,
} from "../../../src/kernel/shared/temp-root.ts";
import { testHost } from "../../support/host.ts";
import { tempDir } from "../../support/temp.ts";

const posix = process.platform !== "win32";
const uid = process.geteuid?.();

describe.runIf(posix)("chooseTempRoot", () => {
  const setUp = () => {
    const [tmp, other] = [tempDir(), tempDir()];
    const host = testHost({ env: { JIG_TMP_ROOT: tmp, TMPDIR: other } });
    const [primary, fallback] = [
      join(tmp, `compound-engineering-${uid}`),
      join(other, `compound-engineering-${uid}`),
    ];
    return { tmp, other, host, primary, fallback };
  };

  test("makes and takes the primary root, the same one for every purpose", async () => {
    const { host, primary } = setUp();
    for (const purpose of ["jobs", "scratch", "packs"] as const) {
      expect(await chooseTempRoot(host, purpose)).toEqual({ path: primary, fallback: false, notes: [] });
    }
    expect(statSync(primary).mode & 0o7777).toBe(0o700);
    expect(readdirSync(primary)).toEqual([]);
  });

  test("falls back from a file, a symlink or a foreign directory, without touching it", async () => {
    for (const plant of ["file", "symlink", "foreign"]) {
      if (plant === "foreign" && uid !== 0) continue;
      const { host, primary, fallback, tmp } = setUp();
      mkdirSync(join(tmp, "target"));
      if (plant === "file") writeFileSync(primary, "x");
      if (plant === "symlink") symlinkSync("target", primary);
      if (plant === "foreign") {
        mkdirSync(primary);
        chownSync(primary, 12_345, 12_345);
      }
      expect(await chooseTempRoot(host, "jobs")).toEqual({ path: fallback, fallback: true, notes: [] });
      expect(readdirSync(join(tmp, "target"))).toEqual([]);
    }
  });

  test("reports what is wrong with the fallback when both are bad", async () => {
    const { host, primary, fallback } = setUp();
    writeFileSync(primary, "");
    writeFileSync(fallback, "");
    await expect(chooseTempRoot(host, "jobs")).rejects.toThrow(
      `${fallback}: not a real directory (symlink or file planted?)`,
    );
  });

  test("an impossible TMPDIR or JIG_TMP_ROOT is an error only where it is needed", async () => {
    const { host, primary, tmp } = setUp();
    const relative = testHost({ env: { JIG_TMP_ROOT: tmp, TMPDIR: "rel" } });
    expect((await chooseTempRoot(relative, "jobs")).path).toBe(primary);
    expect(tempRootCandidates(relative, "jobs")).toEqual([primary]);
    const blocked = join(tmp, "blocked");
    mkdirSync(blocked);
    writeFileSync(join(blocked, `compound-engineering-${uid}`), "");
    const needing = testHost({ env: { JIG_TMP_ROOT: blocked, TMPDIR: "rel" } });
    await expect(chooseTempRoot(needing, "jobs")).rejects.toThrow("TMPDIR");
    const unreadable = {
      JIG_TMP_ROOT: blocked,
      get TMPDIR(): string {
        throw new JigError("environment variable TMPDIR is not valid UTF-8");
      },
    };
    await expect(chooseTempRoot(testHost({ env: unreadable }), "jobs")).rejects.toThrow("TMPDIR");
    expect(tempRootCandidates(testHost({ env: unreadable }), "jobs")).toHaveLength(1);
    const wrong = testHost({ env: { ...host.env, JIG_TMP_ROOT: "rel" } });
    await expect(chooseTempRoot(wrong, "jobs")).rejects.toThrow(
      "JIG_TMP_ROOT must be an absolute path, got 'rel'",
    );
    const nobody = testHost({ env: host.env });
    await expect(chooseTempRoot({ ...nobody, uid: undefined }, "jobs")).rejects.toThrow(
      "effective user ID is unavailable; cannot derive the jobs root",
    );
  });

  test("looking creates nothing, and lists one directory by two names once", async () => {
    const { host, primary, fallback, tmp, other } = setUp();
    expect(await chooseTempRoot(host, "jobs", { create: false })).toMatchObject({
      path: primary,
      fallback: false,
    });
    expect(tempRootCandidates(host, "jobs")).toEqual([primary, fallback]);
    const link = join(other, "link");
    symlinkSync(tmp, link);
    const twice = testHost({ env: { JIG_TMP_ROOT: tmp, TMPDIR: link } });
    expect(tempRootCandidates(twice, "jobs")).toEqual([primary]);
    expect(readdirSync(tmp)).toEqual([]);
  });
});

describe("names of the roots", () => {
  test("/tmp stands first, an empty TMPDIR counts as unset", () => {
    if (!posix) return;
    const host = testHost({ platform: "linux", uid: 7, env: { TMPDIR: "" } });
    expect(primaryTempRoot(host, "scratch")).toBe("/tmp/compound-engineering-7");
    expect(fallbackTempRoot(host, "scratch")).toBe("/tmp/compound-engineering-7");
  });

  test("Windows has one root a purpose, below LOCALAPPDATA, else the user temp directory", () => {
    const local = posix ? "/local" : "C:\\local";
    const windows = testHost({
      platform: "win32",
      uid: undefined,
      env: { LOCALAPPDATA: local, TEMP: "C:\\t" },
    });
    expect(primaryTempRoot(windows, "jobs")).toBe(join(local, "compound-engineering-jobs"));
    expect(tempRootCandidates(windows, "packs")).toEqual([join(local, "compound-engineering-packs")]);
    const bare = testHost({ platform: "win32", uid: undefined, env: { TEMP: "C:\\t" } });
    expect(userTempDirectory(bare)).toBe("C:\\t");
    expect(primaryTempRoot(bare, "scratch")).toBe(join("C:\\t", "compound-engineering-scratch"));
  });
});
