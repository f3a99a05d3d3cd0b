import type { Host } from "../../kernel/call/host.ts";
import { groupEndedWithin, killTree, startIdentity, sweepSession } from "../../kernel/process/index.ts";
import { launchFailure } from "../../kernel/process/launch-failure.ts";
import { sleep } from "../../kernel/text/time.ts";
import { openFilesOf, startUnderLimit } from "../../runtime/open-files.ts";
import { type Child, spawn } from "../../runtime/spawn.ts";
import { elevationLine } from "../report.ts";
import type { Settings } from "../settings.ts";
import type { CallEnd } from "./envelope.ts";
import { OutputReader } from "./stream.ts";

/** Between asking the call's group to end and killing it, when a limit was reached. */
const REAP_GRACE_MS = 5000;
/** The runner kills the worker after its own 5 s, and the call, in another group, would survive. */
const INTERRUPTED_GRACE_MS = 3000;
/** How long output is still read after the call ended. */
const DRAIN_MS = 2000;

export interface Call {
  /** The program and its words. */
  argv: readonly string[];
  /** The words are quoted for `cmd.exe` already (Windows). */
  verbatim: boolean;
  prompt: Uint8Array;
  settings: Settings;
  /** Aborts when the worker is asked to end. */
  interruption: AbortSignal;
}

/**
 * Run the model once (docs/spec/elevate.md section 3): in a process group of its own, prompt on stdin, both streams read
 * apart, watched for silence and for its whole time. Gives undefined when the worker was interrupted; nothing of the
 * call runs on in either case.
 */
export async function runCall(host: Host, call: Call): Promise<CallEnd | undefined> {
  const log = (text: string) => host.stderr(elevationLine(text));
  if (call.interruption.aborted) return undefined;
  let child: Child;
  try {
    child = await startUnderLimit(openFilesOf(host.parentPid), () =>
      spawn(call.argv, {
        cwd: host.cwd,
        env: host.env,
        input: call.prompt,
        stdout: "pipe",
        stderr: "pipe",
        grouped: true,
        verbatim: call.verbatim,
      }),
    );
  } catch (error) {
    return { kind: "not-started", why: `claude: ${launchFailure(call.argv[0]!, error)}` };
  }
  const reader = new OutputReader();
  let lastOutput = performance.now();
  const alive = () => {
    lastOutput = performance.now();
  };
  const drained = Promise.all([
    pump(child.stdout, (chunk) => reader.stdout(chunk), alive),
    pump(child.stderr, (chunk) => reader.stderr(chunk), alive),
  ]);
  // After the pumps: a call that ends at once must find its readers in place.
  const identity = await startIdentity(child.pid);
  const reap = (graceMs: number) =>
    killTree({
      pid: child.pid,
      identity,
      graceMs,
      leaderEndedWithin: (ms) => groupEndedWithin(child.pid, ms),
    });

  const outcome = watch(child, call, () => lastOutput, log).then(async (ended) => {
    if (ended === "idle") log(`elevated call idle ${call.settings.idle}s; reaping`);
    if (ended === "hard-cap") log(`elevated call exceeded hard cap ${call.settings.hard}s; reaping`);
    if (ended !== "exited") await reap(REAP_GRACE_MS);
    await Promise.race([drained, sleep(DRAIN_MS)]);
    return ended;
  });
  const ended = await Promise.race([outcome, aborted(call.interruption)]);
  if (ended === "interrupted") {
    log(`received TERM/INT; reaping peer process group ${child.pid}`);
    await reap(INTERRUPTED_GRACE_MS);
    return undefined;
  }
  // Nothing of the call outlives it, whatever it left in its group.
  await sweepSession(child.pid, identity);
  const exit = await child.exited;
  const exitCode = "code" in exit ? exit.code : null;
  const reaped = ended === "exited" ? undefined : ended;
  if (exitCode !== 0 || reaped !== undefined) log("elevated call exited non-zero or was reaped");
  return { kind: "ended", exitCode, reaped, event: reader.event(), evidence: reader.evidence() };
}

type Ended = "exited" | "idle" | "hard-cap";

/** Longest wait of one timer; the runtimes take 2^31 - 1 milliseconds at most. */
const LONGEST_WAIT_MS = 1e9;

/** Wait for the end of the call or a limit, with a sign of life on stderr now and then. */
async function watch(
  child: Child,
  call: Call,
  lastOutput: () => number,
  log: (text: string) => void,
): Promise<Ended> {
  const { settings, interruption } = call;
  const started = performance.now();
  const since = (moment: number) => (performance.now() - moment) / 1000;
  const over = new AbortController();
  const end = () => over.abort();
  void child.exited.then(end);
  // Never counted as output: a stalled model is still reaped while heartbeats keep the outer runner waiting.
  const heartbeat = setInterval(
    () => log(`peer alive (${Math.floor(since(started))}s elapsed)`),
    settings.heartbeat * 1000,
  );
  interruption.addEventListener("abort", () => clearInterval(heartbeat));
  try {
    for (;;) {
      if (over.signal.aborted) return "exited";
      const left = { hard: settings.hard - since(started), idle: settings.idle - since(lastOutput()) };
      if (left.hard <= 0) return "hard-cap";
      if (left.idle <= 0) return "idle";
      const next = Math.min(left.hard, left.idle, settings.poll) * 1000;
      await sleep(Math.min(Math.max(1, next), LONGEST_WAIT_MS), over.signal);
    }
  } finally {
    clearInterval(heartbeat);
  }
}

/** Settles when the worker is asked to end. */
function aborted(interruption: AbortSignal): Promise<"interrupted"> {
  return new Promise((resolve) => {
    if (interruption.aborted) resolve("interrupted");
    interruption.addEventListener("abort", () => resolve("interrupted"));
  });
}

/** Time after which other work gets its turn: a flood would otherwise keep every timer from firing. */
const TURN_MS = 10;

async function pump(
  stream: AsyncIterable<Uint8Array> | undefined,
  take: (chunk: Uint8Array) => void,
  alive: () => void,
): Promise<void> {
  let turn = performance.now();
  try {
    for await (const chunk of stream ?? []) {
      alive();
      take(chunk);
      if (performance.now() - turn < TURN_MS) continue;
      await sleep(0);
      turn = performance.now();
    }
  } catch {
    // A pipe that breaks has given all it had.
  }
}
