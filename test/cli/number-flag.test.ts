import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { helpText } from "../../src/cli/help/help.ts";
import { synopsis } from "../../src/cli/help/synopsis.ts";
import { expectedNumber, readNumber } from "../../src/cli/parse/number-flag.ts";
import { parse, reach } from "../../src/cli/parse/reach.ts";
import { command, type NumberFlag } from "../../src/kernel/call/command.ts";

const N = { type: "number", value: "N", summary: "x" } as const;
const PORT: NumberFlag = { ...N, integer: true, min: 0, max: 65_535 };
const SECONDS: NumberFlag = { ...N, above: 0, unit: "seconds", syntax: "python" };
const PID: NumberFlag = { ...N, value: "PID", integer: true, min: 2, words: ["none"] };

describe("flags whose value is a number", () => {
  test.each([
    [PORT, "0", 0],
    [PORT, "65535", 65_535],
    [PORT, "65536", "out-of-range"],
    [PORT, "-1", "out-of-range"],
    [PORT, "+1", "not-a-number"],
    [PORT, " 1", "not-a-number"],
    [PORT, "1e3", "not-a-number"],
    [PORT, "0x50", "not-a-number"],
    [PORT, "8.5", "not-a-number"],
    [PORT, "", "not-a-number"],
    [{ ...N, above: 0 }, "0.25", 0.25],
    [{ ...N, above: 0 }, "1e3", "not-a-number"],
    [{ ...N, above: 0 }, "0", "out-of-range"],
    [SECONDS, " 1e3 ", 1000],
    [SECONDS, "1e999", "out-of-range"],
    [SECONDS, "-inf", "out-of-range"],
    [SECONDS, "NaN", "out-of-range"],
    [SECONDS, "ten", "not-a-number"],
    [PID, "none", "none"],
    [PID, "nobody", "not-a-number"],
    [PID, "1", "out-of-range"],
  ] as const)("%j takes %j as %j", (flag, text, expected) => {
    const reading = readNumber(flag, text);
    expect("value" in reading ? reading.value : reading.problem).toBe(expected);
  });

  test.each([
    [PORT, "an integer from 0 to 65535"],
    [SECONDS, "a finite number of seconds above 0"],
    [PID, "an integer of at least 2 or none"],
    [{ ...N, integer: true, min: 1 }, "a positive integer"],
    [{ ...N, integer: true, min: 1, unit: "bytes" }, "a positive integer of bytes"],
    [{ ...N, max: 3 }, "a finite number up to 3"],
    [{ ...N, above: 0, max: 3 }, "a finite number above 0, up to 3"],
  ] as const)("%j says %j", (flag, text) => expect(expectedNumber(flag)).toBe(text));

  const serve = command({
    name: "serve",
    summary: "Serve",
    flags: { root: { type: "string", value: "DIR", summary: "x", required: true }, port: PORT, pid: PID },
    examples: [],
    run: () => Promise.reject(new Error("not run")),
  });
  const problem = async (...words: string[]) => {
    try {
      parse(await reach(serve, words));
    } catch (error) {
      return (error as { problem: unknown }).problem;
    }
    throw new Error("parsed");
  };

  test("the verb gets a number, the message names flag, range and value", async () => {
    const parsed = parse(await reach(serve, ["--root", "r", "--port=80"]));
    expect(parsed).toMatchObject({ args: { flags: { port: 80, pid: undefined } } });
    expect(await problem("--root", "r", "--port", "80.5")).toEqual({
      command: "serve",
      kind: "not-a-number",
      message: "--port must be an integer from 0 to 65535, got '80.5'",
      word: "80.5",
      flag: "--port",
    });
  });

  test("words that do not fit come before values that do not, and flags are judged in the order they are declared", async () => {
    expect(await problem("--port", "x", "stray")).toMatchObject({ kind: "extra-positional" });
    expect(await problem("--port", "x")).toMatchObject({ kind: "missing-flag", word: "--root" });
    expect(await problem("--pid", "x", "--port", "x", "--root", "r")).toMatchObject({ flag: "--port" });
  });

  test("help and synopsis show range and words", async () => {
    const page = await helpText(serve, { colour: false, width: 100 });
    expect(page).toMatch(/--port=<N> +x \(from 0 to 65535\)/);
    expect(page).toMatch(/--pid=<PID\|none> +x \(at least 2\)/);
    expect(synopsis(serve)).toBe("jig serve --root DIR [--port N] [--pid PID|none] [--json]");
  });

  test("property: what is read is a number of the range, and nothing throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (text) => {
        const reading = readNumber(PORT, text);
        if ("value" in reading)
          expect(Number.isInteger(reading.value) && Number(text) === reading.value).toBe(true);
      }),
    );
  });
});
