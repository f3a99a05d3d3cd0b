import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  openOwnedFile,
  Refused,
  readOwnedFile,
  readOwnedText,
} from "../../../src/kernel/files/owned-file.ts";
import { tempDir } from "../../support/temp.ts";

const uid = process.geteuid?.();
const isRoot = uid === 0;
const posix = process.platform !== "win32";

function refusal(read: () => unknown): Refused {
  try {
    read();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("readOwnedFile", () => {
  test("gives the exact bytes, also of an empty file and of one exactly at the cap", () => {
    const directory = tempDir();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
        const path = join(directory, "f");
        writeFileSync(path, bytes);
        expect(Buffer.from(readOwnedFile(path, { uid, maxBytes: bytes.length }))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test("refuses one byte over the cap and says how large the file is", () => {
    const path = join(tempDir(), "f");
    writeFileSync(path, "abcdef");
    const refused = refusal(() => readOwnedFile(path, { uid, maxBytes: 5 }));
    expect(refused).toMatchObject({ reason: "too-large", path, exitCode: 4 });
    expect(refused.message).toBe(`${path}: is too large (6 > 5 bytes)`);
  });

  test("never reads a huge sparse file into memory", () => {
    const path = join(tempDir(), "f");
    writeFileSync(path, "");
    truncateSync(path, 50 * 2 ** 30);
    expect(refusal(() => readOwnedFile(path, { uid, maxBytes: 1024 })).reason).toBe("too-large");
  });

  test.runIf(process.platform === "linux")("stops when more arrives than the size said", () => {
    // Files of /proc have size 0 and content all the same.
    const expected = readFileSync("/proc/self/environ");
    const options = { uid: undefined, maxBytes: expected.length };
    expect(Buffer.from(readOwnedFile("/proc/self/environ", options))).toEqual(expected);
    const short = { uid: undefined, maxBytes: expected.length - 1 };
    expect(refusal(() => readOwnedFile("/proc/self/environ", short)).reason).toBe("too-large");
  });

  test("tells an absent file from everything else", () => {
    const directory = tempDir();
    expect(refusal(() => readOwnedFile(join(directory, "no"), { uid, maxBytes: 1 })).reason).toBe("absent");
    writeFileSync(join(directory, "file"), "");
    const below = refusal(() => readOwnedFile(join(directory, "file", "x"), { uid, maxBytes: 1 }));
    expect(below.reason).toBe("absent");
  });

  test.runIf(posix)("refuses a planted symlink, dangling or not, and follows it only on purpose", () => {
    const directory = tempDir();
    const path = join(directory, "link");
    symlinkSync(join(directory, "target"), path);
    expect(refusal(() => readOwnedFile(path, { uid, maxBytes: 9 })).reason).toBe("symlink");
    expect(refusal(() => readOwnedFile(path, { uid, maxBytes: 9, allowSymlink: true })).reason).toBe(
      "absent",
    );
    writeFileSync(join(directory, "target"), "secret");
    expect(refusal(() => readOwnedFile(path, { uid, maxBytes: 9 })).reason).toBe("symlink");
    expect(readOwnedText(path, { uid, maxBytes: 9, allowSymlink: true })).toBe("secret");
  });

  test.runIf(posix)("refuses a directory, a FIFO (without hanging), a socket and a device", async () => {
    const directory = tempDir();
    mkdirSync(join(directory, "dir"));
    expect(spawnSync("mkfifo", [join(directory, "fifo")]).status).toBe(0);
    const server = createServer().listen(join(directory, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    for (const name of ["dir", "fifo", "socket"]) {
      const refused = refusal(() => readOwnedFile(join(directory, name), { uid, maxBytes: 9 }));
      expect([name, refused.reason]).toEqual([name, "not-regular"]);
    }
    server.close();
    const device = refusal(() => readOwnedFile("/dev/zero", { uid: undefined, maxBytes: 9 }));
    expect(device.reason).toBe("not-regular");
  });

  test.runIf(isRoot)("refuses another owner's file, and accepts it when no owner is asked for", () => {
    const path = join(tempDir(), "f");
    writeFileSync(path, "x");
    chownSync(path, 12_345, 12_345);
    const refused = refusal(() => readOwnedFile(path, { uid, maxBytes: 9 }));
    expect(refused.reason).toBe("foreign-owner");
    expect(refused.why).toContain("12345");
    expect(readOwnedText(path, { uid: undefined, maxBytes: 9 })).toBe("x");
  });

  test.runIf(posix && !isRoot)("says why a file of ours cannot be read", () => {
    const path = join(tempDir(), "f");
    writeFileSync(path, "x");
    chmodSync(path, 0);
    const refused = refusal(() => readOwnedFile(path, { uid, maxBytes: 9 }));
    expect(refused).toMatchObject({ reason: "unreadable", why: "permission denied" });
  });

  test("refused reads leave no descriptor open", () => {
    if (process.platform !== "linux") return;
    const directory = tempDir();
    const probe = () => openOwnedFile(join(directory, "ok"), { uid });
    writeFileSync(join(directory, "ok"), "x");
    const before = probe();
    closeSync(before.descriptor);
    for (let turn = 0; turn < 20; turn++) refusal(() => readOwnedFile(directory, { uid, maxBytes: 9 }));
    const after = probe();
    closeSync(after.descriptor);
    expect(after.descriptor).toBe(before.descriptor);
  });
});

describe("readOwnedText", () => {
  test("refuses bytes that are not UTF-8 and keeps a byte-order mark", () => {
    const path = join(tempDir(), "f");
    writeFileSync(path, Buffer.from([0x61, 0xff]));
    expect(refusal(() => readOwnedText(path, { uid, maxBytes: 9 })).reason).toBe("not-utf8");
    writeFileSync(path, "\ufeffa");
    expect(readOwnedText(path, { uid, maxBytes: 9 })).toBe("\ufeffa");
  });
});
