/**
 * `jig flow worktree finalize` over generated histories (docs/spec/flow-worktree.md 5): whatever it meets, and wherever it is
 * killed, no content is lost, and the main tree is merged whole or as it was, with a named gate.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { makeTempDir, removeDir } from "../support/temp.ts";
import { snapshot } from "./histories/contents.ts";
import { type History, makeHistory } from "./histories/history.ts";
import { type Before, type End, faultsOf, looseOf, mainTreeOf } from "./histories/judge.ts";
import { gitAt, gitEnv, gitTries, makeTemplate, put } from "./histories/template.ts";
import { LONG, SEED, secondsFor } from "./time-box.ts";

const ONLY = process.env["JIG_HISTORY"];
const AT_ONCE = 2;
const PRELOAD = join(ROOT, "test/flow/programs/kill-at.ts");

test("no history loses anything", { timeout: secondsFor(60) * 1000 + 120_000 }, async () => {
  const base = makeTempDir("jig-histories-");
  try {
    const template = join(base, "template");
    mkdirSync(template);
    makeTemplate(template);
    const end = Date.now() + secondsFor(60) * 1000;
    let seed = ONLY === undefined ? SEED : Number(ONLY);
    let done = 0;
    const failures: Error[] = [];
    const worker = async () => {
      while (done === 0 || (ONLY === undefined && Date.now() < end)) {
        const mine = seed++;
        done += 1;
        await oneHistory(mine, template, base).catch((error: Error) => {
          failures.push(error);
          if (LONG) console.error(error.message); // The end may be hours away.
        });
        if (LONG && done % 100 === 0) console.log(`${done} histories, up to seed ${mine}`);
      }
    };
    await Promise.all(Array.from({ length: ONLY === undefined ? AT_ONCE : 1 }, worker));
    expect(failures.map(({ message }) => message).join("\n\n")).toBe("");
    expect(done).toBeGreaterThan(0);
    console.log(`${done} histories from seed ${SEED}`);
  } finally {
    removeDir(base);
  }
});

async function oneHistory(seed: number, template: string, base: string): Promise<void> {
  const directory = mkdtempSync(join(base, `${seed}-`));
  try {
    const history = await makeHistory(seed, template, directory);
    const { root, home, branch, random } = history;
    const before: Before = {
      contents: snapshot(history),
      main: mainTreeOf(history),
      loose: looseOf(history),
      tip: gitTries(root, home, "rev-parse", "--verify", "-q", `refs/heads/${branch}`)
        ? gitAt(root, home, "rev-parse", `refs/heads/${branch}`).toString().trim()
        : "",
    };
    const killed = random.oneIn(2);
    const end = killed ? await killedAndRunAgain(history) : await finalize(history);
    const faults = faultsOf(history, before, end);
    if (faults.length > 0) throw failure(history, [...faults, `said: ${end.stdout.slice(0, 1500)}`]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function failure({ seed, log }: History, faults: readonly string[]): Error {
  return new Error(
    `JIG_HISTORY=${seed} npm test -- test/fuzz/finalize\n${faults.join("\n")}\nhistory:\n  ${log.join("\n  ")}`,
  );
}

const WORDS = ["flow", "worktree", "finalize"];
const FLAGS = ["--json", "--lock-attempts", "2", "--lock-interval", "20"];

function finalize({ jig, wf }: History): Promise<End> {
  return jig(...WORDS, wf, ...FLAGS);
}

/** Kill finalize at some step, then run it again as a person would. */
async function killedAndRunAgain(history: History): Promise<End> {
  const { random, root, home, wf, log, jig } = history;
  const killer = random.oneIn(2) ? atAChange(history) : atAGitCall(history);
  const run = await runJig([...WORDS, wf, ...FLAGS], {
    cwd: root,
    env: { ...gitEnv(home), ...killer.env },
    timeout: 120_000,
  });
  log.push(run.signal === "SIGKILL" ? `killed ${killer.at}` : `ended before it was killed ${killer.at}`);
  if (random.oneIn(2)) await gitAtRest(root);
  let end = await finalize(history);
  for (let tries = 0; tries < 3 && end.code === 3; tries++) {
    // git's own lock files outlive it; jig names them, and a person removes them when nothing runs.
    await gitAtRest(root);
    const removed = history.obstacle?.endsWith("locked") ? [] : removeGitLocks(root);
    if (removed.length === 0 && tries > 0) break;
    log.push(`again, without ${removed.join(", ") || "any lock file"}`);
    end = await finalize(history);
  }
  if (end.stdout.includes('"holder":"unknown"')) {
    // Killed between taking the lock and signing it: nothing proves whose it is, so a person takes it away.
    await jig("flow", "worktree", "unlock", "--yes");
    log.push("again, after worktree unlock");
    end = await finalize(history);
  }
  return end;
}

/** Right before the nth call of its own that changes a file. */
function atAChange({ random }: History) {
  const at = 1 + random.below(150);
  return { at: `before change ${at}`, env: { BUN_OPTIONS: `--preload=${PRELOAD}`, JIG_KILL_AT: String(at) } };
}

/** When it calls git for the nth time; git then goes on alone, or does not begin. */
function atAGitCall({ random, root }: History) {
  const [at, goesOn] = [1 + random.below(110), random.oneIn(2)];
  const path = process.env["PATH"];
  const bin = join(root, "..", "bin");
  put(
    bin,
    "git",
    `#!/bin/sh\ncount='${bin}/count'\nn=$(($(cat "$count" 2>/dev/null || echo 0) + 1))\necho $n > "$count"\n` +
      `[ $n -eq ${at} ] && { kill -9 $PPID; ${goesOn ? ":" : "exit 1"}; }\nPATH='${path}' exec git "$@"\n`,
    0o755,
  );
  return {
    at: `at git call ${at}${goesOn ? "" : ", which did not begin"}`,
    env: { PATH: `${bin}:${path}` },
  };
}

/** Wait until no git of the killed call is at work in the repository. */
async function gitAtRest(root: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (!readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && isGitIn(pid, root))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isGitIn(pid: string, root: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/comm`, "utf8") === "git\n" &&
      readlinkSync(`/proc/${pid}/cwd`).startsWith(root)
    );
  } catch {
    return false;
  }
}

function removeGitLocks(root: string): string[] {
  const found: string[] = [];
  const visit = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && entry.name !== "objects") visit(path);
      else if (entry.name.endsWith(".lock")) {
        rmSync(path);
        found.push(path.slice(root.length));
      }
    }
  };
  visit(join(root, ".git"));
  return found;
}
