import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allRooms } from "../../src/cli/tree.ts";
import { walk } from "../../src/cli/walk.ts";
import { JIG } from "../support/paths.ts";
import { hasTerminalProgram, runOnTerminal } from "../support/pty.ts";
import { catches, runJig, testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const ROOMS = allRooms();
const GROUPS = ROOMS.map(({ name }) => name);
const ESCAPE = "\u001b";

describe("the front door", () => {
  test("cli-1 jig alone and jig --help print the overview on stdout", async () => {
    const [alone, help] = [await runJig([]), await runJig(["--help"])];
    expect(alone).toMatchObject({ code: 0, stderr: "" });
    expect(help).toMatchObject({ code: 0, stderr: "", stdout: alone.stdout });
    for (const group of GROUPS) expect(alone.stdout).toMatch(new RegExp(`^  ${group} +\\S`, "m"));
  });

  test("jig help is another way to ask for help", async () => {
    expect((await runJig(["help"])).stdout).toBe((await runJig([])).stdout);
    const [word, flag] = [await runJig(["help", "job", "wait"]), await runJig(["job", "wait", "--help"])];
    expect(word).toMatchObject({ code: 0, stderr: "", stdout: flag.stdout });
  });

  test("cli-2 an unknown word exits 2, is named, and the groups are listed", async () => {
    const run = await runJig(["nosuch"]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("nosuch");
    for (const group of GROUPS) expect(run.stderr).toContain(group);
    expect((await runJig(["jbo"])).stderr).toContain("did you mean job?");
    // Whoever asks for help gets it, also about a word that does not exist.
    expect(await runJig(["nosuch", "--help"])).toMatchObject({ code: 0, stderr: "" });
    expect(await runJig(["nosuch", "--", "--help"])).toMatchObject({ code: 2, stdout: "" });
  });

  test("cli-3 a misspelt flag is named with its neighbour, and nothing is made", async () => {
    const cwd = tempDir();
    const run = await runJig(["web", "start", "--raot", "x"], { cwd });
    expect(run.code).not.toBe(0);
    expect(run.stdout).toBe("");
    expect(run.stderr).toContain("--root");
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("cli-4 a worker's own --help, -h and --version reach the worker", async () => {
    const root = tempDir();
    const env = { CE_PEER_JOBS_ROOT: join(root, "jobs") };
    const worker = ["sh", "-c", 'echo "$@" >&2', "sh", "--help", "-h", "--version"];
    const start = await runJig(["job", "start", "--skill", "s", "--run-id", "r", "--", ...worker], { env });
    const id = start.stdout.trim();
    expect(id).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/);
    expect((await runJig(["job", "wait", "--max-secs", "10", id], { env })).stdout).toBe("done\n");
    expect((await runJig(["job", "logs", id], { env })).stdout).toContain("--help -h --version");
  });

  test("cli-5 a closed pipe ends quietly", async () => {
    const script = `'${JIG}' job --help | head -1; echo "\${PIPESTATUS[0]}"`;
    const run = await runJig(["--norc", "-c", script], { program: "bash" });
    expect(run.stderr).toBe("");
    expect(run.stdout.trim().split("\n").at(-1)).toBe("0");
  });

  test("cli-6 a 5 MiB result through a slow pipe arrives whole", async () => {
    const root = tempDir();
    const env = { CE_PEER_JOBS_ROOT: join(root, "jobs") };
    const file = join(root, "result");
    const words = ["job", "start", "--skill", "s", "--run-id", "r", "--result-path", file];
    const worker = ["sh", "-c", `head -c 5242880 /dev/zero > '${file}'`];
    const id = (await runJig([...words, "--", ...worker], { env })).stdout.trim();
    expect((await runJig(["job", "wait", "--max-secs", "10", id], { env })).stdout).toBe("done\n");
    const pipe = await runJig(["--norc", "-c", `'${JIG}' job result ${id} | (sleep 1; wc -c)`], {
      program: "bash",
      env,
    });
    expect(pipe.stdout.trim()).toBe("5242880");
  });

  test.skipIf(!hasTerminalProgram)(
    "cli-7 colour on a terminal only, and NO_COLOR and TERM=dumb turn it off",
    async () => {
      expect(runOnTerminal("doctor")).toContain(ESCAPE);
      expect(runOnTerminal("doctor", { NO_COLOR: "1" })).not.toContain(ESCAPE);
      expect(runOnTerminal("doctor", { TERM: "dumb" })).not.toContain(ESCAPE);
      expect(runOnTerminal("doctor", { TERM: "dumb", FORCE_COLOR: "1" })).toContain(ESCAPE);
      expect(runOnTerminal("job --help", { NO_COLOR: "1" })).not.toContain(ESCAPE);
      expect(runOnTerminal("job --help")).toContain(ESCAPE);
      for (const words of [["doctor"], ["job", "--help"], ["nosuch"], ["version"]]) {
        const piped = await runJig(words);
        expect(piped.stdout + piped.stderr).not.toContain(ESCAPE);
      }
      expect((await runJig(["doctor"], { env: { FORCE_COLOR: "1" } })).stdout).toContain(ESCAPE);
      expect((await runJig(["doctor"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stdout).not.toContain(
        ESCAPE,
      );
    },
  );

  test("cli-8 .env and bunfig.toml of the working directory change nothing", async () => {
    const root = tempDir();
    const cwd = join(root, "checkout");
    mkdirSync(cwd);
    const proof = join(root, "proof");
    writeFileSync(join(cwd, ".env"), "CE_PEER_IDLE_SECS=1\nJIG_DEBUG=1\nCE_PEER_JOBS_ROOT=/nowhere/else\n");
    writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    writeFileSync(join(cwd, "preload.ts"), `require("fs").writeFileSync(${JSON.stringify(proof)}, "ran");\n`);
    const env = { JIG_TMP_ROOT: root };
    for (const words of [["version"], ["job", "root"], ["config", "get", "plan_output"], ["doctor"]]) {
      expect((await runJig(words, { cwd, env })).stderr).not.toContain("ms, exit");
    }
    const start = await runJig(["job", "start", "--skill", "s", "--run-id", "r", "--json", "--", "true"], {
      cwd,
      env,
    });
    const { job_dir } = JSON.parse(start.stdout);
    expect(job_dir.startsWith(root)).toBe(true);
    expect(JSON.parse(readFileSync(join(job_dir, "meta.json"), "utf8")).supervision.idle).toBe(240);
    await runJig(["job", "wait", job_dir], { cwd, env });
    expect(existsSync(proof)).toBe(false);
  });

  test("cli-9 a symlink named cafleet answers as jig base-dir, and provides nothing else", async () => {
    const root = tempDir();
    const cwd = join(root, "proj");
    mkdirSync(cwd);
    const cafleet = join(root, "cafleet");
    symlinkSync(JIG, cafleet);
    const env = { HOME: join(root, "home"), JIG_TMP_ROOT: root };
    await runJig(["base-dir", "resolve"], { cwd, env });
    const direct = await runJig(["base-dir", "resolve", "--json"], { cwd, env });
    const options = { cwd, env, program: cafleet, argv0: "cafleet" };
    const alias = await runJig(["base-dir", "resolve", "--json"], options);
    expect(alias).toMatchObject({ code: 0, stdout: direct.stdout });
    expect(JSON.parse((await runJig(["--json", "base-dir", "resolve"], options)).stdout)).toEqual(
      JSON.parse(direct.stdout),
    );
    const pretty = await runJig(["--pretty", "--session-id", "x", "base-dir", "resolve", "--json"], options);
    expect(pretty.stdout).toBe(`${JSON.stringify(JSON.parse(direct.stdout), null, 2)}\n`);
    const other = await runJig(["member", "list"], options);
    expect(other).toMatchObject({ code: 2, stdout: "" });
    expect(other.stderr).toContain("only base-dir");
  });

  test("cli-10 errors begin with the name the call was made under", async () => {
    const env = { CE_PEER_JOBS_ROOT: join(tempDir(), "jobs") };
    const alias = await runJig(["--as", "peer-job-runner.py", "status", "nosuch"], { env });
    expect(alias.stderr).toMatch(/^peer-job-runner: /);
    expect((await runJig(["job", "status", "nosuch"], { env })).stderr).toMatch(/^jig job: /);
  });

  test("cli-11 --as is the first argument and its name is known, or it is a usage error", async () => {
    expect((await runJig(["job", "status", "--as", "peer-job-runner.py", "x"])).code).toBe(2);
    const unknown = await runJig(["--as", "nosuch.py"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain("nosuch.py");
    expect((await runJig(["--as"])).code).toBe(2);
  });

  test("packs-resolve.py takes no --json, as upstream; jig packs resolve does", async () => {
    const cwd = tempDir();
    const alias = await runJig(["--as", "packs-resolve.py", "--json"], { cwd });
    expect(alias).toMatchObject({ code: 2, stdout: "" });
    expect(alias.stderr).toContain("packs-resolve: unknown flag --json");
    expect((await runJig(["packs", "resolve", "--json"], { cwd })).code).toBe(0);
  });

  test.skipIf(!existsSync("/dev/full"))("cli-24 an unwritable stdout is one line and exit 1", () => {
    const full = openSync("/dev/full", "w");
    for (const words of [["skills", "list"], ["--help"], ["version", "--json"]]) {
      const run = spawnSync(JIG, words, {
        env: testEnv(),
        stdio: ["ignore", full, "pipe"],
        encoding: "utf8",
      });
      expect([words, run.status]).toEqual([words, 1]);
      expect(run.stderr.trim().split("\n")).toHaveLength(1);
      expect(run.stderr).toContain("cannot write to standard output: no space left on device");
    }
  });

  test.skipIf(!existsSync("/dev/full"))("a command that streams says the same", () => {
    const directory = tempDir();
    for (const [name, text] of [
      ["out.log", "line\n"],
      ["status", "done\n"],
    ] as const) {
      writeFileSync(join(directory, name), text);
    }
    const full = openSync("/dev/full", "w");
    const run = spawnSync(JIG, ["job", "logs", directory], {
      env: testEnv(),
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    expect([run.status, run.stderr]).toEqual([
      1,
      "jig job: cannot write to standard output: no space left on device\n",
    ]);
  });

  test("cli-25 SIGTERM in a loop of plan reserve leaves no partial file, and the next call works", async () => {
    const cwd = tempDir();
    spawnSync("git", ["init", "-q"], { cwd });
    const words = ["plan", "reserve", "--type", "feat", "--topic", "loop"];
    for (let round = 0; round < 12; round++) {
      const child = spawn(JIG, words, { cwd, env: testEnv(), stdio: "ignore" });
      const ended = new Promise((resolve) => child.on("exit", resolve));
      setTimeout(() => child.kill("SIGTERM"), round * 4);
      await ended;
    }
    const after = await runJig(words, { cwd });
    expect(after.code).toBe(0);
    const left = readdirSync(cwd, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.startsWith("docs"),
    );
    expect(left.filter((path) => /\.(tmp|part)/.test(path))).toEqual([]);
  });

  test("cli-27 a bug in jig exits 70 with one line, and a stack only when asked", async () => {
    const quiet = await runJig(["__fault"]);
    expect(quiet).toMatchObject({ code: 70, stdout: "" });
    expect(quiet.stderr.trim().split("\n")).toHaveLength(1);
    expect(quiet.stderr).toMatch(/report.*JIG_DEBUG=1/);
    const loud = await runJig(["__fault"], { env: { JIG_DEBUG: "1" } });
    expect(loud.stderr).toMatch(/\n\s+at /);
  });

  test.skipIf(!hasTerminalProgram)(
    "cli-28 escape sequences in stored text are shown, never sent to the terminal",
    async () => {
      const root = tempDir();
      const env = { CE_PEER_JOBS_ROOT: join(root, "jobs"), HOME: root };
      const start = await runJig(["job", "start", "--skill", "s", "--run-id", "r", "--json", "--", "false"], {
        env,
      });
      const { job_id, job_dir } = JSON.parse(start.stdout);
      await runJig(["job", "wait", "--max-secs", "10", job_id], { env });
      writeFileSync(join(job_dir, "reason"), `${ESCAPE}]0;owned\u0007${ESCAPE}[2J gone\n`);
      const meta = JSON.parse(readFileSync(join(job_dir, "meta.json"), "utf8"));
      writeFileSync(join(job_dir, "meta.json"), JSON.stringify({ ...meta, label: `${ESCAPE}[31mred` }));
      const shown = runOnTerminal("job list", { ...env, NO_COLOR: "1", COLUMNS: "200" });
      expect(shown).toContain(job_id);
      expect(shown).not.toContain(ESCAPE);

      const cwd = join(root, "repo");
      const pack = join(cwd, "rules", "evil");
      mkdirSync(pack, { recursive: true });
      spawnSync("git", ["init", "-q"], { cwd });
      mkdirSync(join(cwd, ".compound-engineering"));
      writeFileSync(join(cwd, ".compound-engineering", "config.yaml"), "packs:\n  - source: rules\n");
      writeFileSync(join(pack, "a.md"), `---\ntitle: ${ESCAPE}[31mred\napplies_when: x\n---\n`);
      for (const words of ["packs list", "packs show evil"]) {
        const text = runOnTerminal(words, { ...env, NO_COLOR: "1" }, cwd);
        expect(text).not.toContain(ESCAPE);
        expect(text).toContain("evil");
      }
    },
  );

  test("control characters in a caller's words are shown in errors, never sent to the terminal", async () => {
    const evil = `${ESCAPE}]0;owned\u0007\u009b2J\u202e`;
    for (const words of [
      [evil],
      ["job", evil],
      ["job", "status", evil],
      ["base-dir", "resolve", `--${evil}`],
      ["skills", "show", evil],
      ["skills", "update", "--dir", evil, "show", evil],
      ["skills", "install", "--bin", `/${evil}`, "--host", "claude"],
      ["web", "start", "--root", "/dev/null/x", "--port", evil],
      ["config", "get", evil],
      ["link", "x", evil],
      ["schema", evil],
      ["--as", evil],
      ["--as", "cafleet", evil],
      ["--as", "cafleet", "base-dir", evil],
    ]) {
      const run = await runJig(words, { cwd: tempDir(), env: { HOME: tempDir() } });
      expect([words, run.code === 0, run.stderr === ""]).toEqual([words, false, false]);
      expect([words, run.stderr + run.stdout]).toEqual([
        words,
        expect.not.stringMatching(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/),
      ]);
    }
  });

  test("--version is jig version, and --json adds the build", async () => {
    const short = await runJig(["--version"]);
    expect(short.stdout).toMatch(/^jig \d+\.\d+\.\d+\S* \(\w+-\w+, [0-9a-f]+\)\n$/);
    expect((await runJig(["version"])).stdout).toBe(short.stdout);
    expect(JSON.parse((await runJig(["version", "--json"])).stdout)).toMatchObject({ compiled: true });
  });

  test("every command shows help with examples and exit codes, and none of it names an unknown flag", async () => {
    for (const { name, load } of ROOMS) {
      const help = await runJig([name, "--help"]);
      expect([name, help.code, help.stderr]).toEqual([name, 0, ""]);
      const loaded = (await load()).default;
      if (!("verbs" in loaded)) expect(help.stdout).toMatch(/EXIT CODES[\s\S]*EXAMPLES/);
      else for (const verb of Object.keys(loaded.verbs)) expect(help.stdout).toContain(verb);
    }
    for await (const { target } of walk()) {
      if (!("verbs" in target)) expect(target.examples.length).toBeGreaterThanOrEqual(2);
    }
  });

  test("a signal ends a waiting command with 130 or 143", async () => {
    const root = join(tempDir(), "R");
    await runJig(["web", "start", "--root", root, "--annotate", "--owner-pid", String(process.pid)]);
    try {
      for (const [signal, code] of [
        ["SIGINT", 130],
        ["SIGTERM", 143],
      ] as const) {
        const child = spawn(JIG, ["web", "wait", "--root", root], { env: testEnv(), stdio: "ignore" });
        const ended = new Promise((resolve) => child.on("exit", resolve));
        await catches(child.pid!, signal);
        child.kill(signal);
        expect([signal, await ended]).toEqual([signal, code]);
      }
    } finally {
      await runJig(["web", "stop", "--root", root]);
    }
  });
});
