import { describe, expect, test } from "vitest";
import { duration, size } from "../../../src/job/look/format.ts";
import { type ProgressRow, progressLines } from "../../../src/job/look/progress.ts";

const row = (overrides: Partial<ProgressRow> = {}): ProgressRow => ({
  state: "running",
  name: "build",
  elapsedSeconds: 252,
  logBytes: 1_258_291,
  quietSeconds: 3,
  ...overrides,
});
const plain = { isTerminal: true, width: 80, colour: false };

describe("progress lines (jobs.md 11.3)", () => {
  test("state, name, elapsed, log size, silence, time left", () => {
    expect(progressLines([row()], 90, plain)).toEqual([
      "running  build  4m12s  log 1.2M  quiet 3s  1m30s left",
    ]);
    expect(
      progressLines(
        [row({ state: "done", elapsedSeconds: undefined, logBytes: undefined })],
        undefined,
        plain,
      ),
    ).toEqual(["done     build  ?  log -"]);
  });

  test("at most ten jobs, each cut to the width, untrusted names shown escaped", () => {
    const lines = progressLines(
      Array.from({ length: 13 }, () => row({ name: "\u001b[31mx" })),
      undefined,
      { ...plain, width: 20 },
    );
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe("+3 more");
    expect(lines[0]).toBe("running  \\x1b[31mx …");
  });

  test("colour only where it is allowed", () => {
    expect(progressLines([row()], undefined, { ...plain, colour: true })[0]).toMatch(
      /^\u001b\[36mrunning\u001b\[39m /,
    );
  });
});

test.each([
  [0, "0s"],
  [59.9, "59s"],
  [252, "4m12s"],
  [11_100, "3h05m"],
  [187_200, "2d04h"],
])("%d seconds are %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test.each([
  [0, "0"],
  [812, "812"],
  [1_229, "1.2K"],
  [1_258_291, "1.2M"],
  [3 * 1024 ** 3, "3.0G"],
  [5 * 1024 ** 4, "5.0T"],
])("%d bytes are %s", (bytes, text) => {
  expect(size(bytes)).toBe(text);
});
