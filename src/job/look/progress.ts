import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Terminal } from "../../kernel/call/outcome.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { cutToWidth } from "../../kernel/text/display-width.ts";
import { printable } from "../../kernel/text/printable.ts";
import { LOG } from "../record/directory.ts";
import { metaIfReadable } from "../record/files.ts";
import type { JobRef } from "../record/roots.ts";
import type { JobState } from "../schema.ts";
import { duration, size } from "./format.ts";

/** What one line of progress shows. */
export interface ProgressRow {
  state: JobState;
  /** Label, or id when there is none. */
  name: string;
  elapsedSeconds: number | undefined;
  logBytes: number | undefined;
  /** Seconds since the log last grew. */
  quietSeconds: number | undefined;
  /** Where its engine has it, instead of `running`: `queued (Priority)`. */
  phase?: string | undefined;
}

const MOST_ROWS = 10;
const BETWEEN_DRAWS_MS = 250;

/** The lines of one drawing, cut to the width (docs/spec/jobs.md 11.3). */
export function progressLines(
  rows: readonly ProgressRow[],
  secondsLeft: number | undefined,
  terminal: Terminal,
): string[] {
  const shown = rows.slice(0, MOST_ROWS);
  const nameWidth = Math.max(...shown.map((row) => printable(row.name).length));
  const lines = shown.map((row) => {
    const cells = [
      (row.phase || row.state).padEnd(7),
      printable(row.name).padEnd(nameWidth),
      row.elapsedSeconds === undefined ? "?" : duration(row.elapsedSeconds),
      `log ${row.logBytes === undefined ? "-" : size(row.logBytes)}`,
      ...(row.state === "running" && !row.phase && row.quietSeconds !== undefined
        ? [`quiet ${duration(row.quietSeconds)}`]
        : []),
      ...(secondsLeft === undefined ? [] : [`${duration(secondsLeft)} left`]),
    ];
    return paint(
      cutToWidth(cells.join("  "), terminal.width),
      row.phase || row.state,
      row.state,
      terminal.colour,
    );
  });
  if (rows.length > MOST_ROWS) lines.push(`+${rows.length - MOST_ROWS} more`);
  return lines;
}

const COLOURS: Partial<Record<JobState, number>> = { done: 32, failed: 31, timeout: 33, running: 36 };

function paint(line: string, word: string, state: JobState, colour: boolean): string {
  const code = COLOURS[state];
  if (!colour || code === undefined) return line;
  return `\u001b[${code}m${line.slice(0, word.length)}\u001b[39m${line.slice(word.length)}`;
}

/** Draws over its own last drawing, at most four times a second. Stdout is never touched. */
export function startProgress(host: Host, jobs: readonly JobRef[], deadlineAt: number | undefined) {
  const terminal = host.terminal("stderr");
  const metas = jobs.map((job) => metaIfReadable(host, job.directory));
  let drawnLines = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;

  const erase = () => {
    if (drawnLines > 0) host.stderr(`\u001b[${drawnLines}A\u001b[J`);
    drawnLines = 0;
    drawnAt = Number.NEGATIVE_INFINITY;
  };
  const rowOf = (job: JobRef, index: number, state: JobState, phase: string | undefined): ProgressRow => {
    const log = lookAt(join(job.directory, LOG));
    const startedAt = metas[index]?.startedAt;
    return {
      state,
      name: metas[index]?.label ?? job.ref,
      elapsedSeconds: startedAt === undefined ? undefined : (host.now() - startedAt) / 1000,
      logBytes: log?.size,
      quietSeconds: log === undefined ? undefined : (host.now() - log.mtimeMs) / 1000,
      phase: state === "running" ? phase : undefined,
    };
  };
  const draw = (states: readonly JobState[], phases: readonly (string | undefined)[] = []) => {
    if (performance.now() - drawnAt < BETWEEN_DRAWS_MS) return;
    const left = deadlineAt === undefined ? undefined : Math.max(0, (deadlineAt - host.now()) / 1000);
    const rows = jobs.map((job, index) => rowOf(job, index, states[index]!, phases[index]));
    const lines = progressLines(rows, left, terminal);
    const back = drawnLines > 0 ? `\u001b[${drawnLines}A\u001b[J` : "";
    host.stderr(back + lines.map((line) => `${line}\n`).join(""));
    drawnLines = lines.length;
    drawnAt = performance.now();
  };
  return { draw, erase };
}
