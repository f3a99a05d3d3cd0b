import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TerminalRecord } from "../../../src/job/record/classify.ts";
import { publishRecord, reasonLine } from "../../../src/job/record/publish.ts";
import { startIdentity } from "../../../src/kernel/process/index.ts";
import { canMount, smallDisk } from "../../support/disk.ts";
import { tempDir } from "../../support/temp.ts";
import { ofThisBoot } from "../support.ts";

const self = { uid: process.geteuid?.(), pid: process.pid, now: () => Date.now() };
const DONE: TerminalRecord = { state: "done", reason: "worker exited 0" };
const FAILED: TerminalRecord = { state: "failed", reason: "worker exited 1" };
const text = (directory: string, name: string) => readFileSync(join(directory, name), "utf8");

describe("the terminal record (jobs.md 4.3)", () => {
  test("reason and status, 0600, nothing else left but the claim", async () => {
    const directory = tempDir();
    expect(await publishRecord(self, directory, DONE)).toBe("published");
    expect([text(directory, "status"), text(directory, "reason")]).toEqual(["done\n", "worker exited 0\n"]);
    expect(readdirSync(directory).sort()).toEqual([".settle", "reason", "status"]);
    for (const name of readdirSync(directory))
      expect(statSync(join(directory, name)).mode & 0o7777).toBe(0o600);
    expect(JSON.parse(text(directory, ".settle"))).toMatchObject({
      pid: process.pid,
      identity: await startIdentity(process.pid),
    });
  });

  test("is never written twice, whatever stands there", async () => {
    const directory = tempDir();
    await publishRecord(self, directory, DONE);
    expect(await publishRecord(self, directory, FAILED)).toBe("superseded");
    expect([text(directory, "status"), text(directory, "reason")]).toEqual(["done\n", "worker exited 0\n"]);

    const planted = tempDir();
    symlinkSync("nowhere", join(planted, "status"));
    expect(await publishRecord(self, planted, FAILED)).toBe("superseded");
    expect(existsSync(join(planted, "reason"))).toBe(false);
  });

  test("a reason that cannot be written does not keep the status back", async () => {
    const directory = tempDir();
    symlinkSync("/nonexistent/x", join(directory, "reason"));
    expect(await publishRecord(self, directory, DONE)).toBe("published");
    expect(text(directory, "status")).toBe("done\n");
  });

  test.each([
    ["of a living process", { pid: process.ppid }, "superseded"],
    ["of a process that is gone", { pid: 99_999_999, identity: ofThisBoot("1") }, "published"],
    ["of a recycled pid", { pid: process.ppid, identity: ofThisBoot("1") }, "published"],
    [
      "of another process namespace",
      { pid: 99_999_999, identity: "x", pid_namespace: "pid:[1]" },
      "superseded",
    ],
    ["of another boot", { pid: 99_999_999, identity: "another-boot 1" }, "superseded"],
    ["without an owner", {}, "published"],
  ] as [string, object, string][])("a claim %s", async (_name, claim, expected) => {
    const directory = tempDir();
    writeFileSync(join(directory, ".settle"), JSON.stringify(claim));
    expect(await publishRecord(self, directory, DONE)).toBe(expected);
    expect(existsSync(join(directory, "status"))).toBe(expected === "published");
    expect(existsSync(join(directory, "reason"))).toBe(expected === "published");
  });

  test("a claim nobody here can judge counts for two minutes", async () => {
    const elsewhere = [
      { pid: 1, pid_namespace: "pid:[1]" },
      { pid: 99_999_999, identity: "another-boot 1" },
    ];
    for (const content of [...elsewhere.map((claim) => JSON.stringify(claim)), "torn"]) {
      const directory = tempDir();
      const claim = join(directory, ".settle");
      writeFileSync(claim, content);
      expect(await publishRecord(self, directory, DONE)).toBe("superseded");
      const old = Date.now() / 1000 - 130;
      utimesSync(claim, old, old);
      expect(await publishRecord(self, directory, DONE)).toBe("published");
    }
  });

  test("claims of gone owners are superseded in a row, each by one", async () => {
    const directory = tempDir();
    const gone = JSON.stringify({ pid: 99_999_999, identity: ofThisBoot("1") });
    writeFileSync(join(directory, ".settle"), gone);
    writeFileSync(join(directory, ".settle.1"), gone);
    const all = await Promise.all(Array.from({ length: 5 }, () => publishRecord(self, directory, DONE)));
    expect(all.filter((outcome) => outcome === "published")).toHaveLength(1);
    expect(readdirSync(directory).sort()).toEqual([".settle", ".settle.1", ".settle.2", "reason", "status"]);
  });

  test.skipIf(!canMount)("on a full disk nothing is half there, and a later try succeeds", async () => {
    const directory = smallDisk();
    const filler = join(directory, "filler");
    writeFileSync(filler, "");
    try {
      for (;;) writeFileSync(filler, new Uint8Array(4_096), { flag: "a" });
    } catch {
      // Full.
    }
    await expect(publishRecord(self, directory, DONE)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(existsSync(join(directory, "status"))).toBe(false);
    rmSync(filler);
    expect(await publishRecord(self, directory, DONE)).toBe("published");
    expect(text(directory, "status")).toBe("done\n");
  });
});

describe("the reason's line", () => {
  test("is printable ASCII, one line, at most 1000 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (reason) => {
        const line = reasonLine(reason);
        expect(line).toMatch(/^[ -~]*\n$/);
        expect(line.length).toBeLessThanOrEqual(1_000);
      }),
    );
  });

  test("escapes what is not ASCII and keeps the rest", () => {
    expect(reasonLine("plain (1 > 2)")).toBe("plain (1 > 2)\n");
    expect(reasonLine("a\nb\u001b[1m é 漢 🎉")).toBe("a b [1m \\xe9 \\u6f22 \\U0001f389\n");
  });
});
