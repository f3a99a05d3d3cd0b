/** Payload files, a full disk, a held lock, and one whole run from resolve to close. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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

test("craft-run-54 one run, from resolve to close, with a compaction in it", async () => {
  const world = runWorld();
  const { base, cwd, home, runs, git } = world;
  const state = join(base, "driver");
  mkdirSync(state);
  const env = { CRAFT_DRIVER_STATE: state };
  const craft = async (words: string[], stdin = "") => {
    const run = await world.call(words, { stdin, env });
    expect({ words, code: run.code, stderr: run.code === 0 ? "" : run.stderr }).toEqual({
      words,
      code: 0,
      stderr: "",
    });
    return run.stdout;
  };
  const append = (phase: string, ...lines: string[]) =>
    craft(["ledger", "append", "demo", phase, ...lines.flatMap((line) => ["--line", line])]);

  const resolution = join(base, "run.json");
  await craft(["resolve", "--skip", "decisions", "--out", resolution]);
  const { effective } = JSON.parse(readFileSync(resolution, "utf8"));
  const ids = effective.map(({ id }: { id: string }) => id).join(",");
  const seed = join(base, "seed");
  writeFileSync(seed, `RESOLVE: --skip decisions\nEFFECTIVE: ${ids}\nAWAITING(propose): validation\n`);
  const key = await craft(["ledger", "open", "demo", "--seed", seed]);
  const transcript = join(base, "t.jsonl");
  writeFileSync(transcript, `${JSON.stringify({ output: key })}\n`);

  for (const phase of ["workspace", "design", "planning", "implementation"]) {
    await append(phase, `PHASE-START(${phase}):`);
    await append(phase, `PHASE-DONE(${phase}): done`, `GATE(${phase}): green`);
  }
  for (const phase of ["review", "refactoring"])
    await append(phase, `auto-skip: ${phase} — evaluated unnecessary (none)`);
  const out = join(base, "out.txt");
  writeFileSync(out, "found");
  const harness = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void harness.kill("SIGKILL"));
  await append(
    "validation",
    "PHASE-START(validation):",
    `HARNESS-BG(validation:mut): pid=${harness.pid} out=${out} spec=none`,
  );

  const payload = JSON.stringify({ transcript_path: transcript, cwd, source: "compact" });
  expect(await craft(["hook", "precompact"], payload)).toContain("phase(s) in flight: validation;");
  const block = await craft(["hook", "sessionstart"], payload);
  const ledgerPath = /^Ledger: (.*)$/m.exec(block)![1]!;
  const flags = /RESOLVE: (.*)$/m.exec(readFileSync(ledgerPath, "utf8"))![1]!.split(" ");
  await craft(["resolve", ...flags, "--out", resolution]);
  const rebuild = async () =>
    JSON.parse(
      await craft(["run-state", ledgerPath, "--run", "demo", "--resolution", resolution, "--liveness"]),
    );
  expect(await rebuild()).toMatchObject({
    inFlight: [{ phase: "validation" }],
    next: "documentation",
    awaitingHarnesses: ["validation"],
    background: [{ alive: true, outBytes: 5 }],
  });
  harness.kill("SIGKILL");
  await once(harness, "exit");
  await append("validation", "PHASE-DONE(validation): done", "GATE(validation): green");
  expect(await rebuild()).toMatchObject({
    inFlight: [],
    awaitingHarnesses: [],
    background: [{ alive: false }],
  });

  git("worktree", "add", "-q", join(base, "w"), "-b", "feat/demo");
  await craft(["worktree", "setup", join(base, "w")]);
  await craft(["worktree", "teardown", ".", join(base, "w")]);
  await append("integrate", "PHASE-DONE(integrate): merged");
  const agents = join(home, ".claude/projects", cwd.replaceAll(/[/.]/g, "-"), "s/subagents");
  mkdirSync(agents, { recursive: true });
  const usage = {
    input_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  writeFileSync(
    join(agents, "agent-1.jsonl"),
    `${JSON.stringify({ message: { id: "m", model: "x", usage } })}\n`,
  );
  writeFileSync(join(agents, "agent-1.meta.json"), '{"agentType":"designer"}');
  expect(await craft(["metrics", "emit", "--run", "demo", "--session", "s"])).toMatch(
    /^demo design turns=1 /,
  );
  const delta = join(base, "delta.json");
  writeFileSync(delta, "[]");
  await craft(["memory", "save", "--ledger", "demo", "--delta", delta]);
  await craft(["ledger", "close", "demo"]);
  await craft(["driver", "finished", "https://h/p/1"]);
  expect(readdirSync(runs).filter((name) => name !== ".lock")).toEqual([]);
  expect(readFileSync(join(state, "status"), "utf8")).toMatch(/^FINISHED https:\/\/h\/p\/1\n/);
});
