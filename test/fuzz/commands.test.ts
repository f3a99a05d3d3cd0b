/**
 * Command lines over a hostile repository, through the real binary under a time box: no exit 70, no hang, nothing on
 * stdout or stderr that a terminal obeys, whole JSON, and no write by a call that refuses.
 */
import { expect, test } from "vitest";
import { runJig } from "../support/run.ts";
import { commands, lineOf, PRINTS_BYTES } from "./commands.ts";
import { LINES } from "./finds.ts";
import { randomFrom } from "./random.ts";
import { SEED, secondsFor } from "./time-box.ts";
import { stateOf, world } from "./world.ts";

/** Control characters but newline and tab, separators that break a line, and what turns the direction of text round. */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const USAGE = 2;
const BUG = 70;

/** What is wrong with a run; empty when nothing is. */
function faults(
  line: { command: string; words: readonly string[] },
  run: Awaited<ReturnType<typeof runJig>>,
): string[] {
  const found: string[] = [];
  if (run.code === null || run.code === BUG) found.push(`exit ${run.code}, ${run.signal}`);
  if (OBEYED.test(run.stderr)) found.push("a raw control character on stderr");
  if (!PRINTS_BYTES.test(line.command) && OBEYED.test(run.stdout))
    found.push("a raw control character on stdout");
  if (line.words.includes("--json") && run.code === 0 && run.stdout.startsWith("{")) {
    try {
      JSON.parse(run.stdout);
    } catch {
      if (
        !run.stdout
          .trimEnd()
          .split("\n")
          .every((one) => one.startsWith("{"))
      )
        found.push("JSON that is none");
    }
  }
  return found;
}

test.each(LINES)("found once: %s %s", async (...words) => {
  const { cwd, env } = world();
  const run = await runJig(words, { cwd, env });
  expect(faults({ command: words.slice(0, 2).join(" "), words }, run)).toEqual([]);
});

test("every command line", { timeout: secondsFor(7) * 1_000 + 120_000 }, async () => {
  const all = await commands();
  expect(all.length).toBeGreaterThan(20);
  const end = Date.now() + secondsFor(7) * 1_000;
  const { cwd, env, root } = world();
  let before = stateOf(root);
  for (let seed = SEED; Date.now() < end; seed++) {
    const random = randomFrom(seed);
    const line = lineOf(random, all[seed % all.length]!);
    const run = await runJig(line.words, {
      cwd,
      env,
      stdin: random.oneIn(2) ? "{}" : "a\x1b[31m\n",
      timeout: 30_000,
    });
    const after = stateOf(root);
    const found = faults(line, run);
    if (run.code === USAGE && after.join("\n") !== before.join("\n")) found.push("a refusal that wrote");
    const shown = {
      seed,
      words: line.words.map((word) => word.slice(0, 200)),
      stdout: run.stdout.slice(0, 500),
      stderr: run.stderr.slice(0, 500),
    };
    expect(found.length === 0 ? [] : [found, shown]).toEqual([]);
    before = after;
  }
});
