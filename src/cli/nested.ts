import type { Host, RunResult } from "../kernel/call/host.ts";
import type { Terminal } from "../kernel/call/outcome.ts";
import { concatenate } from "../kernel/text/bytes.ts";
import type { Sink } from "./print/print.ts";
import type { Surroundings } from "./surroundings.ts";

/** Run jig's own words inside this process and collect what they print (`Host.run`). */
export async function collect(
  outer: Host,
  overrides: { cwd?: string; env?: Record<string, string | undefined> } = {},
  run: (surroundings: Surroundings) => Promise<number>,
): Promise<RunResult> {
  const out: Uint8Array[] = [];
  let stderr = "";
  const encoder = new TextEncoder();
  const plain: Terminal = { isTerminal: false, width: 80, colour: false };
  const sink: Sink = {
    stdout: (chunk) => void out.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk.slice()),
    stderr: (text) => {
      stderr += text;
    },
    terminal: () => plain,
  };
  const env = overrides.env === undefined ? outer.env : { ...outer.env, ...overrides.env };
  const exitCode = await run({ env, sink, cwd: overrides.cwd ?? outer.cwd });
  return { exitCode, stdout: concatenate(out), stderr };
}
