import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CaptureError, capture, outputOf } from "../../../src/kernel/process/capture.ts";
import { isAlive } from "../../../src/kernel/process/index.ts";
import { until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const options = { env: process.env, timeoutMs: 30_000, maxBytes: 1 << 20 };
const sh = (script: string, more = {}) => capture(["sh", "-c", script], { ...options, ...more });
const failure = (call: Promise<unknown>) =>
  call.then(
    () => "no failure",
    (error) => (error instanceof CaptureError ? error.failure : error),
  );

describe("capture", () => {
  test("gives exit code, bytes and words; a signal is 128 and its number", async () => {
    const { exitCode, stdout, stderr } = await sh("printf 'a\\377'; echo words >&2; exit 3");
    expect([exitCode, [...stdout], stderr]).toEqual([3, [0x61, 0xff], "words"]);
    expect((await sh("kill -9 $$")).exitCode).toBe(137);
  });

  test("feeds stdin, or the null device", async () => {
    expect((await sh("cat", { input: "fed" })).stdout).toEqual(new TextEncoder().encode("fed"));
    expect((await sh("cat")).stdout).toEqual(new Uint8Array());
    expect((await sh("exec true", { input: "x".repeat(1 << 20) })).exitCode).toBe(0);
  });

  test("runs in the directory and with the environment it is given, and no other variable", async () => {
    const cwd = tempDir();
    const { stdout } = await capture(["/usr/bin/env"], { ...options, cwd, env: { ONE: "1" } });
    expect(new TextDecoder().decode(stdout)).toBe("ONE=1\n");
    expect(new TextDecoder().decode((await sh("pwd -P", { cwd })).stdout)).toBe(`${cwd}\n`);
  });

  test("too much output ends it; what is over the limit on stderr is dropped", async () => {
    expect(await failure(sh("yes", { maxBytes: 1000 }))).toBe("output-too-large");
    const { exitCode, stderr } = await sh("yes | head -c 200000 >&2");
    expect([exitCode, stderr.length]).toEqual([0, (64 << 10) - 1]);
  });

  test.each(["timeout", "cancelled"])(
    "%s ends the program and its children, and does not wait for a pipe somebody holds",
    async (why) => {
      const file = join(tempDir(), "pids");
      const stop = new AbortController();
      const call = sh(
        `sleep 60 & echo $! > ${file}.new; mv ${file}.new ${file}; trap '' TERM; wait; sleep 60`,
        {
          ...(why === "timeout" ? { timeoutMs: 300 } : { signal: stop.signal }),
        },
      );
      const failed = failure(call);
      await until("the child", () => existsSync(file));
      stop.abort();
      expect(await failed).toBe(why);
      const child = Number(readFileSync(file, "utf8"));
      await until("the child's end", () => !isAlive(child));
    },
  );

  test("a call that is cancelled already, and a program that is not there", async () => {
    expect(await failure(sh("sleep 60", { signal: AbortSignal.abort() }))).toBe("cancelled");
    const missing = capture(["/nonexistent/program"], options);
    expect(await failure(missing)).toBe("cannot-start");
    await expect(missing).rejects.toHaveProperty("cause.code", "ENOENT");
  });
});

describe("outputOf", () => {
  test("is what a program prints that ends well, else nothing", async () => {
    expect(await outputOf(["echo", "yes"], options)).toBe("yes\n");
    expect(await outputOf(["sh", "-c", "echo no; exit 1"], options)).toBeUndefined();
    expect(await outputOf(["/nonexistent/program"], options)).toBeUndefined();
    expect(await outputOf(["sleep", "60"], { ...options, timeoutMs: 50 })).toBeUndefined();
  });
});
