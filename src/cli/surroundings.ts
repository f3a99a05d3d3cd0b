import type { Sink } from "./print/print.ts";

/** The surroundings of one call: real ones in `main`, collected ones in `Host.run`. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  sink: Sink;
  cwd?: string;
}
