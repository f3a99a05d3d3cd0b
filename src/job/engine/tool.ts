import { readableVariables } from "../../kernel/call/environment.ts";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { CaptureError, capture } from "../../kernel/process/capture.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { Budget } from "./budget.ts";

/** What a program said, or why it said nothing that counts. */
export interface Answer {
  /** Undefined when it was killed, cut off, or could not be run. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
  /** Killed since it took too long. */
  late: boolean;
}

/** Most that is read of one answer. */
const ANSWER_BYTES = 32 << 20;

export interface ToolCall {
  budget: Budget;
  input?: string;
  /** The whole environment; the caller's without. */
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
}

/** The absolute path of an engine's program; undefined when it is not on `PATH`. */
export function toolPath(host: Pick<Host, "env">, name: string): string | undefined {
  return findExecutable(name, host.env);
}

/** Throws `JigError` (exit 1) for a program that is not there. */
export function requireTool(host: Pick<Host, "env">, name: string, whose: string): void {
  if (toolPath(host, name) !== undefined) return;
  throw new JigError(`${name} is not on PATH; is ${whose} installed on this machine?`);
}

/** Run one of an engine's programs to its end, within a budget. It never gets jig's stdin. Never throws. */
export async function runTool(
  host: Pick<Host, "env">,
  [name, ...words]: readonly string[],
  { budget, input, env, cwd }: ToolCall,
): Promise<Answer> {
  const nothing = { exitCode: undefined, stdout: "", stderr: "", late: false };
  const path = toolPath(host, name!);
  if (path === undefined) return { ...nothing, stderr: `${name} is not on PATH` };
  if (budget.left() <= 0) return { ...nothing, late: true };
  try {
    const { exitCode, stdout, stderr } = await capture([path, ...words], {
      env: env ?? readableVariables(host.env),
      cwd: cwd ?? "/",
      input,
      timeoutMs: budget.left(),
      maxBytes: ANSWER_BYTES,
      signal: budget.signal,
      stderr: "tail",
    });
    return { exitCode, stdout: new TextDecoder().decode(stdout), stderr, late: false };
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    const late = error.failure === "timeout" || error.failure === "cancelled";
    const said = late ? "" : error.cause instanceof Error ? error.cause.message : error.failure;
    return { ...nothing, stderr: said, late };
  }
}

/** Longest part of a program's words in a message. */
const MESSAGE_CHARACTERS = 500;

/** What a program wrote to stderr, as one line for a person. */
export function saidLine(stderr: string): string {
  const lines = stderr.split(/\r?\n/).map((line) => printable(line.trim()));
  const joined = lines.filter((line) => line !== "").join("; ");
  return joined.slice(0, MESSAGE_CHARACTERS);
}

/** Its last line, or that there was none in time. */
export function silenceOf({ stderr, late }: Pick<Answer, "stderr" | "late">, budget: Budget): string {
  const last = stderr
    .split(/\r?\n/)
    .map((line) => line.trim())
    .findLast((line) => line !== "");
  if (last !== undefined) return printable(last).slice(0, MESSAGE_CHARACTERS);
  return late ? `no answer within ${budget.seconds} s` : "no answer";
}
