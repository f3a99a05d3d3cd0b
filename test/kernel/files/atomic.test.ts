import { spawn } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createExclusive, publishExclusive, writeFileAtomic } from "../../../src/kernel/files/atomic.ts";
import { canMount, smallDisk } from "../../support/disk.ts";
import { BUN, ROOT } from "../../support/paths.ts";
import { runJig, testEnv, until } from "../../support/run.ts";
import { callsTouching, canTrace, runInjected } from "../../support/strace.ts";
import { tempDir } from "../../support/temp.ts";

const posix = process.platform !== "win32";
const programs = `${ROOT}/test/kernel/programs`;
const modeOf = (path: string) => statSync(path).mode & 0o7777;

/** Under another umask than ours, in a process of its own. */
function bun(program: string, args: readonly string[], umask?: string) {
  const command = [BUN, `${programs}/${program}`, ...args];
  if (umask === undefined) return runJig(command.slice(1), { program: command[0]! });
  return runJig(["-c", `umask ${umask}; exec "$@"`, "sh", ...command], { program: "/bin/sh" });
}

describe("writeFileAtomic", () => {
  test("replaces content and leaves nothing else behind", () => {
    const directory = tempDir();
    const path = join(directory, "f");
    writeFileAtomic(path, "old");
    writeFileAtomic(path, new Uint8Array([1, 2, 3]));
    expect([...readFileSync(path)]).toEqual([1, 2, 3]);
    expect(readdirSync(directory)).toEqual(["f"]);
  });

  test.runIf(posix)("gives the exact mode whatever the umask, or keeps the file's own", async () => {
    const path = join(tempDir(), "f");
    const run = await bun("write-atomic.ts", [path, "5"], "0777");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(modeOf(path)).toBe(0o600);
    chmodSync(path, 0o751);
    writeFileAtomic(path, "x", { keepMode: true, mode: 0o600 });
    expect(modeOf(path)).toBe(0o751);
    writeFileAtomic(path, "x", { mode: 0o640 });
    expect(modeOf(path)).toBe(0o640);
  });

  test.runIf(posix)("refuses a symlink, follows it on purpose, or replaces the link itself", () => {
    const directory = tempDir();
    mkdirSync(join(directory, "there"));
    const target = join(directory, "there", "target");
    const link = join(directory, "link");
    writeFileSync(target, "old");
    symlinkSync("there/target", link);
    expect(() => writeFileAtomic(link, "new")).toThrow(/is a symlink/);
    expect(readFileSync(target, "utf8")).toBe("old");
    writeFileAtomic(link, "new", { symlink: "follow" });
    expect(readFileSync(target, "utf8")).toBe("new");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    writeFileAtomic(link, "own", { symlink: "replace" });
    expect(lstatSync(link).isFile()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe("new");
    expect(readdirSync(directory).sort()).toEqual(["link", "there"]);
  });

  test("names the target and the reason, and removes its temporary file", () => {
    const directory = tempDir();
    mkdirSync(join(directory, "d"));
    expect(() => writeFileAtomic(join(directory, "d"), "x")).toThrow(
      `cannot write ${join(directory, "d")}: `,
    );
    expect(() => writeFileAtomic(join(directory, "no", "f"), "x")).toThrow("no such file or directory");
    expect(readdirSync(directory)).toEqual(["d"]);
    expect(readdirSync(join(directory, "d"))).toEqual([]);
  });

  test("a reader never sees half a file while another process keeps rewriting it", async () => {
    const path = join(tempDir(), "f");
    const size = 300_000;
    const writer = spawn(BUN, [`${programs}/rewrite-for-ever.ts`, path, String(size)], { env: testEnv() });
    onTestFinished(() => void writer.kill("SIGKILL"));
    await until("the first write", () => statSync(path, { throwIfNoEntry: false }));
    const letters = new Set<number>();
    for (let turn = 0; turn < 3000 && (turn < 300 || letters.size < 5); turn++) {
      const bytes = readFileSync(path);
      expect(bytes.length).toBe(size);
      expect(bytes.every((byte) => byte === bytes[0])).toBe(true);
      letters.add(bytes[0]!);
    }
    expect(letters.size).toBeGreaterThanOrEqual(5);
  });

  test.runIf(canMount)("a full disk leaves the old content and no temporary file", () => {
    const disk = smallDisk();
    const path = join(disk, "f");
    writeFileAtomic(path, "old");
    expect(() => writeFileAtomic(path, "n".repeat(100_000))).toThrow("no space left on device");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(disk)).toEqual(["f"]);
  });

  test.runIf(canTrace)("killed at any call, the file is the old one or the new one", () => {
    const directory = tempDir();
    const path = join(directory, "f");
    const command = [BUN, `${programs}/write-atomic.ts`, path, "70000"];
    writeFileSync(path, "old");
    const calls = callsTouching(directory, command);
    expect(calls.map((call) => call.name)).toEqual(
      expect.arrayContaining(["openat", "write", "fsync", "fchmod"]),
    );
    let kills = 0;
    for (const call of calls) {
      writeFileSync(path, "old");
      if (runInjected(command, call, "signal=KILL").signal === "SIGKILL") kills++;
      expect(["old", "n".repeat(70_000)]).toContain(readFileSync(path, "utf8"));
    }
    expect(kills).toBe(calls.length);
  });

  test.runIf(canTrace)("survives an interrupted call, and a failing one leaves the old file", () => {
    const directory = tempDir();
    const path = join(directory, "f");
    const command = [BUN, `${programs}/write-atomic.ts`, path, "10"];
    writeFileSync(path, "old");
    const calls = callsTouching(directory, command);
    for (const call of calls.filter(({ name }) => /^(write|fsync|openat)$/.test(name))) {
      writeFileSync(path, "old");
      expect(runInjected(command, call, "error=EINTR").code).toBe(0);
      expect(readFileSync(path, "utf8")).toBe("nnnnnnnnnn");
    }
    for (const call of calls.filter(({ name }) => name === "write" || name === "rename")) {
      writeFileSync(path, "old");
      expect(runInjected(command, call, "error=EIO").code).toBe(1);
      expect(readFileSync(path, "utf8")).toBe("old");
      expect(readdirSync(directory)).toEqual(["f"]);
    }
  });
});

describe("publishExclusive", () => {
  test("makes a file once, complete, and never replaces anything", () => {
    const directory = tempDir();
    const path = join(directory, "f");
    expect(publishExclusive(path, "first", { mode: 0o640 })).toBe(true);
    expect(publishExclusive(path, "second")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("first");
    if (posix) expect(modeOf(path)).toBe(0o640);
    expect(readdirSync(directory)).toEqual(["f"]);
  });

  test.runIf(posix)("writes nothing through a dangling symlink", () => {
    const directory = tempDir();
    symlinkSync(join(directory, "elsewhere"), join(directory, "link"));
    expect(publishExclusive(join(directory, "link"), "x")).toBe(false);
    expect(readdirSync(directory)).toEqual(["link"]);
  });

  test("of many processes exactly one makes it", async () => {
    const directory = tempDir();
    const path = join(directory, "f");
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bun("publish.ts", [path, `text ${index}`])),
    );
    expect(runs.filter((run) => run.stdout === "true\n")).toHaveLength(1);
    expect(runs.filter((run) => run.stdout === "false\n")).toHaveLength(19);
    expect(readFileSync(path, "utf8")).toMatch(/^text \d+$/);
    expect(readdirSync(directory)).toEqual(["f"]);
  });

  test.runIf(canTrace)("works where hard links do not, still without replacing", () => {
    const directory = tempDir();
    const path = join(directory, "f");
    const command = [BUN, `${programs}/publish.ts`, path, "text"];
    const link = callsTouching(directory, command).find(({ name }) => name.startsWith("link"))!;
    expect(readFileSync(path, "utf8")).toBe("text");
    writeFileAtomic(path, "other");
    expect(runInjected(command, link, "error=EPERM").stdout).toBe("false\n");
    const free = join(directory, "g");
    const again = [BUN, `${programs}/publish.ts`, free, "text"];
    expect(runInjected(again, link, "error=EPERM").stdout).toBe("true\n");
    expect(readFileSync(free, "utf8")).toBe("text");
    expect(readdirSync(directory).sort()).toEqual(["f", "g"]);
    // A guard left by a crash is not removed by guess.
    writeFileSync(join(directory, ".tmp-h.guard"), "");
    const stuck = runInjected(
      [BUN, `${programs}/publish.ts`, join(directory, "h"), "t"],
      link,
      "error=EPERM",
    );
    expect(stuck.stdout).toContain(`another writer holds ${join(directory, ".tmp-h.guard")}`);
    expect(readdirSync(directory).sort()).toEqual([".tmp-h.guard", "f", "g"]);
  });

  test.runIf(canTrace)("killed at any call, the file is whole or absent", () => {
    const directory = tempDir();
    const path = join(directory, "f");
    const command = (name: string) => [BUN, `${programs}/publish.ts`, join(directory, name), "text"];
    const calls = callsTouching(directory, command("first"));
    expect(readFileSync(join(directory, "first"), "utf8")).toBe("text");
    calls.forEach((call, index) => {
      const name = `run-${index}`;
      expect(runInjected(command(name), call, "signal=KILL").signal).toBe("SIGKILL");
      const seen = statSync(join(directory, name), { throwIfNoEntry: false });
      if (seen !== undefined) expect(readFileSync(join(directory, name), "utf8")).toBe("text");
      // Whatever a crash left, the next call can publish.
      expect(publishExclusive(join(directory, name), "text")).toBe(seen === undefined);
    });
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe("createExclusive", () => {
  test("makes a file with its mode, and says when the name is taken", () => {
    const directory = tempDir();
    const path = join(directory, "f");
    expect(createExclusive(path, "", 0o600)).toBe(true);
    expect(createExclusive(path, "x", 0o600)).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("");
    if (!posix) return;
    expect(modeOf(path)).toBe(0o600);
    symlinkSync(join(directory, "elsewhere"), join(directory, "link"));
    expect(createExclusive(join(directory, "link"), "x", 0o600)).toBe(false);
    expect(readdirSync(directory).sort()).toEqual(["f", "link"]);
  });

  test.runIf(canMount)("leaves no half file on a full disk", () => {
    const disk = smallDisk();
    expect(() => createExclusive(join(disk, "f"), "n".repeat(100_000), 0o600)).toThrow("no space left");
    expect(readdirSync(disk)).toEqual([]);
  });
});
