import { EXIT } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { adapterArgv } from "./call/adapter.ts";
import { elevationError } from "./report.ts";
import { checkModel } from "./request.ts";

/** Print the words of the call, each ended by a NUL byte, without reading, writing or running anything. */
export function emitAdapter(host: Host, words: readonly string[]): Outcome {
  const [model = "", directory = ""] = words;
  if (model === "") throw elevationError("--emit-adapter requires <model>", EXIT.usage);
  checkModel(model);
  const argv = adapterArgv(model, directory === "" ? undefined : directory, host.env);
  return { data: argv, text: "", bytes: new TextEncoder().encode(argv.map((word) => `${word}\0`).join("")) };
}
