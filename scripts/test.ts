/**
 * The test command (README): types, lint, dead code, then every test against a fresh build.
 * `npm test -- FILTER...` runs only the test files whose path contains one of the words.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isOurs, leftovers } from "./leftovers.ts";
import { hasOwnTmp, rerunWithOwnTmp } from "./own-tmp.ts";
import { ensureTools } from "./test-tools.ts";

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules/.bin");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

if (!existsSync(VITEST)) {
  console.error("test: node_modules is missing; run npm ci (or bun install) first");
  process.exit(1);
}
const missing = hasOwnTmp ? [] : await ensureTools();
if (missing.length > 0) {
  for (const line of missing) console.error(`test: ${line}`);
  process.exit(1);
}
const exitCode = rerunWithOwnTmp(ROOT);
process.exit(exitCode ?? (await testHere(process.argv.slice(2))));

interface Step {
  title: string;
  command: string[];
}

/** Run the steps here; the exit code. */
async function testHere(filters: readonly string[]): Promise<number> {
  // Every temporary file of the tests lands here, so that what they leave behind can be seen.
  const temp = mkdtempSync(join(hasOwnTmp ? "/tmp" : tmpdir(), "jig-suite-"));
  chmodSync(temp, 0o755); // some tests run jig as another user
  const strays = watchOwnTmp(temp);
  let passed = true;
  try {
    for (const step of stepsFor(filters)) passed &&= await run(step, temp);
    for (const line of [...strays, ...(await leftovers(temp)).map((line) => `left behind: ${line}`)]) {
      console.error(line);
      passed = false;
    }
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
  console.log(passed ? "\nall is well" : "\nFAILED");
  return passed ? 0 : 1;
}

/** Everything runs on the project's own Bun; a machine's Node may be too old for the tools. */
function stepsFor(filters: readonly string[]): Step[] {
  const bun = process.execPath;
  const checks: Step[] = [
    { title: "types", command: [bun, "run", "--bun", "types"] },
    { title: "lint", command: [bun, join(BIN, "biome"), "check", "."] },
    { title: "overlay bundle", command: [bun, "scripts/overlay.ts", "--check"] },
    { title: "dead code", command: [bun, join(BIN, "knip")] },
    { title: "code that only tests use", command: [bun, join(BIN, "knip"), "--production"] },
    { title: "examples of the specifications", command: [bun, "scripts/trace.ts"] },
  ];
  return [
    ...(filters.length === 0 ? checks : []),
    { title: "build", command: [bun, "build.ts", "--quiet"] },
    { title: "tests", command: [bun, "--bun", VITEST, "run", ...filters] },
  ];
}

async function run({ title, command }: Step, temp: string): Promise<boolean> {
  const started = performance.now();
  console.log(`\n== ${title}`);
  const exitCode = await Bun.spawn(command, {
    cwd: ROOT,
    // No test gets the per-user roots by default: it names a root of its own.
    env: { ...process.env, TMPDIR: temp, JIG_TMP_ROOT: join(temp, "no-root-of-its-own") },
    stdio: ["ignore", "inherit", "inherit"],
  }).exited;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`== ${title}: ${exitCode === 0 ? "ok" : `FAILED (exit ${exitCode})`} in ${seconds} s`);
  return exitCode === 0;
}

/**
 * Lines about what is made in /tmp during the run, also what is removed again, such as the per-user roots that belong
 * to everybody's jobs. Only in a /tmp of this run's own can it be told whose doing that is.
 */
function watchOwnTmp(temp: string): Set<string> {
  const lines = new Set<string>();
  if (!hasOwnTmp) {
    console.log(
      "test: no right to mount a /tmp of its own here; that no test uses the shared roots goes unproven",
    );
    return lines;
  }
  watch(dirname(temp), (_event, name) => {
    const path = join(dirname(temp), name ?? "");
    if (path !== temp && isOurs(path)) lines.add(`used outside the run's own directory: ${path}`);
  });
  return lines;
}
