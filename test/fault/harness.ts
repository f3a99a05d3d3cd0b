/**
 * Kills and failing calls at every file-system call a command makes, for any room: say how a fresh start is made and what
 * has to hold whatever happened (docs/reliability.md).
 *
 * In the suite each command is met at its mutating calls, with one error each in turn, and some of them only;
 * `JIG_FAULTS=all` takes every call, also those that only open, flush and close, with every error.
 */
import { describe, expect, test } from "vitest";
import { callsTouching, canTrace, runInjected, type SystemCall } from "../support/strace.ts";

/** One fresh start. */
export interface Scene {
  command: readonly string[];
  /** Calls that name something below it are met. */
  directory: string;
  cwd?: string | undefined;
  env?: Record<string, string | undefined> | undefined;
  /** Meet the calls of the command alone, not those of the programs it runs. */
  alone?: boolean | undefined;
}

export type Fate = "KILL" | "ENOSPC" | "EIO" | "EINTR" | "EMFILE";

/** What became of a run that was meddled with. */
export interface Ended {
  fate: Fate;
  call: SystemCall;
  /** Whether the command itself was killed; else a thread of it or a child was, or nothing. */
  killed: boolean;
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface Subject<S extends Scene> {
  /** A command and what it does: `plan reserve with content`. */
  what: string;
  /** Make a fresh start. */
  prepare(): S;
  /** Throws when something is not as it has to be. The scene is what the run left. */
  holds(scene: S, ended: Ended): void | Promise<void>;
  /** The fewest mutating calls there can be: a trace that shows fewer looks in the wrong place. */
  least: number;
  /** How many of its calls are met in the suite, for a command that takes long; 12 unless given. */
  most?: number;
  /** It says nothing of what fails: nobody reads it. */
  silent?: true;
  /** Its one mutating call has another number when fewer calls are traced: a kill may miss it, and need not be seen. */
  elusive?: true;
  /** Leave out calls that only a child of the command makes. */
  skip?: RegExp;
}

const ALL = process.env["JIG_FAULTS"] === "all";
const MOST = 12;

const FATES: readonly (readonly [calls: RegExp, fates: readonly Fate[]])[] = [
  [/^openat$/, ["EMFILE", "ENOSPC", "EIO", "EINTR"]],
  [/^(?:p?writev?|pwrite64|copy_file_range|ftruncate)$/, ["ENOSPC", "EIO", "EINTR"]],
  [/^fsync$/, ["EIO", "ENOSPC", "EINTR"]],
  [/^close$/, ["EIO"]],
  [/./, ["EIO", "ENOSPC"]],
];

/** What a call can say. */
function fatesOf({ name }: SystemCall): readonly Fate[] {
  return FATES.find(([calls]) => calls.test(name))![1];
}

/** At most `most` of a list, evenly, its first and last among them. */
function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (ALL || list.length <= most) return list;
  return Array.from(
    { length: most },
    (_, index) => list[Math.round((index * (list.length - 1)) / (most - 1))]!,
  );
}

/** Before these a kill leaves what a kill before the next call leaves. */
const LEAVES_NOTHING = /^(?:openat|close|fsync)$/;

/** Tests that a command keeps its promise, whichever of its calls is its last or fails. */
export function faults<S extends Scene>(subject: Subject<S>): void {
  describe.skipIf(!canTrace)(subject.what, { timeout: ALL ? 3_600_000 : 240_000 }, () => {
    test("killed at any call", async () => {
      const calls = callsOf(subject);
      const met = spread(
        calls.filter(({ name }) => ALL || !LEAVES_NOTHING.test(name)),
        subject.most ?? MOST,
      );
      let killed = 0;
      for (const call of met) if ((await meet(subject, call, "KILL")).killed) killed += 1;
      // Some of the calls may be a child's.
      if (!subject.elusive) expect(killed).toBeGreaterThan(0);
    });

    test("any call that fails", async () => {
      const pairs = callsOf(subject)
        .filter(({ name }) => ALL || name !== "close")
        .flatMap((call, index) => {
          const fates = fatesOf(call);
          return (ALL ? fates : [fates[index % fates.length]!]).map((fate) => [call, fate] as const);
        });
      for (const [call, fate] of spread(pairs, subject.most ?? MOST)) {
        const ended = await meet(subject, call, fate);
        const at = { fate, call, said: ended.stdout + ended.stderr };
        expect({ ...at, signal: ended.signal }).toMatchObject({ signal: null });
        expect({ ...at, code: ended.code }).not.toMatchObject({ code: 70 });
        if (ended.code !== 0 && !subject.silent)
          expect(at).toMatchObject({ said: expect.stringMatching(/\S/) });
      }
    });
  });
}

function callsOf<S extends Scene>({ least, prepare, skip }: Subject<S>): SystemCall[] {
  const { alone, command, cwd, directory, env } = prepare();
  const calls = callsTouching(directory, command, { alone, cwd, env }).filter(
    ({ name }) => !skip?.test(name),
  );
  expect(calls.filter(({ name }) => !LEAVES_NOTHING.test(name)).length).toBeGreaterThanOrEqual(least);
  return calls;
}

async function meet<S extends Scene>(subject: Subject<S>, call: SystemCall, fate: Fate): Promise<Ended> {
  const scene = subject.prepare();
  const effect = fate === "KILL" ? "signal=KILL" : `error=${fate}`;
  const { alone, cwd, env } = scene;
  const run = runInjected(scene.command, call, effect, { alone, cwd, env });
  const killed = run.signal === "SIGKILL" || run.code === 137;
  const ended = {
    fate,
    call,
    killed,
    code: run.code,
    signal: run.signal,
    stdout: run.stdout,
    stderr: run.stderr,
  };
  try {
    await subject.holds(scene, ended);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`${fate} at ${call.name} ${call.when}: ${message}\n${run.stderr}`, { cause });
  }
  return ended;
}
