/**
 * The test command (README): types, lint, dead code, then every test against a fresh build.
 * `npm test -- FILTER...` runs only the test files whose path contains one of the words.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftovers, sharedRoots } from "./leftovers.ts";
import { ensureTools } from "./test-tools.ts";

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules/.bin");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

interface Step {
  title: string;
  command: string[];
}

/** vitest runs on Node where there is one, else on Bun. */
function vitest(words: readonly string[]): string[] {
  const node = Bun.which("node");
  const runtime = node === null ? [process.execPath, "--bun"] : [node];
  return [...runtime, VITEST, "run", ...words];
}

// Every temporary file of the tests lands here, so that what they leave behind can be seen.
const temp = mkdtempSync(join(tmpdir(), "jig-suite-"));
chmodSync(temp, 0o755); // some tests run jig as another user

function run({ title, command }: Step): boolean {
  const started = performance.now();
  console.log(`\n== ${title}`);
  const { exitCode } = Bun.spawnSync(command, {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temp },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`== ${title}: ${exitCode === 0 ? "ok" : `FAILED (exit ${exitCode})`} in ${seconds} s`);
  return exitCode === 0;
}

const filters = process.argv.slice(2);
if (!existsSync(VITEST)) {
  console.error("test: node_modules is missing; run npm ci (or bun install) first");
  process.exit(1);
}
const missing = await ensureTools();
if (missing.length > 0) {
  for (const line of missing) console.error(`test: ${line}`);
  process.exit(1);
}
const checks: Step[] = [
  { title: "types", command: [process.execPath, "run", "--bun", "types"] },
  { title: "lint", command: [process.execPath, join(BIN, "biome"), "check", "."] },
  { title: "overlay bundle", command: [process.execPath, "scripts/overlay.ts", "--check"] },
  { title: "dead code", command: [process.execPath, join(BIN, "knip")] },
];
const steps: Step[] = [
  ...(filters.length === 0 ? checks : []),
  { title: "build", command: [process.execPath, "build.ts", "--quiet"] },
  { title: "tests", command: vitest(filters) },
];

let passed = true;
const before = sharedRoots();
try {
  for (const step of steps) passed &&= run(step);
  for (const line of leftovers(temp, before)) {
    console.error(`left behind: ${line}`);
    passed = false;
  }
} finally {
  rmSync(temp, { recursive: true, force: true });
}
console.log(passed ? "\nall is well" : "\nFAILED");
process.exit(passed ? 0 : 1);
