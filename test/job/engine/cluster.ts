/** A real Slurm for a test file: one controller and two nodes on this machine (docs/spec/engines.md section 6). */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { readProcess } from "../../../src/kernel/process/linux.ts";
import { testEnv, until } from "../../support/run.ts";
import { makeTempDir, removeDir } from "../../support/temp.ts";

const PROGRAMS = ["/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "/usr/bin/sbatch"];

/** Whether a cluster can be started: Debian's packages are there, and we are root, as its daemons want to be. */
const canRunSlurm: boolean =
  process.platform === "linux" && process.geteuid?.() === 0 && PROGRAMS.every((path) => existsSync(path));

/** Tests that need a real Slurm; skipped by name where there is none. */
export const withSlurm = describe.skipIf(!canRunSlurm);

/** Whether Slurm may keep its jobs in control groups, so that it finds every process of one. */
export const hasGroups: boolean = mayWrite("/sys/fs/cgroup/freezer");

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Cluster {
  directory: string;
  /** For jig and Slurm's programs. */
  env: Record<string, string>;
  /** Names of the two nodes. */
  n1: string;
  n2: string;
  run(words: readonly string[]): { code: number | null; stdout: string; stderr: string };
  /** Start a node's daemon, in a mount namespace of its own where `hidden` is empty if that is given. */
  startNode(name: string, hidden?: string): Promise<void>;
  /** Kill a node's daemon and, with `steps`, what it has started for jobs. */
  killNode(name: string, options: { steps: boolean }): Promise<void>;
  startController(): Promise<void>;
  killController(): Promise<void>;
  signalController(signal: NodeJS.Signals): void;
  /** Take all slots of both nodes until the end of the test. */
  fill(): Promise<void>;
  /** What Slurm lists, whatever the state; undefined when it does not answer, which on a busy machine proves nothing. */
  listed(): { number: string; name: string; state: string }[] | undefined;
  /** Wait until a job of this number or name has left Slurm's memory. */
  forgotten(numberOrName: string): Promise<void>;
  end(): Promise<void>;
}

/** Start one; the caller ends it. `settings` are more lines of slurm.conf, `without` the daemons not to start. */
export async function startCluster(settings: readonly string[] = []): Promise<Cluster> {
  const directory = makeTempDir("jig-slurm-");
  const [n1, n2] = [`n1x${randomName()}`, `n2x${randomName()}`];
  const env = { SLURM_CONF: join(directory, "slurm.conf") };
  const daemons = new Map<string, ChildProcess>();
  const [port, port1, port2] = await freePorts(3);
  for (const name of ["state", `spool-${n1}`, `spool-${n2}`, "munge"]) mkdirSync(join(directory, name));
  writeFileSync(join(directory, "munge/key"), crypto.getRandomValues(new Uint8Array(1024)), { mode: 0o600 });
  const lines = [
    "ClusterName=jig",
    `SlurmctldHost=${hostname().split(".")[0]}(127.0.0.1)`,
    `SlurmctldPort=${port}`,
    "SlurmUser=root",
    `AuthInfo=socket=${directory}/munge/socket`,
    `StateSaveLocation=${directory}/state`,
    `SlurmdSpoolDir=${directory}/spool-%n`,
    `SlurmctldPidFile=${directory}/slurmctld.pid`,
    `SlurmdPidFile=${directory}/slurmd-%n.pid`,
    `ProctrackType=${hasGroups ? "proctrack/cgroup" : "proctrack/linuxproc"}`,
    "TaskPlugin=task/none",
    "SelectType=select/cons_tres",
    "SelectTypeParameters=CR_CPU",
    "ReturnToService=2",
    "MinJobAge=5",
    "KillWait=5",
    "SlurmdTimeout=30",
    "SwitchType=switch/none",
    "MpiDefault=none",
    "SchedulerParameters=sched_interval=1,bf_interval=1",
    `NodeName=${n1} NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=2 Port=${port1}`,
    `NodeName=${n2} NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=2 Port=${port2}`,
    `PartitionName=main Nodes=${n1},${n2} Default=YES MaxTime=INFINITE State=UP`,
    ...settings,
  ];
  let numbersFrom = 1;
  const configure = () =>
    writeFileSync(env.SLURM_CONF, `${[...lines, `FirstJobId=${numbersFrom}`].join("\n")}\n`);
  configure();
  writeFileSync(join(directory, "cgroup.conf"), "CgroupPlugin=cgroup/v1\n");

  const daemon = (name: string, program: string, words: readonly string[]) => {
    const child = spawn(program, words, { env: testEnv(env), stdio: "ignore", cwd: directory });
    daemons.set(name, child);
  };
  const run: Cluster["run"] = ([program, ...words]) => {
    const done = spawnSync(program!, words, { env: testEnv(env), encoding: "utf8", timeout: 30_000 });
    return { code: done.status, stdout: done.stdout, stderr: done.stderr };
  };
  const munge = (name: string) => join(directory, "munge", name);
  daemon("munged", "/usr/sbin/munged", [
    ...["-F", "--force", "--num-threads=2", `--key-file=${munge("key")}`, `--socket=${munge("socket")}`],
    ...[`--pid-file=${munge("pid")}`, `--log-file=${munge("log")}`, `--seed-file=${munge("seed")}`],
  ]);
  await until("munged", () => existsSync(munge("socket")));
  const isUp = (node: string) =>
    /^(idle|mixed|allocated)/.test(run(["sinfo", "-h", "-N", "-n", node, "-o", "%T"]).stdout);
  const kill = async (name: string) => {
    const child = daemons.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  };

  const cluster: Cluster = {
    directory,
    env,
    n1,
    n2,
    run,
    async startNode(name, hidden) {
      await kill(name);
      const words = ["-D", "-N", name];
      const hide = 'mount -t tmpfs none "$0" && exec /usr/sbin/slurmd "$@"';
      if (hidden === undefined) daemon(name, "/usr/sbin/slurmd", words);
      else daemon(name, "unshare", ["-m", "sh", "-c", hide, hidden, ...words]);
      await until(`node ${name}`, () => isUp(name));
    },
    async killNode(name, { steps }) {
      await kill(name);
      if (steps) for (const pid of stepsOf(name)) process.kill(pid, "SIGKILL");
    },
    async startController() {
      daemon("slurmctld", "/usr/sbin/slurmctld", [
        "-D",
        ...(existsSync(join(directory, "slurmctld.pid")) ? [] : ["-c"]),
      ]);
      await until("the controller", () => run(["sinfo", "-h"]).code === 0);
    },
    async killController() {
      await kill("slurmctld");
      // It has forgotten its last seconds and would give their numbers out once more; a node that remembers one takes the
      // new job for a second copy of the old, refuses it and is drained.
      numbersFrom += 1_000;
      configure();
    },
    signalController: (signal) => void daemons.get("slurmctld")!.kill(signal),
    async fill() {
      for (let slot = 0; slot < 4; slot++)
        run(["sbatch", "-J", "filler", "-o", "/dev/null", "--wrap", "sleep 300"]);
      onTestFinished(() => void run(["scancel", "--name=filler"]));
      await until(
        "the nodes to be full",
        () => run(["sinfo", "-h", "-o", "%T"]).stdout.trim() === "allocated",
      );
    },
    listed() {
      const { code, stdout } = run(["squeue", "-h", "--states=all", "-o", "%i|%j|%T"]);
      if (code !== 0) return undefined;
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split("|"))
        .map(([number, name, state]) => ({ number: number!, name: name!, state: state! }));
    },
    async forgotten(numberOrName) {
      const isIt = (listed: { number: string; name: string }) =>
        listed.number === numberOrName || listed.name === numberOrName;
      // Its memory is emptied once a minute at most.
      await until("Slurm to forget it", () => cluster.listed()?.some(isIt) === false, 90_000);
    },
    async end() {
      if (daemons.get("slurmctld")?.exitCode === null) run(["scancel", "-u", "root"]);
      for (const name of daemons.keys()) await kill(name);
      for (const pid of ofCluster(env.SLURM_CONF)) kill9(pid);
      await until("the cluster's processes to be gone", () => {
        const left = ofCluster(env.SLURM_CONF);
        for (const pid of left) kill9(pid);
        return left.length === 0;
      });
      for (const name of [n1, n2]) removeGroups(`/sys/fs/cgroup/freezer/slurm_${name}`);
      removeDir(directory);
    },
  };

  function stepsOf(node: string): number[] {
    return ofCluster(env.SLURM_CONF).filter((pid) => {
      const words = wordsOf(pid);
      return /^slurmstepd: /.test(words) && readSpool(pid).includes(`spool-${node}`);
    });
  }

  await cluster.startController();
  await Promise.all([cluster.startNode(n1), cluster.startNode(n2)]);
  return cluster;
}

function randomName(): string {
  return Math.random().toString(36).slice(2, 7);
}

function kill9(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Living processes that were started with this configuration: daemons and what they started. */
function ofCluster(conf: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && readProcess(pid)?.zombie === false)
    .filter((pid) => environmentOf(pid).includes(`SLURM_CONF=${conf}`));
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** Where a step's daemon has its socket: below the spool directory of its node. */
function readSpool(pid: number): string {
  return spawnSync("ls", ["-l", `/proc/${pid}/fd`, `/proc/${pid}/cwd`], { encoding: "utf8" }).stdout;
}

/** The control groups of a node go from the leaves up. */
function removeGroups(path: string): void {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeGroups(join(path, entry.name));
  }
  try {
    rmdirSync(path);
  } catch {
    // A process is on its way out of it.
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ports.push((server.address() as { port: number }).port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
