import type { Environment } from "../kernel/call/environment.ts";
import type { Sink } from "./print/print.ts";

/** The surroundings of one call: real ones in `main`, collected ones in `Host.run`. */
export interface Surroundings {
  env: Environment;
  sink: Sink;
  cwd?: string;
}
