import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunOptions, type RunOutput, runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

/** The world of the acceptance examples in docs/spec/elevate.md: a stub `claude`, a prompt, a place for the envelope. */
export interface World {
  /** Fresh directory with `brief.md`. */
  handOff: string;
  brief: string;
  result: string;
  /** Everything of the test, with the hand-off directory in it. */
  root: string;
  env: Record<string, string | undefined>;
  /** Install a shell script as `claude`. Its stdin is the prompt. */
  stub(script: string): void;
  run(words: readonly string[], options?: RunOptions): Promise<RunOutput>;
  /** The worker form for a model, with `brief` and `result`. */
  elevate(model: string, env?: Record<string, string | undefined>): Promise<RunOutput>;
  envelope(): Record<string, unknown>;
  hasEnvelope(): boolean;
  /** What the stub left under a name in the root. */
  note(name: string): string;
}

/** A `result` event as one line; the fields can be changed or added to. */
export function event(result: unknown, fields: Record<string, unknown> = {}): string {
  return JSON.stringify({ type: "result", subtype: "success", is_error: false, result, ...fields });
}

/** Shell words that print text exactly, with a newline. */
export function say(text: string): string {
  return `printf '%s\\n' '${text.replaceAll("'", "'\\''")}'\n`;
}

export function world(): World {
  const root = tempDir("jig-elevate-");
  const handOff = join(root, "H");
  const bin = join(root, "bin");
  mkdirSync(handOff);
  mkdirSync(bin);
  mkdirSync(join(root, "home"));
  const brief = join(handOff, "brief.md");
  writeFileSync(brief, "the brief\n");
  const result = join(handOff, "result.json");
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: join(root, "home"),
    NOTES: root,
    JIG_TMP_ROOT: root,
    CE_ELEVATION_POLL_SECS: "0.2",
    CE_PEER_POLL_SECS: "0.1",
    CE_PEER_GRACE_SECS: "1",
  };
  const run = (words: readonly string[], options: RunOptions = {}) =>
    runJig(words, { cwd: root, ...options, env: { ...env, ...options.env } });
  return {
    root,
    handOff,
    brief,
    result,
    env,
    run,
    stub(script) {
      writeFileSync(join(bin, "claude"), `#!/bin/sh\n${script}`);
      chmodSync(join(bin, "claude"), 0o755);
    },
    elevate: (model, extra = {}) => run(["elevate", model, brief, result], { env: extra, timeout: 40_000 }),
    envelope: () => JSON.parse(readFileSync(result, "utf8")),
    hasEnvelope: () => existsSync(result),
    note: (name) => readFileSync(join(root, name), "utf8"),
  };
}

/** The only job of a skill's run. */
export function onlyJob(w: World, skill: string, runId: string): string {
  const jobs = join(w.root, `compound-engineering-${process.geteuid?.()}`, skill, runId, "jobs");
  const ids = readdirSync(jobs);
  if (ids.length !== 1) throw new Error(`expected one job in ${jobs}, found ${ids.length}`);
  return join(jobs, ids[0]!);
}

/** Whether a process a stub recorded still runs. */
export function isAlive(pid: string | number): boolean {
  try {
    process.kill(Number(pid), 0);
    return !readFileSync(`/proc/${Number(pid)}/stat`, "latin1").includes(") Z ");
  } catch {
    return false;
  }
}
