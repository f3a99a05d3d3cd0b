import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { JIG, NODE } from "../support/paths.ts";
import { runJig, startJig, testEnv } from "../support/run.ts";
import { canTrace } from "../support/strace.ts";
import { tempDir } from "../support/temp.ts";
import {
  alive,
  authed,
  call,
  infoOf,
  type Server,
  serversOf,
  startServer,
  UUID,
  until,
  web,
  webRoot,
} from "./support.ts";

const stoppedAt = (root: string, reason?: string) =>
  `${JSON.stringify({ status: "stopped", root, ...(reason === undefined ? {} : { session_end_reason: reason }) })}\n`;

async function statusOf(root: string) {
  const ran = await web(["status", "--root", root]);
  expect(ran.code).toBe(0);
  return JSON.parse(ran.stdout) as Server;
}

/** A process that only lives. */
function bystander() {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("words", () => {
  test("web-1 what does not fit is refused in upstream's words, and nothing is made", async () => {
    const root = join(tempDir(), "r");
    const cases: [string[], number, string][] = [
      [["start"], 1, "--root is required"],
      [["start", "--root", ""], 1, "--root is required"],
      [["stop", "--root="], 1, "--root is required"],
      [["wait"], 2, "--root is required"],
      // In the order of docs/spec/web.md 2.2, not of the words.
      [["start", "--port", "x"], 1, "--root is required"],
      [["start", "--port", "x", "--root="], 1, "--root is required"],
      [
        ["start", "--owner-pid", "1", "--port", "x", "--root", root],
        1,
        "--port must be an integer from 0 to 65535",
      ],
      [["start", "--port", "x", "--root", root, "stray"], 1, "Unknown argument: stray"],
      [
        ["start", "--root", root, "--owner-pid", "none ", "--host="],
        1,
        "--owner-pid must be an integer greater than 1",
      ],
      [["wait", "--nope"], 2, "Unknown argument: --nope"],
      [["start", "--raot", "x"], 1, "did you mean --root?"],
      [["status", "--root", root, "stray"], 1, "Unknown argument: stray"],
      [["stop", "--root", root, "--timeout", "1"], 1, "Unknown argument: --timeout"],
      ...["70000", "", "0x50", "1e3", "-1", "8.5"].map((port): [string[], number, string] => [
        ["start", "--root", root, `--port=${port}`],
        1,
        "--port must be an integer from 0 to 65535",
      ]),
      [["start", "--root", root, "--port"], 1, "--port must be an integer from 0 to 65535"],
      [["wait", "--root", root, "--port", "x"], 2, "--port must be an integer from 0 to 65535"],
      [["start", "--root", root, "--owner-pid", "1"], 1, "--owner-pid must be an integer greater than 1"],
      [["start", "--root", root, "--host="], 1, "--host requires a value"],
      [["start", "--root", root, "--allow-host="], 1, "--allow-host requires a value"],
      [["start", "--root", root, "--auth", "all"], 1, "--auth must be auto, open or link"],
      [["start", "--root", root, "--public-url", "ftp://x"], 1, "--public-url must be an http or https URL"],
      [["wait", "--root", root, "--timeout", "0"], 2, "--timeout must be a positive number"],
      [["wait", "--root", root, "--reply", ""], 2, "--reply must be 1 to 2000 characters"],
      [
        ["annotations", "--root", root, "--state", "new"],
        1,
        "--state must list held, queued, working or done",
      ],
    ];
    const runs = await Promise.all(cases.map(([words]) => web(words)));
    for (const [index, run] of runs.entries()) {
      const [words, code, message] = cases[index]!;
      expect([words, run.code, run.stdout]).toEqual([words, code, ""]);
      expect(run.stderr).toContain(message);
    }
    expect(existsSync(root)).toBe(false);
  });

  test("no command or an unknown one: usage, one line for each", async () => {
    for (const words of [[], ["frob"], ["--root", "x"]]) {
      const run = await web(words);
      expect([run.code, run.stdout]).toEqual([1, ""]);
      expect(run.stderr).toMatch(/^Usage:\n( {2}jig web \w+ --root DIR.*\n){7}$/);
    }
    const mistyped = await web(["wiat", "--root", "x"]);
    expect(mistyped.stderr).toMatch(/^Usage:\n( {2}.*\n){7}Did you mean wait\?\n$/);
    expect(mistyped.code).toBe(1);
  });

  test("help on stdout, and every command of the usage has it", async () => {
    for (const verb of ["start", "serve", "stop", "status", "wait", "annotations"]) {
      const run = await web([verb, "--help"]);
      expect([run.code, run.stderr]).toEqual([0, ""]);
      expect(run.stdout).toContain(`jig web ${verb}`);
    }
  });
});

describe("start, status, stop", () => {
  test("web-2 starts once, and says so again", async () => {
    const root = webRoot();
    const first = await web(["start", "--root", root]);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toMatch(/^\{.*\}\n$/);
    const info = JSON.parse(first.stdout) as Server;
    expect(info).toMatchObject({
      status: "started",
      root,
      host: "127.0.0.1",
      screen_dir: join(root, "screens"),
    });
    expect(info.url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(info).not.toHaveProperty("token");
    expect(Object.keys(info).slice(0, 9)).toEqual(
      "status root host port url screen_dir state_dir pid owner_pid".split(" "),
    );
    expect(readFileSync(join(root, "state/server.pid"), "utf8")).toBe(`${info.pid}\n`);
    const file = join(root, "state/display-info.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, "state")).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify({ ...info, status: "running" }, null, 2)}\n`);
    const second = JSON.parse((await web(["start", "--root", root])).stdout) as Server;
    expect(second).toEqual({ ...info, status: "running" });
    expect(await statusOf(root)).toEqual(second);
    const differing = await web(
      "start --host 127.0.0.2 --owner-pid none --auth link --root".split(" ").concat(root),
    );
    expect(differing.stderr).toMatch(/another --host, --owner-pid, --auth/);
    const same = ["start", "--root", root, "--owner-pid", String(info.owner_pid)];
    expect((await web(same)).stderr).toBe("");
    expect(JSON.parse(differing.stdout).pid).toBe(info.pid);
  });

  test("web-3 the other mode replaces the server", async () => {
    const root = webRoot();
    const plain = await startServer(root);
    const annotate = await startServer(root, ["--annotate"]);
    expect(annotate.status).toBe("started");
    expect(annotate.pid).not.toBe(plain.pid);
    expect(annotate.token).toMatch(UUID);
    expect(annotate.annotate).toBe(true);
    expect(annotate.authorize_url).toBe(`${annotate.url}/__ce-annotate/authorize?token=${annotate.token}`);
    await expect(call(plain, "/version")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(readFileSync(join(root, "state/server.log"), "utf8")).not.toContain(annotate.token);
    const again = await startServer(root);
    expect(again.status).toBe("started");
    expect(again).not.toHaveProperty("token");
  });

  test("web-4 an ended session is shown until a start replaces it", async () => {
    const root = webRoot();
    const first = await startServer(root, ["--annotate"]);
    await authed(first, "/session/end", { method: "POST" });
    const status = await statusOf(root);
    expect(status).toMatchObject({
      status: "running",
      session_ended: true,
      session_end_reason: "user-ended",
      pid: first.pid,
    });
    expect(Object.keys(status).slice(9, 14).join()).toBe(
      "token,annotate,session_ended,session_end_reason,authorize_url",
    );
    const second = await startServer(root, ["--annotate"]);
    expect(second.status).toBe("started");
    expect(second.pid).not.toBe(first.pid);
    expect(second.token).not.toBe(first.token);
    expect(second).not.toHaveProperty("session_ended");
  });

  test("web-5 another process behind the pid file is left alone", async () => {
    const root = webRoot();
    mkdirSync(join(root, "state"));
    const other = bystander();
    for (const pid of [process.pid, other.pid]) {
      writeFileSync(join(root, "state/server.pid"), `${pid}\n`);
      writeFileSync(join(root, "state/display-info.json"), "{}");
      expect((await web(["status", "--root", root])).stdout).toBe(stoppedAt(root));
      const stop = await web(["stop", "--root", root]);
      expect([stop.code, stop.stdout]).toEqual([0, stoppedAt(root)]);
      expect(existsSync(join(root, "state/server.pid"))).toBe(false);
    }
    expect(other.exitCode ?? other.signalCode).toBeNull();
  });

  test("web-6 a root whose path begins like another's is not that one", async () => {
    const parent = webRoot();
    const [a, ab] = [join(parent, "a"), join(parent, "ab")];
    const first = await startServer(a);
    const second = await startServer(ab);
    onTestFinished(() => {
      for (const { pid } of [first, second]) if (alive(pid)) process.kill(pid, "SIGKILL");
    });
    writeFileSync(join(a, "state/server.pid"), `${second.pid}\n`);
    expect((await web(["stop", "--root", a])).code).toBe(0);
    expect(alive(second.pid)).toBe(true);
    expect((await call(second, "/version")).status).toBe(200);
    expect((await web(["stop", "--root", ab])).code).toBe(0);
    expect(alive(second.pid)).toBe(false);
  });

  test("web-7 two starts at once end with one server", async () => {
    const root = webRoot();
    const both = await Promise.all([web(["start", "--root", root]), web(["start", "--root", root])]);
    expect(both.map((run) => run.code)).toEqual([0, 0]);
    const infos = both.map((run) => JSON.parse(run.stdout) as Server);
    expect(infos[0]!.pid).toBe(infos[1]!.pid);
    expect(infos.map((info) => info.status).toSorted()).toEqual(["running", "started"]);
    expect(serversOf(root)).toHaveLength(1);
  });

  test("web-8 a port that is taken: the log is named with the cause, and no process stays", async () => {
    const root = webRoot();
    const taken = net.createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await until("the port", () => taken.address());
    const { port } = taken.address() as net.AddressInfo;
    const run = await web(["start", "--root", root, "--port", String(port)]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain(`Server failed to start. See ${root}/state/server.log`);
    expect(run.stderr).toContain(`: port ${port} on 127.0.0.1 is already in use`);
    expect(serversOf(root)).toEqual([]);
    const unbindable = await web(["serve", "--root", root, "--host", "203.0.113.9"]);
    expect([unbindable.code, unbindable.stdout]).toEqual([1, ""]);
    expect(unbindable.stderr).toMatch(/^jig web: cannot bind 203\.0\.113\.9: .+\n/);
  });

  test("web-9 in the foreground: one line, until it is stopped from elsewhere", async () => {
    const root = webRoot();
    const child = startJig(["web", "start", "--foreground", "--root", root]);
    let out = "";
    child.stdout!.on("data", (chunk) => {
      out += chunk;
    });
    await until("the line", () => out.includes("\n"));
    const info = JSON.parse(out) as Server;
    expect(info).toMatchObject({ status: "running", pid: child.pid });
    const exit = new Promise((resolve) => child.once("exit", resolve));
    expect((await web(["stop", "--root", root])).stdout).toBe(stoppedAt(root));
    expect(await exit).toBe(0);
    expect(out).toBe(`${JSON.stringify(info)}\n`);
    expect(existsSync(join(root, "state/server.pid"))).toBe(false);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("serve ends with 0 after %s", async (signal) => {
    const root = webRoot();
    const child = startJig(["web", "serve", "--root", root]);
    await until("the line", () => new Promise((resolve) => child.stdout!.once("data", resolve)));
    const exit = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    child.kill(signal);
    expect(await exit).toBe(0);
    expect(infoOf(root)).toMatchObject({ session_ended: true, session_end_reason: "stopped" });
  });

  test("web-10 the owner's end is the server's", async () => {
    const root = webRoot();
    const owner = bystander();
    const server = await startServer(root, ["--annotate", "--owner-pid", String(owner.pid)], {
      env: { CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "50" },
    });
    expect(server.owner_pid).toBe(owner.pid);
    owner.kill("SIGKILL");
    await until("the end", async () => (await statusOf(root)).status === "stopped");
    expect((await web(["status", "--root", root])).stdout).toBe(stoppedAt(root, "owner-exited"));
    const wait = await web(["wait", "--root", root]);
    expect([wait.code, wait.stdout]).toEqual([1, '{"status":"session-ended","reason":"owner-exited"}\n']);
  });

  test("web-11 nothing to wait for", async () => {
    const root = webRoot();
    const none = await web(["wait", "--root", root]);
    expect([none.code, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toContain("Server is not running");
    expect(readdirSync(root)).toEqual([]);
    await startServer(root);
    const plain = await web(["wait", "--root", root]);
    expect([plain.code, plain.stdout]).toEqual([2, ""]);
    expect(plain.stderr).toContain("Annotation is not enabled for this server");
  });

  test("web-45 a relative root, and a start stamp that decides", async () => {
    const dir = webRoot();
    const child = startJig(["web", "start", "--foreground", "--root", "r"], { cwd: dir });
    onTestFinished(() => void child.kill("SIGKILL"));
    await until("the line", () => new Promise((resolve) => child.stdout!.once("data", resolve)));
    const root = join(dir, "r");
    expect(await statusOf(root)).toMatchObject({ status: "running", pid: child.pid });
    const file = join(root, "state/display-info.json");
    const { pid_start, ...without } = infoOf(root);
    expect(pid_start).toBeTypeOf("string");
    writeFileSync(file, JSON.stringify({ ...without, pid_start: "another" }));
    expect(await statusOf(root)).toMatchObject({ status: "stopped" });
    await web(["stop", "--root", root]);
    expect(child.exitCode).toBeNull();
    writeFileSync(join(root, "state/server.pid"), `${child.pid}\n`);
    writeFileSync(file, JSON.stringify(without));
    expect(await statusOf(root)).toMatchObject({ status: "running", pid: child.pid });
    const exit = new Promise((resolve) => child.once("exit", resolve));
    expect((await web(["stop", "--root", root])).code).toBe(0);
    expect(await exit).toBe(0);
  });

  test("a server about to end for lack of its owner is not handed out again", async () => {
    const root = webRoot();
    const owner = bystander();
    const first = await startServer(root, ["--owner-pid", String(owner.pid)]);
    expect((await startServer(root)).pid).toBe(first.pid);
    owner.kill("SIGKILL");
    await until("the owner to be gone", () => !alive(owner.pid!));
    const second = await startServer(root);
    expect(second).toMatchObject({ status: "started", owner_pid: null });
    expect(second.pid).not.toBe(first.pid);
    expect(serversOf(root)).toHaveLength(1);
  });

  test("web-46 an owner that is gone is not watched, and a launcher is not an owner", async () => {
    const ended = spawnSync("true").pid;
    const root = webRoot();
    const fast = { env: { CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "50" } };
    const server = await startServer(root, ["--owner-pid", String(ended)], fast);
    expect(server.owner_pid).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await statusOf(root)).toMatchObject({ status: "running", pid: server.pid, owner_pid: null });
    await web(["stop", "--root", root]);
    expect((await startServer(root, ["--owner-pid", "none"], fast)).owner_pid).toBeNull();
    await web(["stop", "--root", root]);
    const links = tempDir();
    expect(spawnSync(JIG, ["link", links, "--launchers"], { env: testEnv() }).status).toBe(0);
    const script = `'${NODE}' '${links}/light-webserver.js' start --root '${root}'; true`;
    const printed = execFileSync("sh", ["-c", script], { encoding: "utf8", env: testEnv(fast.env) });
    expect(JSON.parse(printed)).toMatchObject({ status: "started", owner_pid: process.pid });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await statusOf(root)).toMatchObject({ status: "running" });
  });

  test("web-47 serve beside a running server, and a root that is a file", async () => {
    const root = webRoot();
    const server = await startServer(root);
    const serve = await web(["serve", "--root", root]);
    expect([serve.code, serve.stdout]).toEqual([1, ""]);
    expect(serve.stderr).toContain(`already running (pid ${server.pid})`);
    expect(readFileSync(join(root, "state/server.pid"), "utf8")).toBe(`${server.pid}\n`);
    const file = join(tempDir(), "f");
    writeFileSync(file, "text");
    const start = await web(["start", "--root", file]);
    expect([start.code, start.stdout]).toEqual([1, ""]);
    expect(start.stderr).toMatch(/^jig web: cannot create .*\/f.*: \S/);
    expect(readFileSync(file, "utf8")).toBe("text");
  });

  test("web-48 how it ended is told, a crash has no reason", async () => {
    const root = webRoot();
    await startServer(root, ["--annotate"], {
      env: { CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "50", CE_LIGHT_WEB_IDLE_TIMEOUT_MS: "200" },
    });
    await until("the idle end", async () => (await statusOf(root)).status === "stopped");
    expect((await web(["status", "--root", root])).stdout).toBe(stoppedAt(root, "idle"));
    const wait = await web(["wait", "--root", root]);
    expect([wait.code, wait.stdout]).toEqual([1, '{"status":"session-ended","reason":"idle"}\n']);
    const { pid } = await startServer(root, ["--annotate"]);
    process.kill(pid, "SIGKILL");
    await until("its end", async () => (await statusOf(root)).status === "stopped");
    expect((await web(["status", "--root", root])).stdout).toBe(stoppedAt(root));
    expect((await web(["wait", "--root", root])).code).toBe(2);
  });

  test("a server that does not stop by itself is killed, and its end recorded", async () => {
    const root = webRoot();
    const { pid } = await startServer(root, ["--annotate"]);
    process.kill(pid, "SIGSTOP");
    const stop = await web(["stop", "--root", root]);
    expect([stop.code, stop.stdout]).toEqual([0, stoppedAt(root)]);
    expect(alive(pid)).toBe(false);
    expect((await web(["wait", "--root", root])).stdout).toBe(
      '{"status":"session-ended","reason":"stopped"}\n',
    );
  });

  test("an owned server whose info file is unreadable is replaced, not orphaned", async () => {
    const root = webRoot();
    const first = await startServer(root);
    writeFileSync(join(root, "state/display-info.json"), "{");
    expect((await web(["wait", "--root", root])).stderr).toContain("missing or unreadable");
    const second = await startServer(root);
    expect(second.status).toBe("started");
    expect(alive(first.pid)).toBe(false);
  });

  test("a state directory that is a symlink is refused", async () => {
    const root = webRoot();
    mkdirSync(join(root, "elsewhere"));
    symlinkSync("elsewhere", join(root, "state"));
    const run = await web(["start", "--root", root]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`unsafe state directory (is a symlink): ${root}/state`);
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  test("stop and status make nothing", async () => {
    const root = join(tempDir(), "none");
    expect((await web(["stop", "--root", root])).stdout).toBe(stoppedAt(root));
    expect((await web(["status", "--root", root])).stdout).toBe(stoppedAt(root));
    expect((await web(["annotations", "--root", root])).stdout).toBe("[]\n");
    expect(existsSync(root)).toBe(false);
  });

  test.runIf(process.platform === "linux")(
    "a full standard output is said once, and where the server is",
    async () => {
      const root = webRoot();
      const full = (...words: string[]) =>
        runJig(["-c", 'exec "$@" > /dev/full', "sh", JIG, "web", ...words, "--root", root], {
          program: "/bin/sh",
        });
      const reason = "jig web: cannot write to standard output: no space left on device\n";
      for (const again of [false, true]) {
        const start = await full("start", "--annotate", "--owner-pid", "none");
        const info = infoOf(root);
        expect([again, start.code, start.stderr]).toEqual([
          again,
          1,
          `${reason}hint: the server runs at ${info.url}; jig web status --root ${root} says more\n`,
        ]);
      }
      const wait = await full("wait", "--timeout", "0.1");
      expect([wait.code, wait.stderr]).toEqual([2, reason]);
      await web(["stop", "--root", root]);
      const ended = await full("wait");
      expect([ended.code, ended.stderr]).toEqual([2, reason]);
    },
  );

  test.runIf(canTrace)("a socket that the system refuses: why, and what to do", async () => {
    for (const [error, says, hint, env = {}] of [
      ["EPERM", "operation not permitted", "a sandbox around this call forbids servers: start it outside"],
      [
        "EPERM",
        "operation not permitted",
        "Codex's sandbox (CODEX_SANDBOX_NETWORK_DISABLED) forbids servers: start it outside, or run Codex with " +
          "-c sandbox_workspace_write.network_access=true\n",
        { CODEX_CI: "1", CODEX_SANDBOX_NETWORK_DISABLED: "1" },
      ],
      [
        "EPERM",
        "operation not permitted",
        "a sandbox around this call, most likely Claude Code's, forbids servers: start it outside",
        { CLAUDECODE: "1" },
      ],
      ["EACCES", "permission denied", "a sandbox or a security policy forbids servers here"],
      ["EADDRNOTAVAIL", "address not available", "no interface of this machine has that address"],
    ] as readonly (readonly [string, string, string, Record<string, string>?])[]) {
      const root = webRoot();
      const inject = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=bind", "-e", `inject=bind:error=${error}`];
      const words = [...inject, JIG, "web", "start", "--root", root, "--owner-pid", "none"];
      const run = await runJig(words, { program: "strace", timeout: 60_000, env });
      expect([error, run.code, run.stdout]).toEqual([error, 1, ""]);
      expect(run.stderr).toContain(
        `Server failed to start. See ${root}/state/server.log: cannot bind 127.0.0.1: ${says}`,
      );
      expect(run.stderr).toContain(`\nhint: ${hint}`);
    }
  });
});
