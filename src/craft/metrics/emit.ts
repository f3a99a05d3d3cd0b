import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom, containedRealPath } from "../../kernel/files/contain.ts";
import { shown } from "../common/run-words.ts";
import { findTranscripts, phaseOfRole, projectDirectory, projectsRoot } from "./discover.ts";
import { appendRows, ledgerPath, metricsRoot } from "./ledger.ts";
import { compactionCost, readTranscript, type TimeBounds, type TranscriptReading } from "./transcript.ts";
import { type MetricsRow, roundHalfUp, rowOf, rowText } from "./usage.ts";

const PREFIX = "metrics-emit: ";
const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface EmitOptions {
  run: string | undefined;
  session: string | undefined;
  phase: string | undefined;
  since: string | undefined;
  until: string | undefined;
  dir: string | undefined;
  ledger: string | undefined;
}

/** What `metrics emit --json` prints. */
export interface EmitReport {
  rows: MetricsRow[];
  compactions: { main: number; agents: number; low: number; high: number } | null;
}

/** Append a row for each phase that agents worked in, from the session's transcripts (docs/spec/craft-run.md 9). */
export async function emit(host: Host, options: EmitOptions): Promise<Outcome<EmitReport>> {
  const run = requireRun(options.run);
  if (options.phase !== undefined && !WORD.test(options.phase)) {
    throw failure(`invalid --phase '${shown(options.phase)}'`);
  }
  const bounds: TimeBounds = {
    since: instant("--since", options.since),
    until: instant("--until", options.until),
  };
  const projects = projectsRoot(host);
  const session =
    options.session ?? (host.invokedAs === undefined ? host.env["CLAUDE_CODE_SESSION_ID"] : undefined);
  const directory = givenDirectory(host, projects, options.dir);
  const root = await metricsRoot(host);
  const ledger = ledgerPath(host, root, options.ledger);
  if (ledger === undefined) throw failure("--ledger not contained within the repo root");
  const notes: string[] = [];
  if (session === undefined || session === "")
    notes.push(`${PREFIX}no session named; all sessions of the directory count`);

  const place = directory ?? (projects === undefined ? undefined : projectDirectory(host, projects, session));
  const read = place === undefined ? emptyReading() : readAll(place, session, bounds);
  const rows = rowsOf(run, options.phase, read);
  if (read.unreadable + read.refused > 0) {
    notes.push(
      `${PREFIX}${read.unreadable} transcript(s) unreadable, ${read.refused} refused by containment`,
    );
  }
  if (rows.length === 0) notes.push(`${PREFIX}no events found for run '${run}'`);
  const obstacle = rows.length === 0 ? undefined : appendRows(ledger, rows.map(rowText));
  if (obstacle !== undefined) notes.push(PREFIX + obstacle);
  const compactions = options.phase === undefined ? compactionsOf(read) : null;
  const written = obstacle === undefined ? rows : [];
  const lines = written.map(rowText);
  if (compactions !== null) lines.push(compactionLine(compactions));
  return { data: { rows: written, compactions }, text: lines.join("\n"), notes };
}

function failure(message: string): JigError {
  return new JigError(PREFIX + message, { exitCode: 1, verbatim: true });
}

function requireRun(run: string | undefined): string {
  if (run === undefined) throw failure("missing required --run");
  if (!WORD.test(run)) throw failure(`invalid --run '${shown(run)}'`);
  return run;
}

function instant(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Date.parse(text);
  if (Number.isNaN(value)) throw failure(`unparseable ${flag} '${shown(text)}'`);
  return value;
}

/** `--dir`, which has to lie below the projects root; undefined when it was not given. */
function givenDirectory(
  host: Host,
  projects: string | undefined,
  dir: string | undefined,
): string | undefined {
  if (dir === undefined) return undefined;
  const path = absoluteFrom(host.cwd, dir);
  let inside: string | undefined;
  try {
    inside = projects === undefined ? undefined : containedRealPath(projects, path);
  } catch {
    // A place the system refuses to look at is not inside.
  }
  if (inside === undefined) throw failure("--dir not contained within the projects root");
  return inside;
}

interface Reading {
  agents: { role: string | undefined; reading: TranscriptReading }[];
  main: TranscriptReading[];
  unreadable: number;
  refused: number;
}

function emptyReading(): Reading {
  return { agents: [], main: [], unreadable: 0, refused: 0 };
}

function readAll(directory: string, session: string | undefined, bounds: TimeBounds): Reading {
  const found = findTranscripts(directory, session);
  const read: Reading = { ...emptyReading(), refused: found.refused };
  const seen = new Map<string, Set<string>>();
  const pairsOf = (id: string) => {
    const pairs = seen.get(id) ?? new Set<string>();
    seen.set(id, pairs);
    return pairs;
  };
  for (const { path, session: id, role } of found.agents) {
    const reading = readTranscript(path, bounds, pairsOf(id));
    if (reading === undefined) read.unreadable++;
    else read.agents.push({ role, reading });
  }
  for (const { path } of found.main) {
    // Only its compactions count; its turns are the orchestrator's.
    const reading = readTranscript(path, bounds, new Set());
    if (reading === undefined) read.unreadable++;
    else read.main.push(reading);
  }
  return read;
}

function rowsOf(run: string, phase: string | undefined, { agents }: Reading): MetricsRow[] {
  const spawns = new Map<string, TranscriptReading[]>();
  for (const { role, reading } of agents) {
    // The role of validation and architecture is one; `--since` parts them.
    const own = phase === "architecture" && role === "harness-triager" ? "architecture" : phaseOfRole(role);
    if (own === undefined || reading.turns.length === 0) continue;
    spawns.set(own, [...(spawns.get(own) ?? []), reading]);
  }
  if (phase !== undefined) return [rowOf(run, phase, spawns.get(phase) ?? [])];
  return [...spawns.keys()].sort().map((name) => rowOf(run, name, spawns.get(name)!));
}

function compactionsOf({ main, agents }: Reading): EmitReport["compactions"] {
  const ofMain = main.flatMap(({ compactions }) => compactions);
  const ofAgents = agents.flatMap(({ reading }) => reading.compactions);
  const all = [...ofMain, ...ofAgents];
  return all.length === 0 ? null : { main: ofMain.length, agents: ofAgents.length, ...compactionCost(all) };
}

function compactionLine({ main, agents, low, high }: NonNullable<EmitReport["compactions"]>): string {
  const thousands = (value: number) => `${roundHalfUp(value / 1000)}k`;
  return `Compactions: ${main + agents} (main ${main}, sub-agent ${agents}) — estimated summary-call cost ${thousands(low)}–${thousands(high)} equiv (estimate; not in totals)`;
}
