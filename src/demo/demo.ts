import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Args } from "../kernel/call/command.ts";
import { readableVariables } from "../kernel/call/environment.ts";
import { JigError, osReason } from "../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../kernel/call/host.ts";
import type { Writer } from "../kernel/call/outcome.ts";
import { findExecutable } from "../kernel/process/executable.ts";
import { makeDemoDirectory } from "../kernel/shared/demo-directory.ts";
import { TEMP_REMEDY, userTempDirectory } from "../kernel/shared/temp-root.ts";
import { jsonText, printable } from "../kernel/text/printable.ts";
import { openInBrowser } from "./browser.ts";
import type { DemoReport, StepReport } from "./schema.ts";
import type { Demo, Step } from "./step.ts";
import { STEPS } from "./steps.ts";

type DemoArgs = Args<{
  keep: { type: "boolean"; summary: string };
  "no-open": { type: "boolean"; summary: string };
}>;

/** Show the main job end to end (docs/spec/cli.md section 4). Everything made is undone before it returns. */
export async function demo(host: Host, { flags }: DemoArgs, out: Writer): Promise<number> {
  // A closed terminal ends a demo as well: what it made must not stay behind.
  const interruption = host.interruption({ hangUp: true });
  const say = flags.json ? () => {} : (line: string) => out.write(line + "\n");
  const undo: (() => Promise<unknown>)[] = [];
  const directory = await privateDirectory(host);
  try {
    const context = makeContext(host, directory, undo);
    const hasGit = findExecutable("git", host.env) !== undefined;
    say(`jig demo in ${directory}\n`);
    const steps: StepReport[] = [];
    for (const step of STEPS) {
      if (interruption.aborted) break;
      const report = await runStep(step, context, hasGit);
      steps.push(report);
      say(stepLine(report));
      if (report.status === "failed") break;
    }
    const ok = steps.length === STEPS.length && steps.every((step) => step.status === "done");
    const report: DemoReport = { ok, steps, screen: flags.keep ? (context.screen ?? null) : null };
    if (flags.json) out.write(`${jsonText(report)}\n`);
    if (interruption.aborted) return exitCodeOf(interruption);
    say(summary(report, hasGit));
    if (flags.keep && ok) {
      await keepOpen(context, flags["no-open"], interruption, say);
      return exitCodeOf(interruption);
    }
    return ok ? 0 : 1;
  } finally {
    for (const step of undo.reverse()) await step().catch(() => {});
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

async function privateDirectory(host: Host): Promise<string> {
  const parent = userTempDirectory(host);
  try {
    return await makeDemoDirectory(parent, host.pid);
  } catch (error) {
    throw new JigError(`cannot make a directory in ${parent}: ${osReason(error)}`, {
      hint: TEMP_REMEDY,
    });
  }
}

function makeContext(outer: Host, directory: string, undo: (() => Promise<unknown>)[]): Demo {
  const project = join(directory, "shop");
  mkdirSync(project);
  // The demo's jobs and scratch live in its own directory, never among the user's.
  // The user's git settings stay out as well: a hook or a signature of theirs has no part in the example.
  const env = {
    JIG_TMP_ROOT: directory,
    CE_PEER_JOBS_ROOT: join(directory, "jobs"),
    TMPDIR: directory,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const host: Host = {
    ...outer,
    cwd: project,
    env: { ...readableVariables(outer.env), ...env },
    run: (argv, options) =>
      outer.run(argv, { cwd: options?.cwd ?? project, env: { ...env, ...options?.env } }),
  };
  return {
    host,
    directory,
    project,
    screen: undefined,
    atEnd: (step) => void undo.push(step),
    async jig(argv, options) {
      const result = await host.run(argv, options?.cwd === undefined ? {} : { cwd: options.cwd });
      if (result.exitCode !== (options?.expect ?? 0)) {
        const why = result.stderr.trim().split("\n", 1)[0] || `exit ${result.exitCode}`;
        throw new JigError(`${argv.slice(0, 2).join(" ")}: ${why}`);
      }
      return result;
    },
  };
}

async function runStep(step: Step, demo: Demo, hasGit: boolean): Promise<StepReport> {
  const base = { step: step.id, title: step.title };
  if (step.needsGit && !hasGit) {
    return { ...base, status: "skipped", result: "git is missing", milliseconds: 0 };
  }
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  try {
    const result = await step.run(demo);
    return { ...base, status: "done", result, milliseconds: took() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...base, status: "failed", result: why, milliseconds: took() };
  }
}

function stepLine(report: StepReport): string {
  const mark = { done: "ok  ", skipped: "skip", failed: "FAIL" }[report.status];
  const time = `${(report.milliseconds / 1000).toFixed(2)} s`;
  return `${mark}  ${time.padStart(7)}  ${report.title}\n               ${printable(report.result)}`;
}

function summary({ ok, steps }: DemoReport, hasGit: boolean): string {
  const total = steps.reduce((sum, step) => sum + step.milliseconds, 0);
  const done = steps.filter((step) => step.status === "done").length;
  const lines = ["", `${done} of ${STEPS.length} steps in ${(total / 1000).toFixed(2)} s`];
  const skipped = steps.filter((step) => step.status === "skipped").map((step) => step.title);
  if (!hasGit) lines.push(`git is missing: install it; skipped: ${skipped.join("; ")}`);
  if (ok) lines.push("Next: jig skills install, then ask your agent for one of the skills.");
  return lines.join("\n");
}

/** Leave the screen up until Ctrl-C, for a person to try the overlay. */
async function keepOpen(demo: Demo, noOpen: boolean, interruption: AbortSignal, say: (line: string) => void) {
  if (demo.screen === undefined) return;
  say(`\nThe screen: ${demo.screen}\nPress Ctrl-C to end.`);
  if (!noOpen) openInBrowser(demo.host, demo.screen);
  if (interruption.aborted) return;
  const keepAlive = setInterval(() => {}, 60_000);
  await new Promise((resolve) => interruption.addEventListener("abort", resolve));
  clearInterval(keepAlive);
}
