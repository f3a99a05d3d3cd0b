/** An OpenSSH server of a test's own on loopback, with keys of its own (docs/spec/engines.md section 6). */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { readProcess } from "../../../src/kernel/process/linux.ts";
import { JIG } from "../../support/paths.ts";
import { testEnv, until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const SSHD = "/usr/sbin/sshd";

/** Whether a server can be started: it wants to be root, and its client is there. */
export const canRunSshd: boolean =
  process.platform === "linux" &&
  process.geteuid?.() === 0 &&
  existsSync(SSHD) &&
  spawnSync("ssh", ["-V"]).status === 0;

/** Tests that need a real ssh server; skipped by name where there is none. */
export const withSshd = describe.skipIf(!canRunSshd);

export interface Sshd {
  directory: string;
  /** The remote machine's own jobs root. */
  root: string;
  /** Its home directory, for what is found by `~`. */
  home: string;
  /** `--engine-arg`: a configuration in which the destination is `box`. */
  arg: string;
  start(): Promise<void>;
  /** Stop it and every connection. */
  stop(): Promise<void>;
  /** Connections made so far. */
  connections(): number;
  /** Lines for the remote side's environment. */
  env: Record<string, string>;
  /** Give it another host key. */
  changeKey(): void;
}

export interface SshdOptions {
  /** A directory with `jig` in it on the remote `PATH`; without it there is none. */
  jig?: boolean;
  /** What runs instead of the login shell: the command is in `SSH_ORIGINAL_COMMAND`. */
  shell?: string;
}

/** Start one for this test. */
export async function sshd({ jig = true, shell }: SshdOptions = {}): Promise<Sshd> {
  const directory = tempDir("jig-sshd-");
  const file = (name: string) => join(directory, name);
  const [root, home, bin] = [file("remote-root"), file("home"), file("bin")];
  for (const path of [home, bin]) mkdirSync(path);
  if (jig) symlinkSync(JIG, join(bin, "jig"));
  // Debian's service makes it when it starts; the server wants it for its unprivileged half.
  if (!existsSync("/run/sshd")) mkdirSync("/run/sshd", { mode: 0o755 });
  const keygen = (name: string) =>
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file(name)], { input: "y\n" });
  keygen("host-key");
  keygen("user-key");
  const port = await freePort();
  const env: Record<string, string> = { CE_PEER_JOBS_ROOT: root, PATH: `${bin}:/usr/bin:/bin`, HOME: home };
  const write = () => {
    const force = shell === undefined ? [] : [`ForceCommand ${shell}`];
    const set = Object.entries(env).map(([name, value]) => `"${name}=${value}"`);
    const lines = [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${file("host-key")}`,
      `AuthorizedKeysFile ${file("user-key.pub")}`,
      `PidFile ${file("sshd.pid")}`,
      "StrictModes no",
      "UsePAM no",
      "PermitRootLogin yes",
      "PasswordAuthentication no",
      "MaxStartups 100",
      "LogLevel VERBOSE",
      `SetEnv ${set.join(" ")}`,
      ...force,
    ];
    writeFileSync(file("sshd.conf"), `${lines.join("\n")}\n`);
  };
  const known = () => {
    const [type, key] = readFileSync(file("host-key.pub"), "utf8").split(" ");
    writeFileSync(file("known"), `[127.0.0.1]:${port} ${type} ${key}\n`);
  };
  known();
  const client = [
    "Host box",
    "  HostName 127.0.0.1",
    `  Port ${port}`,
    "  User root",
    `  IdentityFile ${file("user-key")}`,
    "  IdentitiesOnly yes",
    `  UserKnownHostsFile ${file("known")}`,
    "  GlobalKnownHostsFile /dev/null",
    "  StrictHostKeyChecking yes",
  ];
  writeFileSync(file("ssh.conf"), `${client.join("\n")}\n`);
  chmodSync(file("ssh.conf"), 0o600);

  let server: ChildProcess | undefined;
  const stop = async () => {
    const running = server;
    server = undefined;
    if (running === undefined) return;
    const children = descendants(running.pid!).filter(isSession);
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await gone;
    for (const pid of children) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended with its connection.
      }
    }
    await until("the connections to be gone", () =>
      children.every((pid) => readProcess(pid)?.zombie !== false),
    );
  };
  onTestFinished(stop);
  const start = async () => {
    write();
    rmSync(file("sshd.log"), { force: true });
    server = spawn(SSHD, ["-D", "-f", file("sshd.conf"), "-E", file("sshd.log")], {
      env: testEnv(),
      stdio: "ignore",
      cwd: directory,
    });
    await until(
      "the server",
      () => existsSync(file("sshd.log")) && /listening/.test(readFileSync(file("sshd.log"), "utf8")),
    );
  };
  await start();
  return {
    directory,
    root,
    home,
    env,
    arg: `--engine-arg=-F${file("ssh.conf")}`,
    start,
    stop,
    connections: () => readFileSync(file("sshd.log"), "utf8").match(/Accepted publickey/g)?.length ?? 0,
    changeKey() {
      keygen("host-key");
    },
  };
}

/** The server's own processes; what a session has started is a supervisor's business. */
function isSession(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sshd: ");
  } catch {
    return false;
  }
}

function descendants(pid: number): number[] {
  const out = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).stdout.trim();
  const children = out === "" ? [] : out.split("\n").map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
