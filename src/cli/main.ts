import type { Environment } from "../kernel/call/environment.ts";
import { EXIT } from "../kernel/call/errors.ts";
import { runInvocation } from "./dispatch.ts";
import { processSink } from "./host.ts";

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
    exitCode = await runInvocation(invokedAs, words, { env: await decoded(words, env), sink });
  } catch (error) {
    exitCode = (await import("./print/print-error.ts")).printError(error, sink, "jig: ", debug);
  }
  if (debug) sink.stderr(`jig: ${(performance.now() - started).toFixed(1)} ms, exit ${exitCode}\n`);
  return exitCode;
}

/** The environment, once every word and value is known to be what was given; mostly there is nothing to ask about. */
async function decoded(words: readonly string[], env: Environment): Promise<Environment> {
  return words.some(isLossy) || Object.entries(env).some(([name, value]) => isLossy(name) || isLossy(value))
    ? (await import("./undecodable.ts")).checkBytes(words, env)
    : env;
}

/** Whether a text may stand for bytes that are not UTF-8. */
function isLossy(text: string | undefined): boolean {
  return text?.includes("\ufffd") === true;
}
