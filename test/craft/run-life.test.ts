/** Payload files, a full disk, a held lock. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { canMount, smallDisk } from "../support/disk.ts";
import { BUN, ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { runWorld } from "./run-world.ts";

const IMPACT = "title: t\nlocus: a.ts\nreason: out of scope\nproof:\n  p\nexpected: e\n";
const ledgerOf =
  (world: ReturnType<typeof runWorld>) =>
  (words: string[], stdin = "") =>
    world.call(["ledger", ...words], { stdin });

describe("payloads", () => {
  test("craft-run-41 a seed and its open are one step", async () => {
    const world = runWorld();
    const ledger = ledgerOf(world);
    const seed = join(world.base, "S");
    writeFileSync(seed, " \n");
    expect((await ledger(["open", "demo", "--seed", seed])).code).toBe(2);
    expect(existsSync(world.runs)).toBe(false);
    writeFileSync(seed, "RESOLVE: none\nEFFECTIVE: workspace,design\nAWAITING(propose): none\n");
    expect((await ledger(["open", "demo", "--seed", seed])).stdout).toBe(world.file("demo.pointer"));
    const text = world.file("demo.md");
    expect(text).toBe(
      "# craft run record (append-only)\ndemo resolve RESOLVE: none\ndemo resolve EFFECTIVE: workspace,design\ndemo resolve AWAITING(propose): none\n",
    );
    expect((await ledger(["open", "demo", "--seed", seed])).code).toBe(3);
    expect(world.file("demo.md")).toBe(text);
  });

  test("craft-run-42 --line, --from and standard input say the same", async () => {
    const world = runWorld();
    const ledger = ledgerOf(world);
    writeFileSync(join(world.cwd, "F"), "A: 1\nB: 2\n");
    const ways: [string[], string][] = [
      [["--line", "A: 1", "--line", "B: 2"], ""],
      [["--from", "F"], ""],
      [[], "A: 1\nB: 2"],
    ];
    for (const [index, [words, stdin]] of ways.entries()) {
      await ledger(["open", `run${index}`]);
      expect((await ledger(["append", `run${index}`, "design", ...words], stdin)).code).toBe(0);
      expect(world.file(`run${index}.md`).split("\n").slice(1)).toEqual([
        `run${index} design A: 1`,
        `run${index} design B: 2`,
        "",
      ]);
    }
    expect((await ledger(["append", "run0", "design", "--line", "x", "--from", "F"])).code).toBe(2);
  });

  test("craft-run-45 an incomplete impact keeps its id, a missing line is restored", async () => {
    const world = runWorld();
    const ledger = ledgerOf(world);
    await ledger(["open", "demo"]);
    await ledger(["defer", "demo", "review"], IMPACT);
    appendFileSync(
      join(world.runs, "demo.impacts.md"),
      "\n### I1 verdict wont-do\nat: x\nrationale: no\n\n## I2 half\nphase: review\n",
    );
    const next = await ledger(["defer", "demo", "review"], IMPACT.replace("title: t", "title: u"));
    expect(next.stdout).toBe("I3\n");
    expect(next.stderr).toContain("restored TRIAGED line for I1");
    writeFileSync(join(world.base, "R.json"), '{"effective":[]}');
    const path = join(world.runs, "demo.md");
    const state = await world.call([
      "run-state",
      path,
      "--run",
      "demo",
      "--resolution",
      join(world.base, "R.json"),
    ]);
    expect(JSON.parse(state.stdout).warnings).toContain("impact I2 is incomplete");
    expect((await ledger(["verdict", "demo", "I2"], "verdict: ok\nrationale: x\n")).code).toBe(2);
  });

  test("craft-run-46 a Resolution in a file, and liveness only when asked", async () => {
    const world = runWorld();
    const ledger = ledgerOf(world);
    await ledger(["open", "demo"]);
    writeFileSync(join(world.base, "out"), "");
    const record = `HARNESS-BG(validation:m): pid=999999999 out=${join(world.base, "out")} spec=none`;
    await ledger(["append", "demo", "validation", "--line", record]);
    const resolution = '{"effective":[{"id":"validation"}]}';
    writeFileSync(join(world.base, "R.json"), resolution);
    const words = ["run-state", join(world.runs, "demo.md"), "--run", "demo"];
    const byFile = await world.call([...words, "--resolution", join(world.base, "R.json")]);
    expect(byFile).toEqual(await world.call(words, { stdin: resolution }));
    expect(Object.keys(JSON.parse(byFile.stdout).background[0])).not.toContain("alive");
    const live = await world.call([...words, "--liveness"], { stdin: resolution });
    expect(JSON.parse(live.stdout).background[0]).toMatchObject({ alive: false, outBytes: 0 });
  });
});

describe("faults", () => {
  test.skipIf(!canMount)("craft-run-43 on a full disk none of a call's records is written", async () => {
    const disk = smallDisk("256k");
    const git = (...words: string[]) => execFileSync("git", words, { cwd: disk });
    git("init", "-q", ".");
    const ledger = (words: string[], stdin = "") =>
      runJig(["craft", "ledger", ...words], {
        cwd: disk,
        env: { HOME: disk, PATH: process.env["PATH"]! },
        stdin,
      });
    expect((await ledger(["open", "demo"])).code).toBe(0);
    const path = join(disk, ".git/craft-runs/demo.md");
    spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "filler")}`, "bs=1k"], { stdio: "ignore" });
    const before = readFileSync(path, "utf8");
    const records = Array.from({ length: 200 }, (_, index) => `record ${index} ${"x".repeat(60)}\n`).join("");
    const full = await ledger(["append", "demo", "p"], records);
    expect(full.code).toBe(1);
    expect(full.stderr).toContain("no space left on device");
    expect(readFileSync(path, "utf8")).toBe(before);
    rmSync(join(disk, "filler"));
    expect((await ledger(["append", "demo", "p"], records)).code).toBe(0);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n").slice(1);
    expect(lines).toHaveLength(200);
    expect(new Set(lines).size).toBe(200);
  });

  test("craft-run-44 a held run directory: defer gives up, append goes on, readers never wait", async () => {
    const world = runWorld();
    const ledger = ledgerOf(world);
    await ledger(["open", "demo"]);
    const program = join(ROOT, "test/kernel/programs/hold-lock.ts");
    const holder = spawn(BUN, [program, join(world.runs, ".lock")], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    const [deferred, appended, located, shown] = await Promise.all([
      ledger(["defer", "demo", "review"], IMPACT),
      ledger(["append", "demo", "p", "--line", "x"]),
      ledger(["locate", "--run", "demo"]),
      ledger(["show", "demo"]),
    ]);
    expect(deferred.code).toBe(1);
    expect(deferred.stderr).toContain("run directory is busy");
    expect(appended.code).toBe(0);
    expect(appended.stderr).toContain("appended without its lock");
    expect([located.code, shown.code]).toEqual([0, 0]);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect((await ledger(["defer", "demo", "review"], IMPACT)).stdout).toBe("I1\n");
  });
});
