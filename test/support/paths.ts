import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** The repository's root. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** The compiled binary under test: `JIG_TEST_BINARY`, else `dist/jig`. */
export const JIG = process.env["JIG_TEST_BINARY"] ?? `${ROOT}/dist/jig`;

export const BUN = `${ROOT}/node_modules/.bin/bun`;
/** What runs a launcher named .js: Node, or Bun on a machine without Node. */
export const NODE =
  (process.env["PATH"] ?? "")
    .split(":")
    .map((directory) => `${directory}/node`)
    .find((path) => existsSync(path)) ?? BUN;
export const DENO = `${ROOT}/node_modules/.bin/deno`;
