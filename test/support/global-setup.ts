import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { ROOT } from "./paths.ts";

/** Build the binary once when nobody has: `npm test` builds it first, a single `npx vitest run FILE` may not. */
export default function setup() {
  const binary = process.env["JIG_TEST_BINARY"];
  if (binary !== undefined) {
    if (!existsSync(binary)) throw new Error(`JIG_TEST_BINARY names ${binary}, which does not exist`);
    return;
  }
  if (existsSync(`${ROOT}/dist/jig`)) return;
  execFileSync(`${ROOT}/node_modules/.bin/bun`, ["build.ts", "--quiet"], { cwd: ROOT, stdio: "inherit" });
}
