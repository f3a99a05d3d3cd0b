import { readFileSync } from "node:fs";
import type { Environment } from "../kernel/call/environment.ts";
import { EXIT } from "../kernel/call/errors.ts";
import { runInvocation } from "./dispatch.ts";
import { processSink } from "./host.ts";

/** What the runtime puts for bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

/** One call of the program, from its words to its exit code. */
export async function main(invokedAs: string, words: readonly string[]): Promise<number> {
  const { env } = process;
  const sink = processSink(env);
  const debug = env["JIG_DEBUG"] === "1";
  const started = debug ? performance.now() : 0;
  let exitCode: number = EXIT.bug;
  try {
    // A test hook: what a person sees when jig itself is wrong.
    if (words[0] === "__fault") throw new Error("forced by a test");
    if (words[0] === "__demo-worker")
      return await (await import("../demo/worker.ts")).demoWorker(words.slice(1));
    // Mostly there is nothing to ask about.
    const known = isLossy(words, env) ? (await import("./undecodable.ts")).checkBytes(words, env) : env;
    exitCode = await runInvocation(invokedAs, words, { env: known, sink });
  } catch (error) {
    exitCode = (await import("./print/print-error.ts")).printError(error, sink, "jig: ", debug);
  }
  if (debug) sink.stderr(`jig: ${(performance.now() - started).toFixed(1)} ms, exit ${exitCode}\n`);
  return exitCode;
}

/** Whether a word or variable may stand for bytes that are not UTF-8. */
function isLossy(words: readonly string[], env: Environment): boolean {
  for (const word of words) if (word.includes(REPLACEMENT)) return true;
  // One text instead of each variable: the engine makes objects for every one that is read.
  const given = process.platform === "linux" ? textOf("/proc/self/environ") : undefined;
  if (given !== undefined) return given.includes(REPLACEMENT);
  for (const name in env) if (name.includes(REPLACEMENT) || env[name]!.includes(REPLACEMENT)) return true;
  return false;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // A system without /proc.
  }
}
