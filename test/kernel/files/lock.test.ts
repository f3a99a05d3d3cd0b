import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type DirectoryLock,
  isHeld,
  LockTimeout,
  reclaimDirectoryLock,
  sightLock,
  tryDirectoryLock,
  withKernelLock,
} from "../../../src/kernel/files/lock.ts";
import { BUN, DENO, ROOT } from "../../support/paths.ts";
import { runJig, testEnv, until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const programs = `${ROOT}/test/kernel/programs`;

const RUNTIMES = {
  bun: { program: BUN, args: [] as string[] },
  deno: { program: DENO, args: ["run", "-A", "--quiet"] },
};

async function holdLock(runtime: keyof typeof RUNTIMES, path: string) {
  const { program, args } = RUNTIMES[runtime];
  const holder = spawn(program, [...args, `${programs}/hold-lock.ts`, path], { env: testEnv() });
  onTestFinished(() => void holder.kill("SIGKILL"));
  let said = "";
  holder.stdout.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  await until("the lock to be held", () => said.includes("held"), 20_000);
  return holder;
}

function run(runtime: keyof typeof RUNTIMES, file: string, words: readonly string[]) {
  const { program, args } = RUNTIMES[runtime];
  return runJig([...args, `${programs}/${file}`, ...words], { program, timeout: 40_000 });
}

describe.each(["bun", "deno"] as const)("withKernelLock under %s", (runtime) => {
  test("loses no update between processes", async () => {
    const directory = tempDir();
    const [lock, counter] = [join(directory, "lock"), join(directory, "counter")];
    writeFileSync(counter, "0");
    const words = [lock, counter, "10"];
    const runs = await Promise.all(Array.from({ length: 6 }, () => run(runtime, "count-locked.ts", words)));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, ""]));
    expect(readFileSync(counter, "utf8")).toBe("60");
  });

  test("a killed holder leaves no lock behind, a living one is waited for in vain", async () => {
    const lock = join(tempDir(), "lock");
    const holder = await holdLock(runtime, lock);
    const waited = await run("bun", "try-lock.ts", [lock, "200"]);
    expect(waited.stdout).toContain(`${lock} is locked by another jig process (waited 0.2 s)`);
    holder.kill("SIGKILL");
    expect((await run("bun", "try-lock.ts", [lock, "5000"])).stdout).toBe("got it\n");
  });
});

test("bun and deno exclude each other", async () => {
  const lock = join(tempDir(), "lock");
  await holdLock("bun", lock);
  expect((await run("deno", "try-lock.ts", [lock, "100"])).stdout).toContain("is locked by");
});

test("a lock file that was replaced while waiting does not give two holders", async () => {
  const directory = tempDir();
  const lock = join(directory, "lock");
  await holdLock("bun", lock);
  renameSync(lock, join(directory, "old"));
  const second = await holdLock("bun", lock);
  expect((await run("bun", "try-lock.ts", [lock, "100"])).stdout).toContain("is locked by");
  second.kill("SIGKILL");
  expect((await run("bun", "try-lock.ts", [lock, "5000"])).stdout).toBe("got it\n");
});

test("a symlink in the place of the lock file is not followed", async () => {
  const directory = tempDir();
  symlinkSync(join(directory, "elsewhere"), join(directory, "lock"));
  const refused = await run("bun", "try-lock.ts", [join(directory, "lock"), "100"]);
  expect(refused.stdout).toContain(
    `cannot lock ${join(directory, "lock")}: too many levels of symbolic links`,
  );
  expect(existsSync(join(directory, "elsewhere"))).toBe(false);
});

describe("withKernelLock in this process", () => {
  test("gives the result, passes errors on, and is free again after both", async () => {
    const lock = join(tempDir(), "lock");
    expect(await withKernelLock(lock, () => 7, { timeoutMs: 1000 })).toBe(7);
    const failing = withKernelLock(lock, () => Promise.reject(new Error("inner")), { timeoutMs: 1000 });
    await expect(failing).rejects.toThrow("inner");
    await withKernelLock(
      lock,
      async () => {
        const second = withKernelLock(lock, () => "both", { timeoutMs: 30 });
        await expect(second).rejects.toBeInstanceOf(LockTimeout);
      },
      { timeoutMs: 1000 },
    );
    expect(await withKernelLock(lock, () => "free", { timeoutMs: 1000 })).toBe("free");
  });
});

describe("lock directories", () => {
  const held = (attempt: ReturnType<typeof tryDirectoryLock>): DirectoryLock => {
    if (!isHeld(attempt)) throw new Error("not held");
    return attempt;
  };

  test("carry the holder's metadata, and a second taker sees it", () => {
    const path = join(tempDir(), "x.lock");
    const lock = held(tryDirectoryLock(path, { pid: 42, host: "h" }, { metadataName: "metadata.json" }));
    expect(JSON.parse(readFileSync(join(path, "metadata.json"), "utf8"))).toEqual({
      pid: 42,
      host: "h",
      token: lock.token,
    });
    const second = tryDirectoryLock(path, { pid: 43 }, { metadataName: "metadata.json" });
    expect(isHeld(second)).toBe(false);
    expect(sightLock(path, "metadata.json").metadata).toEqual(readFileSync(join(path, "metadata.json")));
    expect(lock.isOurs()).toBe(true);
    expect(lock.release()).toBe("released");
    expect(existsSync(path)).toBe(false);
  });

  test("only our own lock is released", () => {
    const path = join(tempDir(), "x.lock");
    const first = held(tryDirectoryLock(path, {}));
    rmSync(path, { recursive: true });
    expect(first.release()).toBe("lost");
    const second = held(tryDirectoryLock(path, {}));
    expect(first.isOurs()).toBe(false);
    expect(first.release()).toBe("lost");
    expect(second.isOurs()).toBe(true);
  });

  test("a lock that changed after it was judged is left alone", () => {
    const path = join(tempDir(), "x.lock");
    held(tryDirectoryLock(path, { pid: 1 }));
    const seen = sightLock(path);
    rmSync(path, { recursive: true });
    const newer = held(tryDirectoryLock(path, { pid: 2 }));
    expect(reclaimDirectoryLock(path, seen)).toBe(false);
    expect(newer.isOurs()).toBe(true);
    expect(reclaimDirectoryLock(join(path, "absent"), seen)).toBe(false);
  });

  test("without metadata only an unchanged directory is reclaimed", () => {
    const path = join(tempDir(), "x.lock");
    mkdirSync(path);
    utimesSync(path, 1000, 1000);
    const seen = sightLock(path);
    expect(seen).toEqual({ metadata: undefined, modifiedMs: 1_000_000 });
    utimesSync(path, 2000, 2000);
    expect(reclaimDirectoryLock(path, seen)).toBe(false);
    utimesSync(path, 1000, 1000);
    expect(reclaimDirectoryLock(path, seen)).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  test("exclude processes from each other", async () => {
    const directory = tempDir();
    const counter = join(directory, "counter");
    writeFileSync(counter, "0");
    const words = [join(directory, "x.lock"), counter, "10"];
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => run("bun", "count-in-directory-lock.ts", words)),
    );
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, ""]));
    expect(readFileSync(counter, "utf8")).toBe("50");
    expect(readdirSync(directory)).toEqual(["counter"]);
  });
});
