/** One run from its resolving to its hand-over, by the calls that a skill makes. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runJig, testEnv, until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

test("craft-run-54 a whole run, through a compaction, ends with its record handed over and no file left", async () => {
  const base = tempDir();
  const [root, home, state, tree] = ["repo", "home", "state", "repo-demo"].map((name) =>
    join(base, name),
  ) as [string, string, string, string];
  for (const directory of [root, home, state]) mkdirSync(directory);
  const env = { HOME: home, JIG_TMP_ROOT: base, CRAFT_DRIVER_STATE: state };
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: root, env: testEnv({ HOME: home, GIT_CONFIG_NOSYSTEM: "1" }) });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.invalid");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const craft = async (words: readonly string[], stdin = "") => {
    const run = await runJig(["craft", ...words], { cwd: root, env, stdin });
    expect([words.join(" "), run.code, run.stderr]).toEqual([words.join(" "), 0, expect.any(String)]);
    return run.stdout;
  };
  const append = (phase: string, ...lines: string[]) =>
    craft(["ledger", "append", "demo", phase, ...lines.flatMap((line) => ["--line", line])]);

  const resolution = join(base, "resolution.json");
  const resolve = () => craft(["resolve", "--out", resolution]);
  await resolve();
  const { effective, gateDecisions } = JSON.parse(readFileSync(resolution, "utf8"));
  const ids: string[] = effective.map(({ id }: { id: string }) => id);
  const propose = gateDecisions.find(({ phaseId }: { phaseId: string }) => phaseId === "propose");
  const awaited: string[] = propose.awaitingHarnesses;
  expect(awaited).toContain("validation");
  const seed = join(base, "seed");
  const lines = ["RESOLVE: none", `EFFECTIVE: ${ids.join(",")}`, `AWAITING(propose): ${awaited.join(",")}`];
  writeFileSync(seed, `${lines.join("\n")}\n`);
  const opened = await craft(["ledger", "open", "demo", "--seed", seed]);

  for (const phase of ids.slice(0, ids.indexOf("implementation") + 1)) {
    await append(phase, `PHASE-START(${phase}):`);
    await append(phase, `PHASE-DONE(${phase}): done`, `GATE(${phase}): green`);
  }
  await append("implementation", "PART(1): abc1234 size=module outcome=pass");
  const harness = spawn("sleep", ["300"], { stdio: "ignore" });
  const out = join(base, "out.txt");
  writeFileSync(out, "running\n");
  await append(
    "validation",
    "PHASE-START(validation):",
    `HARNESS-BG(validation:tests): pid=${harness.pid} out=${out} spec=none`,
  );

  const transcript = join(base, "session.jsonl");
  writeFileSync(transcript, `${JSON.stringify({ type: "user", text: opened })}\n`);
  const event = JSON.stringify({ transcript_path: transcript, cwd: root, session_id: "s" });
  expect(await craft(["hook", "precompact"], event)).toContain("validation");
  const ledger = join(root, ".git/craft-runs/demo.md");
  expect(await craft(["hook", "sessionstart"], event)).toContain(`Ledger: ${ledger}`);

  await resolve();
  const runState = async () =>
    JSON.parse(await craft(["run-state", ledger, "--run", "demo", "--resolution", resolution, "--liveness"]));
  expect(await runState()).toMatchObject({
    inFlight: [{ phase: "validation" }],
    background: [{ pid: harness.pid, alive: true, outBytes: 8 }],
  });
  const ended = new Promise((done) => harness.on("exit", done));
  harness.kill();
  await ended;
  await until("the process to be gone", () => !existsSync(`/proc/${harness.pid}`));
  await append("validation", "PHASE-DONE(validation): done", "GATE(validation): green");
  expect((await runState()).awaitingHarnesses).toEqual(awaited.filter((id) => id !== "validation"));

  git("worktree", "add", "-q", "-b", "feat/demo", tree);
  await craft(["worktree", "teardown", root, tree]);
  expect(existsSync(tree)).toBe(false);
  await append("integrate", "PHASE-START(integrate):");
  await craft(["metrics", "emit", "--run", "demo"]);
  const saved = JSON.parse(await craft(["memory", "save", "--ledger", "demo"]));
  expect(saved).toMatchObject({ written: true, added: 1 });
  await craft(["ledger", "close", "demo"]);
  await craft(["driver", "finished", "https://h.invalid/p/1"]);
  expect(readFileSync(join(state, "status"), "utf8")).toMatch(/^FINISHED https:\/\/h\.invalid\/p\/1\n/);
  expect(readdirSync(join(root, ".git/craft-runs")).filter((name) => name !== ".lock")).toEqual([]);
}, 60_000);
