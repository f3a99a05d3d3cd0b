import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { endWine } from "../windows/support/wine.ts";
import { ROOT } from "./paths.ts";
import { makeTempDir, removeDir } from "./temp.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the first file that runs the Windows build makes its machine (test/windows/support/machine.ts). */
    windowsDirectory: string;
  }
}

/** What is made once for a whole run; what the files have made of it is ended and removed. */
export default function setup(project: TestProject) {
  buildOnce();
  const windowsDirectory = makeTempDir("jig-windows-");
  project.provide("windowsDirectory", windowsDirectory);
  return () => {
    endWine(windowsDirectory);
    removeDir(windowsDirectory);
  };
}

/** Build the binary when nobody has: `npm test` builds it first, a single `npx vitest run FILE` may not. */
function buildOnce() {
  const binary = process.env["JIG_TEST_BINARY"];
  if (binary !== undefined) {
    if (!existsSync(binary)) throw new Error(`JIG_TEST_BINARY names ${binary}, which does not exist`);
    return;
  }
  if (existsSync(`${ROOT}/dist/jig`)) return;
  execFileSync(`${ROOT}/node_modules/.bin/bun`, ["build.ts", "--quiet"], { cwd: ROOT, stdio: "inherit" });
}
