import type { Environment } from "./environment.ts";
import type { Terminal } from "./outcome.ts";

/** What a nested call through `Host.run` printed and returned. */
export interface RunResult {
  exitCode: number;
  stdout: Uint8Array;
  stderr: string;
}

/** What `Host.parse` found. */
export type ParseVerdict = { ok: true; command: string } | { ok: false; message: string };

/** What this program offers as a whole. */
export interface Catalogue {
  /** Every upstream name jig answers to. */
  dropInNames(): readonly string[];
  /** The calls that may be approved beforehand, without jig's own name: `job status *` (`CommandBase.readOnly`). */
  readOnlyCalls(): Promise<readonly string[]>;
}

/** The outside world as a value: made once in `main.ts`, passed down, replaced in tests. Rooms read nothing else. */
export interface Host {
  /** Absolute working directory, as the operating system reports it. */
  readonly cwd: string;
  /**
   * Reading a variable whose bytes are not UTF-8 throws `JigError` with its name, and so does copying them all:
   * `everyVariable` and `readableVariables` say which of the two is meant.
   */
  readonly env: Environment;
  /** `HOME` (`USERPROFILE` on Windows); undefined when unset or empty. */
  readonly home: string | undefined;
  /** Effective user id; undefined where the system has none. */
  readonly uid: number | undefined;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly parentPid: number;
  /** `JIG_LAUNCHER_PID` when it equals `parentPid`: the parent is a `jig link --launchers` script. Never in `env`. */
  readonly launcherPid: number | undefined;
  /** What stands before an error of this call: `jig job: `, or `peer-job-runner: ` under a drop-in name. */
  readonly prefix: string;
  /** The drop-in name this call was made under (`packs-resolve.py`); undefined for a call of jig itself. */
  readonly invokedAs: string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** All of standard input. Throws when it is larger than `maxBytes`. */
  stdin(maxBytes: number): Promise<Uint8Array>;
  /** As `stdin`, but undefined when it is larger or has not ended after this time: for a hook, which holds nobody up. */
  stdinWithin(maxBytes: number, milliseconds: number): Promise<Uint8Array | undefined>;
  /** One write to stderr: progress and notes while a command runs. A finished command uses `Outcome.notes`. */
  stderr(text: string): void;
  /** What stdout (for `Writer`) or stderr (for progress) is connected to. */
  terminal(stream: "stdout" | "stderr"): Terminal;
  /**
   * A signal that aborts on SIGINT or SIGTERM, with the signal's name as its reason. Asking for it takes over the
   * default reaction, so the caller must end soon after the abort and exit 130 or 143 (`exitCodeOf`). The first caller
   * may ask for SIGHUP, a closed terminal, as well (129).
   */
  interruption(options?: { hangUp: boolean }): AbortSignal;
  /** Run another jig command in this process and collect what it prints (the dispatcher, handed down by `main`). */
  run(
    argv: readonly string[],
    options?: { cwd?: string; env?: Record<string, string | undefined> },
  ): Promise<RunResult>;
  /** Whether the words would parse as a jig command, without running anything. */
  parse(argv: readonly string[]): Promise<ParseVerdict>;
  /** What this program offers, for a room that speaks about the others. */
  catalogue(): Promise<Catalogue>;
}

/** The exit code for an abort of `Host.interruption()`: 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP. */
export function exitCodeOf(interruption: AbortSignal): number {
  if (interruption.reason === "SIGHUP") return 129;
  return interruption.reason === "SIGTERM" ? 143 : 130;
}
