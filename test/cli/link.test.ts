import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commandScript,
  filesFor,
  nodeScript,
  pythonScript,
  shellScript,
} from "../../src/cli/link/launchers.ts";
import { dropInName, dropInNames } from "../../src/cli/names/names.ts";
import { DENO, JIG, NODE, ROOT } from "../support/paths.ts";
import { type RunOptions, runJig, sleep, testEnv, until } from "../support/run.ts";
import { callsTouching, canTrace, runInjected, type SystemCall } from "../support/strace.ts";
import { tempDir } from "../support/temp.ts";
import { runUnprivileged } from "../support/unprivileged.ts";

const NAMES = dropInNames();

async function link(words: string[], options?: RunOptions) {
  const result = await runJig(["link", ...words, "--json"], options);
  const report =
    result.stdout === "" ? [] : (JSON.parse(result.stdout) as { action: string; path: string }[]);
  return { ...result, report, actions: report.map((line) => line.action) };
}

/** Run a program and kill it at one call; whether it was killed. */
function killedAt(call: SystemCall, command: readonly string[]): boolean {
  const { code, signal } = runInjected(command, call, "signal=KILL");
  return signal === "SIGKILL" || code === 137;
}

/** Every file of a folder with what it is, to compare before and after. */
function snapshot(directory: string) {
  return readdirSync(directory)
    .sort()
    .map((name) => {
      const path = join(directory, name);
      return [
        name,
        lstatSync(path).isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, "utf8"),
      ];
    });
}

describe("jig link", () => {
  test("cli-12 writes one file per name, again unchanged, keeps a foreign one, replaces it by force", async () => {
    const directory = join(tempDir(), "bin");
    const first = await link([directory]);
    expect(first.code).toBe(0);
    expect(first.actions).toEqual(NAMES.map(() => "created"));
    expect(readdirSync(directory).sort()).toEqual([...NAMES].sort());
    for (const name of NAMES) {
      const stats = lstatSync(join(directory, name));
      expect(name.endsWith(".sh") ? stats.isFile() : stats.isSymbolicLink()).toBe(true);
    }
    expect((await link([directory])).actions).toEqual(NAMES.map(() => "unchanged"));

    const foreign = join(directory, "packs-resolve.py");
    renameSync(foreign, `${foreign}.old`);
    writeFileSync(foreign, "print('mine')\n");
    const kept = await link([directory]);
    expect(kept.code).toBe(1);
    expect(kept.report).toContainEqual({ action: "kept", path: foreign });
    expect(readFileSync(foreign, "utf8")).toBe("print('mine')\n");

    const forced = await link([directory, "--force"]);
    expect(forced.code).toBe(0);
    expect(forced.report).toContainEqual({ action: "replaced", path: foreign });
    expect(readFileSync(`${foreign}.jig-backup`, "utf8")).toBe("print('mine')\n");
    expect(lstatSync(foreign).isSymbolicLink()).toBe(true);
  });

  test("never overwrites a backup, and never a directory", async () => {
    const directory = tempDir();
    writeFileSync(join(directory, "cafleet"), "second");
    writeFileSync(join(directory, "cafleet.jig-backup"), "first");
    mkdirSync(join(directory, "packs-resolve.py"));
    const before = readdirSync(directory);
    const forced = await link([directory, "cafleet", "packs-resolve.py", "--force"]);
    expect(forced.actions).toEqual(["kept", "kept"]);
    expect(forced.code).toBe(1);
    expect(readdirSync(directory)).toEqual(before);
    expect(readFileSync(join(directory, "cafleet.jig-backup"), "utf8")).toBe("first");
  });

  test("cli-13 the launchers behave as the jig commands, and pass a signal on", async () => {
    const directory = tempDir();
    const root = tempDir();
    expect((await link(["--launchers", directory])).code).toBe(0);
    const env = { CE_PEER_JOBS_ROOT: join(root, "jobs"), JIG_TMP_ROOT: root };
    const python = await runJig([join(directory, "peer-job-runner.py"), "status", "nosuch"], {
      program: "python3",
      env,
    });
    const direct = await runJig(["--as", "peer-job-runner.py", "status", "nosuch"], { env });
    expect({ code: python.code, stderr: python.stderr }).toEqual({
      code: direct.code,
      stderr: direct.stderr,
    });
    expect(python.code).toBe(1);

    const served = join(root, "served");
    const words = ["status", "--root", served];
    const node = await runJig([join(directory, "light-webserver.js"), ...words], { program: NODE, env });
    const web = await runJig(["web", ...words], { env });
    expect(node.stdout).toBe(web.stdout);
    expect(node.code).toBe(web.code);

    const shell = await runJig([join(directory, "elevation-dispatch.sh"), "--nosuch"], {
      program: "bash",
      env,
    });
    expect(shell.code).toBe((await runJig(["elevate", "--nosuch"], { env })).code);

    const server = spawn(
      NODE,
      [join(directory, "light-webserver.js"), "start", "--root", served, "--foreground"],
      {
        env: testEnv(env),
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const pidFile = join(served, "state", "server.pid");
    const pid = await until(
      "the server's pid",
      () => existsSync(pidFile) && Number(readFileSync(pidFile, "utf8")),
    );
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill("SIGTERM");
    await ended;
    await until("the server to be gone", () => !existsSync(`/proc/${pid}`) || undefined);
    expect((await runJig(["web", ...words], { env })).stdout).toContain("stopped");
  });

  test("cli-14 --remove takes exactly ours away and puts a backup back", async () => {
    const directory = tempDir();
    writeFileSync(join(directory, "cafleet"), "mine");
    writeFileSync(join(directory, "other"), "other");
    const before = snapshot(directory);
    await link([directory, "--force"]);
    await link([directory, "--launchers"]);
    const removed = await link([directory, "--remove"]);
    expect(removed.code).toBe(0);
    expect(removed.report).toContainEqual({ action: "restored", path: join(directory, "cafleet") });
    expect(snapshot(directory)).toEqual(before);
  });

  test("cli-29 every name of the table answers as its mapped command", async () => {
    const cwd = tempDir();
    for (const name of NAMES) {
      const words = name === "cafleet" ? ["base-dir", "--help"] : ["--help"];
      const alias = await runJig(["--as", name, ...words], { cwd });
      if (dropInName(name).words[1] === "hook") {
        // A hook never fails its host: what is wrong with the call is said on stderr only.
        expect([name, alias.code, alias.stdout, alias.stderr]).toEqual([
          name,
          0,
          "",
          expect.stringMatching(/\S/),
        ]);
        continue;
      }
      if (dropInName(name).help === "unknown-flag") {
        expect([name, alias.code === 0, alias.stdout]).toEqual([name, false, ""]);
        // Where words are rewritten, --help may be passed over, and what is missing then is said.
        const said = dropInName(name).translate === undefined ? /--help/ : /\S/;
        expect([name, alias.stderr]).toEqual([name, expect.stringMatching(said)]);
        continue;
      }
      const direct = await runJig([...dropInName(name).words, "--help"], { cwd });
      expect(alias.code).toBe(0);
      expect([name, alias.code, alias.stdout]).toEqual([name, direct.code, direct.stdout]);
    }
  });

  test.each(["module", undefined])("cli-30 launchers load below a package.json of type %s", async (type) => {
    const directory = tempDir();
    if (type !== undefined) writeFileSync(join(directory, "package.json"), JSON.stringify({ type }));
    await link(["--launchers", directory]);
    const env = { CE_PEER_JOBS_ROOT: join(directory, "jobs") };
    const root = ["status", "--root", join(directory, "served")];
    const node = await runJig([join(directory, "light-webserver.js"), ...root], { program: NODE, env });
    expect([node.code, node.stderr]).toEqual([0, ""]);
    expect(node.stdout).toContain("stopped");
    const python = await runJig([join(directory, "peer-job-runner.py"), "list"], { program: "python3", env });
    expect(python.code).toBe(0);
  });

  test("flow-67 an imported Python launcher starts nothing", async () => {
    const directory = tempDir();
    await link(["--launchers", directory]);
    const words = ["-c", "import craftflow_memory_merge, craftflow_sessionstart_context"];
    const run = await runJig(words, { program: "python3", cwd: directory, stdin: "{}" });
    expect(run).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("cli-31 a path with blanks and quotes works, and a jig that is gone is named", async () => {
    const base = tempDir();
    const place = join(base, "D 2", "it's");
    mkdirSync(place, { recursive: true });
    const binary = join(place, "jig");
    copyFileSync(JIG, binary);
    const directory = join(base, "E");
    const env = { CE_PEER_JOBS_ROOT: join(base, "jobs") };
    const made = await link(["--launchers", directory], { program: binary });
    expect(made.code).toBe(0);
    const calls: [string, string, string[]][] = [
      ["python3", "peer-job-runner.py", ["list"]],
      [NODE, "light-webserver.js", ["status", "--root", join(base, "served")]],
      ["sh", "elevation-dispatch.sh", ["--help"]],
    ];
    for (const [program, name, words] of calls) {
      const run = await runJig([join(directory, name), ...words], { program, env });
      expect([name, run.code, run.stderr]).toEqual([name, 0, ""]);
    }
    const moved = join(base, "elsewhere");
    mkdirSync(moved);
    renameSync(binary, join(moved, "jig"));
    for (const [program, name, words] of calls) {
      const run = await runJig([join(directory, name), ...words], { program, env });
      expect([name, run.code]).toEqual([name, 127]);
      expect(run.stderr).toContain(binary);
    }
    const again = await link(["--launchers", directory], { program: join(moved, "jig") });
    expect(again.actions).toEqual(NAMES.map(() => "updated"));
  });

  test("cli-32 one name alone, and an unknown one makes nothing", async () => {
    const directory = join(tempDir(), "D");
    expect((await link([directory, "peer-job-runner.py"])).report).toEqual([
      { action: "created", path: join(directory, "peer-job-runner.py") },
    ]);
    expect(readdirSync(directory)).toEqual(["peer-job-runner.py"]);
    const other = join(tempDir(), "D");
    const unknown = await runJig(["link", other, "nosuch.py"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("nosuch.py");
    expect(existsSync(other)).toBe(false);
  });

  test.skipIf(process.platform === "win32")(
    "the launcher of the job runner works in a directory that is gone, where it needs none",
    async () => {
      const directory = tempDir();
      const work = tempDir();
      await link(["--launchers", directory]);
      const launcher = join(directory, "peer-job-runner.py");
      // The interpreter itself: a version manager's script in its place cannot start there either.
      const which = ["-c", "import sys; print(sys.executable)"];
      const python = (await runJig(which, { program: "python3" })).stdout.trim();
      const inGone = (...words: string[]) => {
        const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
        const env = { CE_PEER_JOBS_ROOT: join(work, "root") };
        return runJig(["-c", script, "sh", python, launcher, ...words], {
          program: "/bin/sh",
          cwd: work,
          env,
        });
      };
      for (const words of [
        ["status", "x"],
        ["wait", "x"],
        ["result", "x"],
        ["reap", "x"],
        ["logs", "x"],
      ]) {
        const run = await inGone(...words);
        expect(run).toMatchObject({ code: 1, stdout: "" });
        expect(run.stderr).toContain(`peer-job-runner: job not found under ${join(work, "root")}`);
      }
      expect(await inGone("list")).toMatchObject({ code: 0, stderr: "" });
      // A worker belongs where its caller is; the runtime's own words say that this place is gone.
      const start = await inGone("start", "--skill", "s", "--run-id", "r", "--", "true");
      expect(start).toMatchObject({ code: 1, stdout: "" });
      expect(start.stderr).toContain("working directory was deleted");
    },
  );

  test("cli-33 --launchers turns links into scripts and leaves the others", async () => {
    const directory = tempDir();
    await link([directory]);
    const { report } = await link(["--launchers", directory]);
    for (const { action, path } of report) {
      expect([path, action]).toEqual([path, /\.(py|js)$/.test(path) ? "updated" : "unchanged"]);
    }
  });

  test("cli-34 a server started by a launcher outlives the shell that called it", async () => {
    const directory = tempDir();
    const root = join(tempDir(), "R");
    await link(["--launchers", directory]);
    const env = { CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "50" };
    const script = `'${NODE}' '${join(directory, "light-webserver.js")}' start --root '${root}'; true`;
    const started = await runJig(["--norc", "-c", script], { program: "bash", env });
    expect([started.code, started.stderr]).toEqual([0, ""]);
    try {
      await sleep(600); // a dozen looks for its owner
      expect((await runJig(["web", "status", "--root", root], { env })).stdout).toContain(
        '"status":"running"',
      );
    } finally {
      await runJig(["web", "stop", "--root", root], { env });
    }
  });

  test("cli-35 from source it says to build first", async () => {
    const directory = join(tempDir(), "D");
    const run = await runJig(["run", "-A", "--quiet", "src/main.ts", "link", directory], {
      program: DENO,
      cwd: ROOT,
    });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("build");
    expect(existsSync(directory)).toBe(false);
  });

  test("cli-36 the Windows forms as text", () => {
    const jig = "C:\\Program Files\\jig\\jig.exe";
    expect(filesFor("cafleet", jig, "win32", false).map((file) => file.file)).toEqual([
      "cafleet.cmd",
      "cafleet",
    ]);
    expect(filesFor("x.sh", jig, "win32", false).map((file) => file.file)).toEqual(["x.sh.cmd", "x.sh"]);
    expect(filesFor("x.py", jig, "win32", false).map((file) => file.file)).toEqual(["x.py.cmd"]);
    expect(filesFor("x.js", jig, "win32", true).map((file) => file.file)).toEqual(["x.js.cmd", "x.js"]);
    const cmd = commandScript("x.py", jig);
    expect(cmd.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(cmd).toContain(`@"${jig}" --as x.py %*\r\n`);
    for (const script of [shellScript("x", jig), pythonScript("x", jig), nodeScript("x", jig)]) {
      expect(script).not.toContain("\r");
      expect(script.split("\n").slice(0, 3).join("\n")).toContain("jig-link 1 x");
    }
    expect(shellScript("x", jig)).toContain(`exec '${jig}' --as x "$@"`);
    expect(pythonScript("x", jig)).toContain('JIG = "C:\\\\Program Files\\\\jig\\\\jig.exe"');
    expect(() => filesFor("x.py", "C:\\50%\\jig.exe", "win32", false)).toThrow(/must be ASCII without %/);
    expect(() => filesFor("x.py", "C:\\jöb\\jig.exe", "win32", false)).toThrow(/must be ASCII/);
  });

  test("a Python path outside ASCII arrives whole", () => {
    expect(pythonScript("x", '/ü/😀/"q"')).toContain('JIG = "/\\U000000fc/\\U0001f600/\\"q\\""');
  });

  test("uses the PATH entry that leads to this binary, so that an upgrade keeps the links", async () => {
    const bin = tempDir();
    symlinkSync(JIG, join(bin, "jig"));
    const directory = tempDir();
    await link([directory, "cafleet"], { env: { PATH: `${bin}:${process.env["PATH"]}` } });
    expect(readlinkSync(join(directory, "cafleet"))).toBe(join(bin, "jig"));
  });

  test.skipIf(!canTrace)(
    "killed anywhere in --force, the same call finishes, and --remove gives every file back",
    { timeout: 60_000 },
    async () => {
      const names = ["cafleet", "elevation-dispatch.sh"];
      const prepare = () => {
        const directory = tempDir();
        for (const name of names) writeFileSync(join(directory, name), `my ${name}`);
        return directory;
      };
      const words = (directory: string) => [JIG, "link", "--force", directory, ...names];
      const model = prepare();
      const calls = callsTouching(model, words(model)).filter(({ name }) => /rename|link/.test(name));
      expect(calls.length).toBeGreaterThanOrEqual(3);
      for (const call of calls) {
        const directory = prepare();
        expect([call, killedAt(call, words(directory))]).toEqual([call, true]);
        const again = await link(["--force", directory, ...names]);
        expect([call, again.code, again.stderr]).toEqual([call, 0, ""]);
        expect([call, readdirSync(directory).sort()]).toEqual([
          call,
          names.flatMap((name) => [name, `${name}.jig-backup`]).sort(),
        ]);
        expect((await link(["--remove", directory])).code).toBe(0);
        expect([call, snapshot(directory)]).toEqual([call, names.map((name) => [name, `my ${name}`])]);
      }
      const half = prepare();
      const backUp = calls.findIndex(({ name }) => name.startsWith("link"));
      killedAt(calls[backUp + 1]!, words(half));
      expect((await link(["--remove", half])).code).toBe(0);
      expect(snapshot(half)).toEqual(names.map((name) => [name, `my ${name}`]));
    },
  );

  test("says why a file is kept although it was to be replaced, and what is no directory", async () => {
    const directory = tempDir();
    mkdirSync(join(directory, "packs-resolve.py"));
    writeFileSync(join(directory, "cafleet"), "second");
    writeFileSync(join(directory, "cafleet.jig-backup"), "first");
    const { stderr } = await link([directory, "cafleet", "packs-resolve.py", "--force"]);
    expect(stderr).toContain("packs-resolve.py is a directory");
    expect(stderr).toContain("cafleet.jig-backup is there already");
    const file = await link([join(directory, "cafleet")]);
    expect([file.code, file.stderr]).toEqual([1, expect.stringContaining("cafleet is not a directory")]);
    const empty = await link([""], { cwd: tempDir() });
    expect([empty.code, empty.stdout]).toEqual([2, ""]);
  });

  test.runIf(process.platform !== "win32")(
    "a file that cannot be read is not ours: kept, and the others are made",
    async () => {
      const directory = join(tempDir(), "bin");
      mkdirSync(directory, { mode: 0o777 });
      chmodSync(join(directory, ".."), 0o755);
      chmodSync(directory, 0o777);
      writeFileSync(join(directory, "packs-resolve.py"), "x", { mode: 0 });
      const run = await runUnprivileged(["link", directory]);
      expect(run.stdout.match(/^\w+/gm)).toEqual(
        NAMES.map((name) => (name === "packs-resolve.py" ? "kept" : "created")),
      );
      expect(run.code).toBe(1);
    },
  );

  test("a dangling link of ours is renewed, a foreign link is kept", async () => {
    const directory = tempDir();
    symlinkSync("/nowhere/jig-1.2", join(directory, "cafleet"));
    symlinkSync("/nowhere/other", join(directory, "packs-resolve.py"));
    const { actions } = await link([directory, "cafleet", "packs-resolve.py"]);
    expect(actions).toEqual(["updated", "kept"]);
    expect(readlinkSync(join(directory, "packs-resolve.py"))).toBe("/nowhere/other");
  });
});
