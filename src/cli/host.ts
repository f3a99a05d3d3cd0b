import type { Environment } from "../kernel/call/environment.ts";
import { JigError, osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Terminal } from "../kernel/call/outcome.ts";
import { printable } from "../kernel/text/printable.ts";
import { isTerminal, terminalWidth, writeStderr, writeStdout } from "../runtime/stdio.ts";
import type { Sink } from "./print/print.ts";

/** The process's own streams. */
export function processSink(env: Environment): Sink {
  return { stdout: writeStdout, stderr: writeStderr, terminal: (stream) => describeTerminal(stream, env) };
}

/** Colour only where it can be seen; `NO_COLOR` wins over everything (docs/spec/cli.md section 2). */
export function wantsColour(env: Environment, terminal: boolean): boolean {
  const set = (name: string) => env[name] !== undefined && env[name] !== "";
  if (set("NO_COLOR")) return false;
  if (set("FORCE_COLOR")) return env["FORCE_COLOR"] !== "0";
  return terminal && env["TERM"] !== "dumb";
}

function describeTerminal(stream: "stdout" | "stderr", env: Environment): Terminal {
  const terminal = isTerminal(stream);
  return {
    isTerminal: terminal,
    colour: wantsColour(env, terminal),
    get width() {
      return terminal ? terminalWidth(stream) : 80;
    },
  };
}

export interface HostOptions {
  env: Environment;
  prefix: string;
  sink: Sink;
  cwd?: string;
  invokedAs: string | undefined;
  run: Host["run"];
}

/** The outside world of one call. */
export function makeHost(options: HostOptions): Host {
  const { JIG_LAUNCHER_PID } = options.env;
  const env = JIG_LAUNCHER_PID === undefined ? options.env : without(options.env, "JIG_LAUNCHER_PID");
  const platform = process.platform;
  let interruption: AbortController | undefined;
  return {
    get cwd() {
      return options.cwd ?? workingDirectory();
    },
    env,
    home: env[platform === "win32" ? "USERPROFILE" : "HOME"] || undefined,
    uid: process.geteuid?.(),
    platform,
    pid: process.pid,
    parentPid: process.ppid,
    launcherPid: JIG_LAUNCHER_PID === String(process.ppid) ? process.ppid : undefined,
    prefix: options.prefix,
    invokedAs: options.invokedAs,
    now: () => Date.now(),
    async stdin(maxBytes) {
      const { readStdin } = await import("../runtime/stdin.ts");
      const bytes = readStdin(maxBytes);
      if (bytes === undefined) throw new JigError(`standard input is larger than ${maxBytes} bytes`);
      return bytes;
    },
    async stdinWithin(maxBytes, milliseconds) {
      const { readStdinWithin } = await import("../runtime/stdin.ts");
      return readStdinWithin(maxBytes, milliseconds);
    },
    stderr: options.sink.stderr,
    terminal: options.sink.terminal,
    interruption(options) {
      interruption ??= takeOverSignals(options?.hangUp === true);
      return interruption.signal;
    },
    run: options.run,
    parse: async (argv) => (await import("./parse-only.ts")).parseOnly(argv),
    catalogue: async () => (await import("./catalogue.ts")).catalogue,
  };
}

function without(env: Environment, name: string): Environment {
  // By descriptor: a variable that cannot be read stays one that cannot.
  const { [name]: _, ...rest } = Object.getOwnPropertyDescriptors(env);
  return Object.defineProperties({}, rest) as Environment;
}

function workingDirectory(): string {
  let path: string;
  try {
    path = process.cwd();
  } catch (error) {
    throw new JigError(`cannot read the working directory: ${osReason(error)}`, {
      hint: "change to a directory that exists and run the command again",
    });
  }
  if (path.includes("\ufffd") && !isWorkingDirectory(path)) {
    throw new JigError(`the working directory '${printable(path)}' is not valid UTF-8`, {
      hint: "rename it, or change to another directory",
    });
  }
  return path;
}

/** The runtime decodes broken bytes to U+FFFD; the decoded path then names another directory than `.`, or none. */
function isWorkingDirectory(path: string): boolean {
  // Most calls that get here load it anyway, but not all.
  const { statSync } = process.getBuiltinModule("node:fs");
  const [named, actual] = [statSync(path, { throwIfNoEntry: false }), statSync(".")];
  return named?.ino === actual.ino && named.dev === actual.dev;
}

function takeOverSignals(hangUp: boolean): AbortController {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", ...(hangUp ? ["SIGHUP"] : [])]) {
    process.on(name, () => controller.abort(name));
  }
  return controller;
}
