import type { Host } from "../../kernel/call/host.ts";
import { isObject, parseObject } from "../../kernel/text/json.ts";

/** How full the model's context is, as another program says. */
export interface ContextUsage {
  percent_full: number | null;
  total: number | null;
  model_context: number | null;
}

const PROGRAM = "tokentracker";
const MAX_BYTES = 1 << 20;

/**
 * What a `tokentracker` program on PATH answers within a time; null when there is none, or no such answer
 * (docs/spec/flow.md 14). Never throws.
 */
export async function contextUsage(host: Pick<Host, "env">, timeoutMs: number): Promise<ContextUsage | null> {
  const { findExecutable } = await import("../../kernel/process/executable.ts");
  const program = findExecutable(PROGRAM, host.env);
  if (program === undefined) return null;
  const { outputOf } = await import("../../kernel/process/capture.ts");
  const words = [program, "context", "--json", "--source", "claude"];
  const text = await outputOf(words, {
    env: host.env,
    timeoutMs,
    maxBytes: MAX_BYTES,
    killAfterMs: 0,
  });
  const answer = text === undefined ? undefined : parseObject(text);
  if (!isObject(answer)) return null;
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    percent_full: number(answer["percent_full"]),
    total: number(answer["total"]),
    model_context: number(answer["model_context"]),
  };
}
