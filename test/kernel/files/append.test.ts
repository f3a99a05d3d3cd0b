import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendRecords, readRecords } from "../../../src/kernel/files/append.ts";
import { canMount, smallDisk } from "../../support/disk.ts";
import { BUN, ROOT } from "../../support/paths.ts";
import { runJig } from "../../support/run.ts";
import { callsTouching, canTrace, runInjected } from "../../support/strace.ts";
import { tempDir } from "../../support/temp.ts";

const program = `${ROOT}/test/kernel/programs/append.ts`;
const posix = process.platform !== "win32";

function linesOf(path: string, options: { from?: number; maxRecordBytes?: number } = {}) {
  const lines: string[] = [];
  const end = readRecords(path, { uid: undefined, ...options }, ({ bytes }) => {
    lines.push(new TextDecoder().decode(bytes));
  });
  return { lines, ...end };
}

describe("appendRecords", () => {
  test("adds lines to the end, and makes the file only when asked to", () => {
    const path = join(tempDir(), "log");
    expect(() => appendRecords(path, ["a"])).toThrow("no such file or directory");
    expect(appendRecords(path, ["a"], { create: 0o600 })).toEqual({ tornTail: false, bytes: 2 });
    expect(appendRecords(path, ["b", "c"])).toEqual({ tornTail: false, bytes: 4 });
    expect(readFileSync(path, "utf8")).toBe("a\nb\nc\n");
    if (posix) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("sets off an unterminated tail instead of fusing two records, and reports it", () => {
    const path = join(tempDir(), "log");
    writeFileSync(path, '{"ok":1}\n{"torn":');
    expect(appendRecords(path, ['{"new":1}'])).toEqual({ tornTail: true, bytes: 11 });
    expect(readFileSync(path, "utf8")).toBe('{"ok":1}\n{"torn":\n{"new":1}\n');
    expect(appendRecords(path, ["x"]).tornTail).toBe(false);
  });

  test("refuses a record with a newline in it, a symlink and a directory", () => {
    const directory = tempDir();
    const path = join(directory, "log");
    expect(() => appendRecords(path, ["a\nb"], { create: 0o600 })).toThrow("newline");
    expect(readdirSync(directory)).toEqual([]);
    mkdirSync(join(directory, "dir"));
    expect(() => appendRecords(join(directory, "dir"), ["a"])).toThrow(/directory/);
    if (!posix) return;
    symlinkSync(path, join(directory, "link"));
    expect(() => appendRecords(join(directory, "link"), ["a"], { create: 0o600 })).toThrow("is a symlink");
    expect(readdirSync(directory).sort()).toEqual(["dir", "link"]);
  });

  test("two hundred concurrent appenders lose nothing and mix nothing", async () => {
    const path = join(tempDir(), "log");
    const length = 6000; // Longer than a page and than a pipe's atomic size.
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        runJig([program, path, `writer-${index}`, "3", String(length)], { program: BUN, timeout: 150_000 }),
      ),
    );
    const { lines, tornTail } = linesOf(path);
    expect(tornTail).toBe(0);
    const expected = Array.from({ length: 600 }, (_, index) =>
      `writer-${Math.floor(index / 3)} ${index % 3} `.padEnd(length, "x"),
    );
    expect([...lines].sort()).toEqual(expected.sort());
  }, 180_000);

  test.runIf(canMount)("a full disk under the lock leaves the file as it was", () => {
    const path = join(smallDisk(), "log");
    appendRecords(path, ["first"], { create: 0o600 });
    expect(() => appendRecords(path, ["x".repeat(100_000)], { undo: true })).toThrow(
      "no space left on device",
    );
    expect(readFileSync(path, "utf8")).toBe("first\n");
    appendRecords(path, ["second"], { undo: true });
    expect(linesOf(path).lines).toEqual(["first", "second"]);
  });

  test.runIf(canTrace)("killed at any call, every earlier record survives and the next append heals", () => {
    const directory = tempDir();
    const path = join(directory, "log");
    const command = [BUN, program, path, "new", "1", "70000"];
    writeFileSync(path, "old\n");
    const calls = callsTouching(directory, command);
    expect(calls.map((call) => call.name)).toEqual(expect.arrayContaining(["openat", "write", "fsync"]));
    for (const call of calls) {
      writeFileSync(path, "old\n");
      expect(runInjected(command, call, "signal=KILL").signal).toBe("SIGKILL");
      expect(linesOf(path).lines[0]).toBe("old");
      appendRecords(path, ["last"]);
      const { lines, tornTail } = linesOf(path);
      expect([lines[0], lines.at(-1), tornTail]).toEqual(["old", "last", 0]);
    }
  });
});

describe("readRecords", () => {
  test("cuts on byte \\n alone: other line separators and broken UTF-8 stay inside a record", () => {
    const path = join(tempDir(), "log");
    const record = Buffer.concat([Buffer.from("a\r\u2028\u0085\v\f"), Buffer.from([0xff, 0x00])]);
    writeFileSync(path, Buffer.concat([record, Buffer.from("\nb\n")]));
    const seen: Buffer[] = [];
    readRecords(path, { uid: undefined }, ({ bytes }) => void seen.push(Buffer.from(bytes)));
    expect(seen).toEqual([record, Buffer.from("b")]);
  });

  test("a torn tail is counted and never given out, even when it would parse", () => {
    const path = join(tempDir(), "log");
    writeFileSync(path, '{"a":1}\n{"b":2}');
    expect(linesOf(path)).toEqual({ lines: ['{"a":1}'], next: 8, tornTail: 7, oversize: 0 });
  });

  test("goes on from an offset, ends early, and skips empty lines", () => {
    const path = join(tempDir(), "log");
    writeFileSync(path, "a\n\nb\nc\n");
    expect(linesOf(path, { from: 2 }).lines).toEqual(["b", "c"]);
    const first: number[] = [];
    const end = readRecords(path, { uid: undefined }, ({ offset }) => {
      first.push(offset);
      return false;
    });
    expect([first, end.next]).toEqual([[0], 2]);
    appendFileSync(path, "d\n");
    expect(linesOf(path, { from: end.next }).lines).toEqual(["b", "c", "d"]);
  });

  test("a line over the limit is skipped and counted, wherever the chunks end", () => {
    const path = join(tempDir(), "log");
    for (const size of [65_535, 65_536, 65_537, 200_000]) {
      writeFileSync(path, `a\n${"x".repeat(size)}\nb\n`);
      expect(linesOf(path, { maxRecordBytes: 1000 })).toMatchObject({
        lines: ["a", "b"],
        oversize: 1,
        tornTail: 0,
      });
      expect(linesOf(path).lines.map((line) => line.length)).toEqual([1, size, 1]);
    }
  });

  test("reads a huge unterminated line in bounded memory", () => {
    const path = join(tempDir(), "log");
    writeFileSync(path, "a\n");
    truncateSync(path, 300 * 2 ** 20);
    const before = process.memoryUsage().arrayBuffers;
    expect(linesOf(path, { maxRecordBytes: 1000 })).toMatchObject({
      lines: ["a"],
      tornTail: 300 * 2 ** 20 - 2,
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 2 ** 20);
  });

  test("gives back any lines at any sizes", () => {
    const path = join(tempDir(), "log");
    const line = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.nat(150_000).map((size) => "y".repeat(size + 1)),
    );
    fc.assert(
      fc.property(fc.array(line), fc.nat(70_000), (raw, limit) => {
        const lines = raw.map((text) => text.replaceAll("\n", "_"));
        writeFileSync(path, lines.map((text) => `${text}\n`).join(""));
        const fits = (text: string) => Buffer.byteLength(text) <= limit;
        const end = linesOf(path, { maxRecordBytes: limit });
        const clean = (text: string) => new TextDecoder().decode(Buffer.from(text));
        expect(end.lines).toEqual(lines.filter(fits).map(clean));
        expect(end.oversize).toBe(lines.filter((text) => !fits(text)).length);
        expect(end.next).toBe(statSync(path).size);
      }),
      { numRuns: 60 },
    );
  });
});
