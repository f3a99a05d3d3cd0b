import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { descendantsIn } from "../../../src/kernel/process/descendants.ts";
import type { ProcessFacts, ProcessTable } from "../../../src/kernel/process/facts.ts";
import { holdProcess } from "../../../src/kernel/process/hold.ts";
import * as system from "../../../src/kernel/process/index.ts";
import { linuxProcesses, parseStat, pidNamespace } from "../../../src/kernel/process/linux.ts";
import { parsePsLine, psProcesses } from "../../../src/kernel/process/ps.ts";
import { endedWithin, killTreeIn, sweepSessionIn } from "../../../src/kernel/process/tree.ts";
import { treeVictims } from "../../../src/kernel/process/windows/tree.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      child.kill("SIGKILL");
    }
  }
});

/** A shell script in a session of its own; its stdout line by line. */
async function shell(
  script: string,
): Promise<{ child: ChildProcess; pid: number; lines(count: number): Promise<string[]> }> {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  await once(child, "spawn");
  let text = "";
  child.stdout!.on("data", (chunk) => {
    text += chunk;
  });
  return {
    child,
    pid: child.pid!,
    lines: async (count) => {
      await expect.poll(() => text.split("\n").length - 1).toBeGreaterThanOrEqual(count);
      return text.split("\n").slice(0, count);
    },
  };
}

const alive = (pid: number) => endedWithin(linuxProcesses, pid, undefined, 0).then((ended) => !ended);
const hasProc = existsSync("/proc/self/stat");
const tables: [string, ProcessTable, boolean][] = [
  ["/proc", linuxProcesses, hasProc],
  ["ps", psProcesses, process.platform !== "win32"],
];

describe.each(tables)("by %s", (_name, table, usable) => {
  test.skipIf(!usable)(
    "a process has a parent, a group, a start time and an identity that stays",
    async () => {
      const { pid } = await shell("exec sleep 60");
      const facts = (await table.read(pid))!;
      expect(facts).toMatchObject({ pid, parent: process.pid, group: pid, zombie: false });
      expect(Math.abs(facts.startedAt - Date.now())).toBeLessThan(10_000);
      expect((await table.read(pid))!.identity).toBe(facts.identity);
      expect(await table.isFromAnotherBoot(facts.identity)).toBe(false);
      expect(await table.isFromAnotherBoot(`x${facts.identity}`)).toBe(true);
      expect((await table.read(process.ppid))!.identity).not.toBe(facts.identity);
    },
  );

  test.skipIf(!usable)("a pid without a process is unknown", async () => {
    expect(await table.read(99_999_999)).toBeUndefined();
  });

  test.skipIf(!usable)("a zombie is told from a running process", async () => {
    // The shell becomes a program that never waits; the child outlives that moment, or the shell would reap it.
    const { lines } = await shell("sleep 1 & echo $!; exec sleep 60");
    const [zombie] = await lines(1);
    const isZombie = async () => (await table.read(Number(zombie)))?.zombie;
    await expect.poll(isZombie).toBe(true);
    expect(await endedWithin(table, Number(zombie), undefined, 0)).toBe(true);
  });

  test.skipIf(!usable)("the whole tree is found, deepest first", async () => {
    const { pid, lines } = await shell("sh -c 'sleep 60 & echo $!; wait' & echo $!; wait");
    const pids = (await lines(2)).map(Number);
    const found = descendantsIn(await table.snapshot(), [pid]);
    expect(found.map((facts) => facts.pid).sort()).toEqual(pids.sort());
    expect(found[0]!.parent).toBe(found[1]!.pid);
  });

  test.skipIf(!usable)("a signal reaches the recorded process only", async () => {
    const { child, pid } = await shell("exec sleep 60");
    const { identity } = (await table.read(pid))!;
    expect(await holdProcess(table, pid, `${identity}0`)).toBeUndefined();
    const held = (await holdProcess(table, pid, identity))!;
    expect(await held.signal("SIGKILL")).toBe(true);
    await once(child, "exit");
    expect(await held.signal("SIGKILL")).toBe(false);
    held.close();
    expect(await holdProcess(table, pid, identity)).toBeUndefined();
  });

  test.skipIf(!usable)(
    "a tree ends: also who ignores the request, left the group, or lost its parent",
    async () => {
      const { pid, lines } = await shell(`
      trap '' TERM
      sleep 61 & echo $!
      setsid sh -c 'echo $$; exec sleep 62' &
      (sh -c 'setsid sh -c "echo \\$\\$; exec sleep 64" & echo $$; exec sleep 63' &)
      exec sleep 65`);
      const pids = (await lines(4)).map(Number);
      const { identity } = (await table.read(pid))!;
      await killTreeIn(table, { pid, identity, graceMs: 100 });
      for (const one of [pid, ...pids])
        await expect.poll(() => alive(one), { message: `${one}` }).toBe(false);
    },
  );

  test.skipIf(!usable)("the group of a leader that ended is swept", async () => {
    const { child, pid, lines } = await shell("sleep 60 & echo $!");
    const { identity } = (await table.read(pid)) ?? { identity: undefined };
    const [left] = (await lines(1)).map(Number);
    if (child.exitCode === null) await once(child, "exit");
    expect(await alive(left!)).toBe(true);
    await sweepSessionIn(table, { pid, identity });
    await expect.poll(() => alive(left!)).toBe(false);
  });

  test.skipIf(!usable)(
    "nothing is signalled when the pid is another process's, or of another boot",
    async () => {
      const { pid, lines } = await shell("sleep 60 & echo $!; exec sleep 61");
      const [member] = (await lines(1)).map(Number);
      const { identity } = (await table.read(pid))!;
      await killTreeIn(table, { pid, identity: `${identity}0`, graceMs: 50 });
      await sweepSessionIn(table, { pid, identity: `${identity}0` });
      expect([await alive(pid), await alive(member!)]).toEqual([true, true]);
      process.kill(pid, "SIGKILL");
      await expect.poll(() => alive(pid)).toBe(false);
      await expect.poll(() => table.read(pid)).toBeUndefined();
      await killTreeIn(table, { pid, identity: `other-boot 1`, graceMs: 50 });
      expect(await alive(member!)).toBe(true);
    },
  );
});

/** A child that leaves its group but not its session, as `timeout` does; it and its own child are printed. */
const OWN_GROUP = "timeout 60 sh -c 'echo $PPID; echo $$; exec sleep 59' & sleep 0.3";

describe.skipIf(!hasProc)("a child in a group of its own, in the session of a leader that ended", () => {
  const leaderless = async () => {
    const { child, pid, lines } = await shell(OWN_GROUP);
    const { identity } = (await linuxProcesses.read(pid))!;
    const pids = (await lines(2)).map(Number);
    if (child.exitCode === null) await once(child, "exit");
    expect(await Promise.all(pids.map(alive))).toEqual([true, true]);
    return { pid, identity, pids };
  };
  const ended = async (pids: number[]) => {
    for (const pid of pids) await expect.poll(() => alive(pid), { message: `${pid}` }).toBe(false);
  };

  test("is swept with the group", async () => {
    const { pids, ...leader } = await leaderless();
    await sweepSessionIn(linuxProcesses, leader);
    await ended(pids);
  });

  test("is killed with the tree", async () => {
    const { pids, ...leader } = await leaderless();
    await killTreeIn(linuxProcesses, { ...leader, graceMs: 50 });
    await ended(pids);
  });

  test("is spared when it is not the leader's own, but a stranger's who had the number", async () => {
    const { pids, pid, identity } = await leaderless();
    const isMember = () => false;
    await killTreeIn(linuxProcesses, { pid, identity, graceMs: 50, isMember });
    await sweepSessionIn(linuxProcesses, { pid, identity, isMember });
    expect(await Promise.all(pids.map(alive))).toEqual([true, true]);
    await sweepSessionIn(linuxProcesses, { pid, identity, isMember: (one) => pids.includes(one) });
    await ended(pids);
  });
});

describe("the system's own", () => {
  test("facts, namespace and signals", async () => {
    const { child, pid } = await shell("exec sleep 60");
    expect(system.isAlive(pid)).toBe(true);
    expect(await system.isRunning(pid)).toBe(true);
    const identity = await system.startIdentity(pid);
    expect(typeof (await system.startedAt(pid))).toBe("number");
    if (process.platform === "linux") expect(await system.pidNamespace()).toBe(pidNamespace());
    expect(await system.signalProcess(pid, "not it", "SIGKILL")).toBe(false);
    expect(await system.signalProcess(pid, identity, "SIGTERM")).toBe(true);
    await once(child, "exit");
    expect(await system.processEndedWithin(pid, identity, 1_000)).toBe(true);
    expect(system.isAlive(pid)).toBe(false);
  });

  test("a process group", async () => {
    const { child, pid } = await shell("exec sleep 60");
    process.kill(-pid, "SIGTERM");
    await once(child, "exit");
    await system.sweepSession(pid, undefined);
    await system.killTree({ pid, identity: undefined, graceMs: 10 });
  });
});

describe("parsing", () => {
  test("a program's name cannot shift the fields of a stat line", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const line = `12 (${name}) S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0`;
        expect(parseStat(line)).toEqual({
          facts: { parent: 3, group: 4, session: 5, zombie: false },
          startTicks: 777,
        });
      }),
    );
  });

  test("what is no stat line or ps line is nothing", () => {
    fc.assert(fc.property(fc.string(), (text) => parseStat(text.replaceAll(")", "")) === undefined));
    expect(parsePsLine("", "b")).toBeUndefined();
    expect(parsePsLine("  1 2 3 S garbage", "b")).toBeUndefined();
    expect(parsePsLine("   12     1    12 Zs   Thu Nov 30 07:44:01 2023   ", "b")).toEqual({
      pid: 12,
      parent: 1,
      group: 12,
      session: 0,
      zombie: true,
      identity: "b 2023-11-30T07:44:01Z",
      startedAt: Date.UTC(2023, 10, 30, 7, 44, 1),
    });
  });
});

/** `[pid, parent, startedAt]`, identity `i<pid>`. */
const facts = (rows: [number, number, number][]): ProcessFacts[] =>
  rows.map(([pid, parent, startedAt]) => ({
    pid,
    parent,
    startedAt,
    group: 0,
    session: 0,
    zombie: false,
    identity: `i${pid}`,
  }));

describe("the Windows walk (12.4)", () => {
  const tree = facts([
    [10, 1, 100],
    [11, 10, 110],
    [12, 11, 120],
    [13, 10, 130],
    [20, 1, 90],
  ]);

  test("descendants deepest first, then the leader", () => {
    const victims = treeVictims(tree, { pid: 10, identity: "i10" }, 20);
    expect(victims.at(-1)).toBe(10);
    expect(victims.indexOf(12)).toBeLessThan(victims.indexOf(11));
    expect([...victims].sort()).toEqual([10, 11, 12, 13]);
  });

  test("a leader that has ended still leads to its children", () => {
    const left = tree.filter(({ pid }) => pid !== 10);
    expect([...treeVictims(left, { pid: 10, identity: "i10" }, 20)].sort()).toEqual([11, 12, 13]);
  });

  test("a recycled pid is spared with its own children; older ones and all below them are not", () => {
    const recycled = facts([
      [10, 1, 500],
      [11, 10, 110],
      [12, 11, 600],
      [14, 10, 510],
      [15, 14, 520],
    ]);
    expect([...treeVictims(recycled, { pid: 10, identity: "old" }, 20)].sort()).toEqual([11, 12]);
  });

  test("the caller is skipped, also when it has the leader's pid", () => {
    expect(treeVictims(tree, { pid: 10, identity: "i10" }, 12)).not.toContain(12);
    const own = facts([
      [10, 1, 500],
      [11, 10, 110],
      [14, 10, 510],
    ]);
    expect(treeVictims(own, { pid: 10, identity: "i10" }, 10)).toEqual([11]);
  });

  test("circles of recycled parents end", () => {
    const circle = facts([
      [10, 12, 1],
      [11, 10, 2],
      [12, 11, 3],
    ]);
    expect([...treeVictims(circle, { pid: 10, identity: "i10" }, 1)].sort()).toEqual([10, 11, 12]);
  });
});
