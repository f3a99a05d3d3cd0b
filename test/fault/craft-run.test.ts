/** A run's files: what was acknowledged is there, what is half-written is never read as whole, the next call repairs. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { faults } from "./harness.ts";

const IMPACT = "title: t\nlocus: a.ts\nreason: out of scope\nproof:\n  one\n  two\nexpected: e\n";

function repository() {
  const root = tempDir();
  const cwd = join(root, "r");
  const env = { HOME: join(root, "home"), JIG_TMP_ROOT: join(root, "t"), PATH: process.env["PATH"] };
  for (const directory of [cwd, env.HOME, env.JIG_TMP_ROOT]) mkdirSync(directory);
  execFileSync("git", ["init", "-q", cwd]);
  const directory = join(cwd, ".git/craft-runs");
  mkdirSync(directory);
  const input = (name: string, text: string) => {
    writeFileSync(join(root, name), text);
    return join(root, name);
  };
  const ledger = (...words: string[]) => runJig(["craft", "ledger", ...words], { cwd, env });
  const open = (...words: string[]) => execFileSync(JIG, ["craft", "ledger", ...words], { cwd, env });
  const lines = () => readFileSync(join(directory, "demo.md"), "utf8").split("\n");
  return { root, cwd, env, directory, input, ledger, open, lines };
}

type World = ReturnType<typeof repository>;

const scene = (world: World, ...words: string[]) => ({
  ...world,
  command: [JIG, "craft", "ledger", ...words],
});

faults({
  what: "craft ledger append",
  least: 1,
  elusive: true,
  prepare() {
    const world = repository();
    world.open("open", "demo");
    world.open("append", "demo", "p", "--line", "before");
    return scene(world, "append", "demo", "p", "--from", world.input("in", "first\nsecond\nthird\n"));
  },
  async holds({ ledger, lines }, { code, killed }) {
    const ours = lines().filter((line) => /^demo p (first|second|third)$/.test(line));
    expect(lines().slice(0, 2)).toEqual(["# craft run record (append-only)", "demo p before"]);
    if (!killed) expect(ours).toHaveLength(code === 0 ? 3 : 0);
    expect((await ledger("append", "demo", "p", "--line", "after")).code).toBe(0);
    expect(lines().slice(-2)).toEqual(["demo p after", ""]);
    const shown = JSON.parse((await ledger("show", "demo", "--json")).stdout) as { text: string }[];
    expect(shown[0]!.text).toBe("before");
    expect(shown.at(-1)!.text).toBe("after");
  },
});

test("craft ledger append killed at any moment: every line is whole or the last one, and the next stands alone", async () => {
  const world = repository();
  world.open("open", "demo");
  const records = Array.from({ length: 400 }, (_, index) => `record ${index} ${"x".repeat(100)}\n`).join("");
  const input = world.input("in", records);
  for (let round = 0; round < 12; round++) {
    const words = ["craft", "ledger", "append", "demo", "p", "--from", input];
    const child = spawn(JIG, words, { cwd: world.cwd, env: world.env, stdio: "ignore" });
    setTimeout(() => child.kill("SIGKILL"), round * 5);
    await once(child, "exit");
    expect((await world.ledger("append", "demo", "p", "--line", `after ${round}`)).code).toBe(0);
    expect(world.lines().slice(-2)).toEqual([`demo p after ${round}`, ""]);
  }
  const whole = /^(# craft run record \(append-only\)|demo p (record \d+ x{100}|after \d+))$/;
  const torn = world
    .lines()
    .slice(0, -1)
    .filter((line) => !whole.test(line));
  expect(torn.length).toBeLessThanOrEqual(12);
});

faults({
  what: "craft ledger open with a seed",
  least: 4,
  prepare() {
    const world = repository();
    return scene(world, "open", "demo", "--seed", world.input("seed", "RESOLVE: none\nEFFECTIVE: design\n"));
  },
  async holds({ root, ledger, lines, directory }, { code, killed }) {
    const again = await ledger("open", "demo", "--seed", join(root, "seed"));
    // Published means open: then the first call had done its work, whether or not it could still say so.
    expect([0, 3]).toContain(again.code);
    if (!killed && code === 0) expect(again.code).toBe(3);
    expect(lines()).toEqual([
      "# craft run record (append-only)",
      "demo resolve RESOLVE: none",
      "demo resolve EFFECTIVE: design",
      "",
    ]);
    expect((await ledger("locate", "--run", "demo")).stdout).toBe(`demo ${directory}/demo.md\n`);
    expect((await ledger("append", "demo", "p", "--line", "x")).code).toBe(0);
  },
});

faults({
  what: "craft ledger defer",
  least: 2,
  prepare() {
    const world = repository();
    world.open("open", "demo");
    return scene(world, "defer", "demo", "review", "--from", world.input("impact", IMPACT));
  },
  async holds({ root, ledger, lines }, { code, killed, stdout }) {
    const again = await ledger("defer", "demo", "review", "--from", join(root, "impact"));
    expect(again.code).toBe(0);
    if (!killed && code === 0) expect(again.stdout).toBe(stdout);
    const impacts = JSON.parse((await ledger("show", "demo", "--impacts", "--json")).stdout) as {
      id: string;
      incomplete: boolean;
      deferredLine: boolean;
      proof: string;
    }[];
    const whole = impacts.filter(({ incomplete }) => !incomplete);
    expect(whole).toMatchObject([{ proof: "one\ntwo", deferredLine: true, id: again.stdout.trim() }]);
    expect(lines().filter((line) => line.startsWith("demo review DEFERRED("))).toHaveLength(1);
  },
});

faults({
  what: "craft ledger verdict",
  least: 2,
  prepare() {
    const world = repository();
    world.open("open", "demo");
    world.open("defer", "demo", "review", "--from", world.input("impact", IMPACT));
    return scene(
      world,
      "verdict",
      "demo",
      "I1",
      "--from",
      world.input("v", "verdict: wont-do\nrationale: no\n"),
    );
  },
  async holds({ root, ledger, lines }, { code, killed }) {
    const said = () =>
      lines().filter((line) => line === "demo impact-triage TRIAGED(I1): wont-do — no").length;
    if (!killed && code === 0) expect(said()).toBe(1);
    // Another entry's defer restores a line that is missing.
    writeFileSync(join(root, "other"), IMPACT.replace("title: t", "title: u"));
    expect((await ledger("defer", "demo", "review", "--from", join(root, "other"))).code).toBe(0);
    const [impact] = JSON.parse((await ledger("show", "demo", "--impacts", "--json")).stdout);
    expect(said()).toBe(impact.verdict === null || impact.rationale === null ? 0 : 1);
  },
});

faults({
  what: "craft ledger close",
  least: 3,
  prepare() {
    const world = repository();
    world.open("open", "demo");
    world.open("open", "other");
    return scene(world, "close", "demo");
  },
  async holds({ ledger, directory }) {
    expect((await ledger("close", "demo")).code).toBe(0);
    expect(readdirSync(directory).sort()).toEqual([".lock", "other.impacts.md", "other.md", "other.pointer"]);
  },
});

faults({
  what: "craft driver finished with an election",
  least: 4,
  prepare() {
    const world = repository();
    const directory = join(world.root, "driver");
    mkdirSync(directory);
    const env = { ...world.env, CRAFT_DRIVER_STATE: directory };
    const words = ["craft", "driver", "finished", "https://h/p/1", "--election"];
    const command = [JIG, ...words, world.input("e", "why"), "--prompt", world.input("p", "go on")];
    return { ...world, env, directory, command };
  },
  async holds({ directory, command, cwd, env }, { code, killed }) {
    const has = (name: string) => existsSync(join(directory, name));
    const read = (name: string) => readFileSync(join(directory, name), "utf8");
    const whole = () => {
      expect(read("status")).toMatch(
        /^FINISHED https:\/\/h\/p\/1\nat: \S+\nelection: next\.md\nprompt: next\.prompt\n$/,
      );
      expect([read("next.md"), read("next.prompt")]).toEqual(["why", "go on"]);
    };
    if (has("status")) whole();
    else if (!killed) expect(code).not.toBe(0);
    const again = await runJig(command.slice(1), { cwd, env });
    expect(again.code).toBe(has("status") && again.code === 4 ? 4 : 0);
    whole();
  },
});

faults({
  what: "craft metrics emit",
  least: 2,
  prepare() {
    const world = repository();
    const project = join(world.env.HOME, ".claude/projects", world.cwd.replaceAll(/[/.]/g, "-"));
    const agents = join(project, "s/subagents");
    mkdirSync(agents, { recursive: true });
    const message = {
      id: "m",
      model: "x",
      usage: { input_tokens: 1, cache_read_input_tokens: 0, output_tokens: 1 },
    };
    writeFileSync(join(agents, "agent-1.jsonl"), `${JSON.stringify({ message })}\n`);
    writeFileSync(join(agents, "agent-1.meta.json"), '{"agentType":"designer"}');
    const directory = join(world.cwd, ".claude");
    mkdirSync(directory);
    return { ...world, directory, command: [JIG, "craft", "metrics", "emit", "--run", "demo"] };
  },
  async holds({ cwd, env }, { killed, stdout }) {
    const path = join(cwd, ".claude/craft-metrics.md");
    const rows = () =>
      existsSync(path)
        ? readFileSync(path, "utf8")
            .split("\n")
            .filter((line) => line.startsWith("demo design turns=1"))
        : [];
    // Printed means written.
    if (!killed) expect(rows()).toHaveLength(stdout.startsWith("demo design") ? 1 : 0);
    const before = rows().length;
    expect((await runJig(["craft", "metrics", "emit", "--run", "demo"], { cwd, env })).code).toBe(0);
    expect(rows()).toHaveLength(before + 1);
    expect(readFileSync(path, "utf8").startsWith("# craft per-phase metrics (append-only)\n")).toBe(true);
  },
});

faults({
  what: "craft worktree teardown that keeps changes",
  // Everything but the validation lock is git's own, in a process of its own.
  least: 1,
  elusive: true,
  // Calls are counted for each process: the eighth of a git is one of the runtime's own start here.
  skip: /^openat$/,
  prepare() {
    const world = repository();
    const tree = join(world.root, "w");
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...words], {
        cwd: world.cwd,
        encoding: "utf8",
      });
    git("commit", "-q", "--allow-empty", "-m", "one");
    git("worktree", "add", "-q", tree, "-b", "feat/x");
    writeFileSync(join(tree, "new"), "precious");
    writeFileSync(join(tree, ".craft-validation.lock"), "999999999 x");
    const command = [JIG, "craft", "worktree", "teardown", world.cwd, tree, "--keep-changes"];
    return { ...world, directory: tree, tree, git, command };
  },
  async holds({ tree, git, command, cwd, env }) {
    const isSafe = () => {
      if (existsSync(join(tree, "new"))) return readFileSync(join(tree, "new"), "utf8") === "precious";
      return git("stash", "list").includes("craft-teardown") && git("show", "stash@{0}^3:new") === "precious";
    };
    expect(isSafe()).toBe(true);
    // A git that was killed leaves its own lock files, which only a person may take away.
    const again = await runJig(command.slice(1), { cwd, env });
    expect(again.code === 0 || /no such worktree|no linked worktree|\.lock/.test(again.stderr)).toBe(true);
    expect(isSafe()).toBe(true);
    expect(git("log", "--format=%s", "HEAD").trim()).toBe("one");
  },
});
