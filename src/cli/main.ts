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
    exitCode = await runInvocation(invokedAs, words, { env, sink });
  } catch (error) {
    exitCode = (await import("./print/print-error.ts")).printError(error, sink, "jig: ", debug);
  }
  if (debug) sink.stderr(`jig: ${(performance.now() - started).toFixed(1)} ms, exit ${exitCode}\n`);
  return exitCode;
}
