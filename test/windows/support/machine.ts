/**
 * Where the Windows build is run: under Wine, with our stubs for what it lacks (../native), or on Windows itself. One
 * for a whole run of the tests, made by whichever file needs it first and ended by test/support/global-setup.ts.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, inject } from "vitest";
import { BUN, ROOT } from "../../support/paths.ts";
import { until } from "../../support/run.ts";
import { bootWine, wineEnvironment } from "./wine.ts";

const onWindows = process.platform === "win32";
const COMPILER = onWindows ? "gcc" : "x86_64-w64-mingw32-gcc";
const PROGRAMS = onWindows ? [COMPILER] : ["wine", "wineserver", COMPILER];

const canRunWindows: boolean =
  (onWindows || (process.platform === "linux" && process.arch === "x64")) &&
  PROGRAMS.every((name) => onPath(name));

function onPath(name: string): boolean {
  const [separator, ending] = onWindows ? [";", ".exe"] : [":", ""];
  return (process.env["PATH"] ?? "").split(separator).some((path) => existsSync(join(path, name + ending)));
}

/** Tests of the Windows build; skipped by name where nothing can run it (Wine and mingw: scripts/test-tools.ts). */
export const withWindows = describe.skipIf(!canRunWindows);

export interface RunOptions {
  /** Working directory, a path of this system; the machine's own directory without. */
  cwd?: string;
  /** More variables. Wine sets those of Windows itself (`LOCALAPPDATA`, `USERPROFILE`, `PATH`, `TEMP`) and ignores these. */
  env?: Readonly<Record<string, string>>;
  /** Milliseconds after which the program is killed and the call fails; 60,000 without. */
  timeout?: number;
}

export interface RunOutput {
  /** Under Wine the low 8 bits; null when it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Machine {
  /** Of its files, a path of this system; fresh, and removed at the end of the run. */
  directory: string;
  /** Drive C:, a path of this system. */
  drive: string;
  /** Windows paths of jig and of ../native/worker.c. */
  jigPath: string;
  worker: string;
  /** A fresh directory of the machine, a path of this system. */
  fresh(name: string): string;
  /** Run jig and take what it prints. */
  jig(args: readonly string[], options?: RunOptions): Promise<RunOutput>;
  /** Run any Windows program, given by its Windows path. */
  run(argv: readonly string[], options?: RunOptions): Promise<RunOutput>;
  /** Start one and leave it running; what it prints so far is read with `said`. The caller ends it. */
  start(argv: readonly string[], options?: RunOptions): Started;
}

export interface Started {
  process: ChildProcess;
  said(): { stdout: string; stderr: string };
}

/** What Windows calls a path of this system: `Z:` is `/`. */
export function windowsPath(path: string): string {
  return onWindows ? path : `Z:${path.replaceAll("/", "\\")}`;
}

/** The variable that puts a directory, a path of this system, in front of `PATH`. */
export function pathWith(directory: string): Record<string, string> {
  if (onWindows) return { PATH: `${directory};${process.env["PATH"]}` };
  return { WINEPATH: windowsPath(directory) };
}

/** The run's machine: call it in `beforeAll`. */
export async function machine(): Promise<Machine> {
  const directory = inject("windowsDirectory");
  await made(directory);
  const [drive, jigPath] = [
    onWindows ? "C:\\" : join(directory, "prefix/drive_c"),
    windowsPath(join(directory, "jig.exe")),
  ];
  const start: Machine["start"] = (argv, options = {}) => startIn(directory, argv, options);
  const run: Machine["run"] = (argv, options) => ended(argv, start(argv, options), options?.timeout);
  return {
    directory,
    drive,
    jigPath,
    worker: windowsPath(join(directory, "worker.exe")),
    fresh(name) {
      const path = join(directory, `${name}-${Math.random().toString(36).slice(2, 10)}`);
      mkdirSync(path);
      return path;
    },
    jig: (args, options) => run([jigPath, ...args], options),
    run,
    start,
  };
}

function startIn(directory: string, argv: readonly string[], options: RunOptions): Started {
  // Into files: what jig detaches keeps the caller's pipe under Wine, and its reader would wait for that, too.
  const stem = join(directory, "output", `${process.pid}-${nextOutput++}`);
  const [out, err] = [openSync(`${stem}.out`, "w"), openSync(`${stem}.err`, "w")];
  const [program, ...words] = onWindows ? argv : ["wine", ...argv];
  const child = spawn(program!, words, {
    cwd: options.cwd ?? directory,
    env: { ...environment(directory), ...options.env },
    stdio: ["ignore", out, err],
  });
  for (const descriptor of [out, err]) closeSync(descriptor);
  const said = () => ({ stdout: read(`${stem}.out`), stderr: read(`${stem}.err`) });
  return { process: child, said };
}

let nextOutput = 0;

/** A file's lines end as they do here, so that one expectation serves both. */
function read(path: string): string {
  return readFileSync(path, "utf8").replaceAll("\r\n", "\n");
}

function ended(argv: readonly string[], started: Started, limit = 60_000): Promise<RunOutput> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      started.process.kill("SIGKILL");
      const { stdout, stderr } = started.said();
      reject(new Error(`${argv.join(" ")} ran over ${limit} ms\n${stdout}\n${stderr}`));
    }, limit);
    started.process.once("error", reject);
    started.process.once("exit", (code) => {
      clearTimeout(timer);
      resolve({ code, ...started.said() });
    });
  });
}

function environment(directory: string): NodeJS.ProcessEnv {
  return onWindows ? process.env : wineEnvironment(directory);
}

/** Make the machine, or wait until another file's process has. */
async function made(directory: string): Promise<void> {
  const outcome = join(directory, "made");
  let isMaker = true;
  try {
    mkdirSync(join(directory, "output"));
  } catch {
    isMaker = false;
  }
  if (isMaker) {
    const problem = await make(directory).then(
      () => "",
      (error) => String(error),
    );
    writeFileSync(`${outcome}.new`, problem);
    renameSync(`${outcome}.new`, outcome);
  }
  await until("the machine for the Windows build", () => existsSync(outcome), 115_000);
  const problem = readFileSync(outcome, "utf8");
  if (problem !== "") throw new Error(`there is no machine for the Windows build: ${problem}`);
}

const call = promisify(execFile);

async function make(directory: string): Promise<void> {
  const worker = compile("worker.c", ["-municode", "-o", join(directory, "worker.exe")]);
  await Promise.all([build(directory), worker, onWindows || boot(directory)]);
}

/** jig.exe, or a copy of the one that `JIG_TEST_WINDOWS_BINARY` names. */
async function build(directory: string): Promise<void> {
  const given = process.env["JIG_TEST_WINDOWS_BINARY"];
  if (given !== undefined) return copyFileSync(given, join(directory, "jig.exe"));
  const name = `jig-windows-${process.arch}.exe`;
  await call(BUN, ["build.ts", "--quiet", "--target", name, "--outdir", directory], { cwd: ROOT });
  renameSync(join(directory, name), join(directory, "jig.exe"));
}

async function compile(source: string, words: readonly string[]): Promise<void> {
  await call(COMPILER, ["-O", "-s", join(ROOT, "test/windows/native", source), ...words]);
}

/** A fresh prefix, and what Wine lacks. */
async function boot(directory: string): Promise<void> {
  const system = join(directory, "prefix/drive_c/windows/system32");
  await Promise.all([
    bootWine(directory),
    compile("bcryptprimitives.c", ["-shared", "-o", join(directory, "bcryptprimitives.dll"), "-ladvapi32"]),
  ]);
  for (const name of ["whoami", "icacls"]) await compile(`${name}.c`, ["-o", join(system, `${name}.exe`)]);
}
