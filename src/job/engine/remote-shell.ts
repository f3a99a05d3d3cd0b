import { readableVariables } from "../../kernel/call/environment.ts";
import type { Host } from "../../kernel/call/host.ts";
import { killGroup } from "../../kernel/process/capture.ts";
import { concatenate } from "../../kernel/text/bytes.ts";
import { randomHex } from "../../kernel/text/random.ts";
import { sleep } from "../../kernel/text/time.ts";
import { type Child, spawn } from "../../runtime/spawn.ts";
import { toolPath } from "./tool.ts";

/** What a command answered. */
export interface Reply {
  exitCode: number;
  /** What it printed between the marks; empty where `onData` took it. */
  stdout: string;
  stderr: string;
}

export interface AskOptions {
  milliseconds: number;
  signal?: AbortSignal | undefined;
  /** Bytes of stdout that are kept, or handed on; what is more ends the answer. */
  maxBytes: number;
  /** Takes stdout as it comes. */
  onData?: (piece: Uint8Array) => void;
  /** A command that lasts: it is ended there when the connection is. */
  endsWithConnection?: boolean;
}

/** A shell on another machine, over one connection of `ssh`. */
export interface RemoteShell {
  /**
   * Run one command, a POSIX shell's, with the null device as its stdin. Undefined without a whole answer: the connection
   * is closed then, since what would come next is not known.
   */
  ask(command: string, options: AskOptions): Promise<Reply | undefined>;
  /** All that was written to stderr outside of answers: ssh's own words, and a profile's. */
  said(): string;
  /** Whether an answer was not waited for any longer; without one the connection ended else, or what it said was none. */
  isLate(): boolean;
  close(): Promise<void>;
}

const MOST_STDERR_BYTES = 65_536;
/** How long an answer's stderr may come after its stdout. */
const STDERR_LATE_MS = 2_000;

/** These stand before the user's own words, and ssh takes the first value of an option: no word can undo them. */
const FIXED = [
  ...["-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=5"],
  ...["-o", "ServerAliveCountMax=2", "-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes"],
];

/** Connect (docs/spec/engines.md section 4). Never throws for a host that cannot be reached: no question is answered then. */
export async function openShell(
  host: Pick<Host, "env">,
  { dest, args }: { dest: string; args: readonly string[] },
): Promise<RemoteShell> {
  const path = toolPath(host, "ssh");
  if (path === undefined) return noShell("ssh is not on PATH");
  const env = readableVariables(host.env);
  let child: Child;
  try {
    child = await spawn([path, ...FIXED, ...args, "--", dest, "/bin/sh"], {
      env,
      cwd: "/",
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  } catch (error) {
    return noShell(error instanceof Error ? error.message : String(error));
  }
  return shellOver(child, () => killGroup(child, env));
}

function noShell(why: string): RemoteShell {
  return { ask: async () => undefined, said: () => why, isLate: () => false, close: async () => {} };
}

function shellOver(child: Child, kill: () => Promise<void>): RemoteShell {
  const stdout = markedReader(child.stdout!);
  const heard = hearing(child.stderr!);
  let isClosed = false;
  let isLate = false;
  const close = async (atOnce = false) => {
    if (isClosed) return;
    isClosed = true;
    child.stdin?.end();
    let ended = false;
    const exited = child.exited.then(() => {
      ended = true;
    });
    // A connection of the user's own that outlives this one is made when it ends by itself.
    if (!atOnce) await Promise.race([exited, sleep(ENDS_WITHIN_MS)]);
    if (!ended) await kill();
    // What it said last is why it ended.
    await heard.until((text) => text === undefined, ENDS_WITHIN_MS);
  };

  async function ask(command: string, options: AskOptions): Promise<Reply | undefined> {
    if (isClosed) return undefined;
    const [begin, end] = [randomHex(16), randomHex(16)];
    const over = new AbortController();
    const cut = () => over.abort();
    const giveUp = () => {
      isLate = true;
      cut();
    };
    const timer = setTimeout(giveUp, Math.min(options.milliseconds, LONGEST_MS));
    options.signal?.addEventListener("abort", giveUp);
    if (options.signal?.aborted) giveUp();
    const parts: Uint8Array[] = [];
    const keep = capped(options.maxBytes, options.onData ?? ((piece) => void parts.push(piece)), cut);
    const answer = async () => {
      const isLeashed = options.endsWithConnection ?? false;
      const script = scriptOf(isLeashed ? leashed(command) : command, begin, end, isLeashed);
      child.stdin!.write(new TextEncoder().encode(script));
      if (!(await stdout.upTo(`\n${begin}\n`, () => {}))) return undefined;
      if (!(await stdout.upTo(`\n${end} `, keep))) return undefined;
      const code: Uint8Array[] = [];
      const take = capped(CODE_BYTES, (piece) => void code.push(piece), cut);
      if (!(await stdout.upTo("\n", take))) return undefined;
      return exitCodeIn(decoder.decode(concatenate(code)));
    };
    try {
      const stopped = new Promise<undefined>((resolve) => {
        over.signal.addEventListener("abort", () => resolve(undefined));
        if (over.signal.aborted) resolve(undefined);
      });
      const exitCode = await Promise.race([answer(), stopped]);
      if (exitCode === undefined || over.signal.aborted) {
        await close(over.signal.aborted);
        return undefined;
      }
      await heard.until((text) => text === undefined || text.includes(`\n${end}\n`), STDERR_LATE_MS);
      return { exitCode, stdout: decoder.decode(concatenate(parts)), stderr: heard.take(begin, end) };
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", giveUp);
    }
  }
  return { ask, said: () => heard.text(), isLate: () => isLate, close };
}

/** The other machine knows the marks, and may write anything behind the second. */
const CODE_BYTES = 3;

function exitCodeIn(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}

const decoder = new TextDecoder();
const LONGEST_MS = 2_000_000_000;
const ENDS_WITHIN_MS = 1_000;

/** Listens to stderr all the time, and remembers its end. */
function hearing(stream: AsyncIterable<Uint8Array>) {
  let text = "";
  let isOver = false;
  let wake = () => {};
  void (async () => {
    for await (const piece of stream) {
      text = (text + decoder.decode(piece)).slice(-MOST_STDERR_BYTES);
      wake();
    }
    isOver = true;
    wake();
  })();
  return {
    text: () => text,
    /** Wait for a text that will do; it is undefined when no more will come. */
    async until(holds: (text: string | undefined) => boolean, milliseconds: number): Promise<void> {
      const deadline = performance.now() + milliseconds;
      while (!holds(isOver ? undefined : text) && performance.now() < deadline) {
        const woken = new AbortController();
        wake = () => woken.abort();
        await sleep(deadline - performance.now(), woken.signal);
      }
    },
    /** Take away what stands between two marks. */
    take(begin: string, end: string): string {
      const [from, to] = [text.indexOf(`\n${begin}\n`), text.lastIndexOf(`\n${end}\n`)];
      const start = from < 0 ? 0 : from + begin.length + 2;
      const said = text.slice(start, to < 0 ? undefined : to);
      text = text.slice(0, Math.max(0, from)) + (to < 0 ? "" : text.slice(to + end.length + 2));
      return said.trim();
    },
  };
}

/** Hands pieces on until there are too many bytes, which ends the answer. */
function capped(maxBytes: number, onData: (piece: Uint8Array) => void, tooMany: () => void) {
  let size = 0;
  return (piece: Uint8Array) => {
    const kept = piece.subarray(0, maxBytes - size);
    if (kept.length > 0) onData(kept);
    size += piece.length;
    if (size > maxBytes) tooMany();
  };
}

/**
 * One command between two marks, on both streams. In braces: cut off on the way it is a syntax error, and no shorter
 * command. The marks stand in two halves, so that a shell that repeats what it reads does not write them.
 */
export function scriptOf(command: string, begin: string, end: string, isLeashed = false): string {
  const input = isLeashed ? "3<&0 </dev/null" : "</dev/null";
  const half = (mark: string) => `'${mark.slice(0, 8)}' '${mark.slice(8)}'`;
  const [first, last] = [half(begin), half(end)];
  return (
    `{ printf '\\n%s%s\\n' ${first}; printf '\\n%s%s\\n' ${first} >&2; { ${command}\n} ${input}; ` +
    `printf '\\n%s%s %s\\n' ${last} "$?"; printf '\\n%s%s\\n' ${last} >&2; }\n`
  );
}

/** A command that is killed when the script's own input, descriptor 3, ends: sshd leaves what it started alone. */
function leashed(command: string): string {
  return `${command} & p=$!; (cat <&3 >/dev/null 2>&1; kill $p) & w=$!; wait $p; c=$?; kill $w; (exit $c)`;
}

/** Reads a stream up to one mark after the other. */
function markedReader(stream: AsyncIterable<Uint8Array>) {
  const pieces = stream[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  return {
    /** Hand on what comes before the mark, and take the mark away; false when the stream ends first. */
    async upTo(mark: string | undefined, onData: (piece: Uint8Array) => void): Promise<boolean> {
      const bytes = new TextEncoder().encode(mark ?? "");
      for (;;) {
        const at = mark === undefined ? -1 : indexOf(rest, bytes);
        if (at >= 0) {
          if (at > 0) onData(rest.subarray(0, at));
          rest = rest.subarray(at + bytes.length);
          return true;
        }
        // The mark may have begun at the end of what is here.
        const sure = mark === undefined ? rest.length : Math.max(0, rest.length - bytes.length + 1);
        if (sure > 0) onData(rest.subarray(0, sure));
        rest = rest.subarray(sure);
        const next = await pieces.next();
        if (next.done) return false;
        rest = rest.length === 0 ? next.value : concatenate([rest, next.value]);
      }
    },
  };
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.indexOf(wanted);
}
