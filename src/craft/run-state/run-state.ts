import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { isRunning } from "../../kernel/process/index.ts";
import { printable } from "../../kernel/text/printable.ts";
import { readRunPayload } from "../common/payload.ts";
import { requireRunId, shown } from "../common/run-words.ts";
import { impactLines } from "../ledger/impacts/repair.ts";
import { isComplete, readStore } from "../ledger/impacts/store.ts";
import { visitRecords } from "../ledger/show.ts";
import { type BackgroundState, type ResolutionFacts, type RunState, RunStateBuilder } from "./derive.ts";

const PREFIX = "run-state: ";

/** Largest ledger read, in bytes (docs/spec/craft-run.md 3.1). */
const MAX_LEDGER_BYTES = 256 * 1024 * 1024;

/** Largest Resolution read, in bytes. */
const MAX_RESOLUTION_BYTES = 16 * 1024 * 1024;

export interface RunStateOptions {
  ledger: string | undefined;
  run: string | undefined;
  resolution: string | undefined;
  /** Look at the processes and output files of background runs. */
  liveness: boolean;
}

/** A background run with what `--liveness` saw of it. */
export type LiveBackground = BackgroundState & { alive?: boolean; outBytes?: number | null };

/** Rebuild where a run stands from its ledger and a fresh Resolution; nothing is written (docs/spec/craft-run.md 3). */
export async function runState(host: Host, options: RunStateOptions): Promise<Outcome<RunState>> {
  if (options.run === undefined) throw failure("missing --run");
  const run = requireRunId(PREFIX, options.run);
  if (options.ledger === undefined || options.ledger === "") throw failure("missing ledger path");
  const path = absoluteFrom(host.cwd, options.ledger);
  requireLedger(path, options.ledger);
  const facts = factsOf(
    await readRunPayload(host, PREFIX, options.resolution, MAX_RESOLUTION_BYTES, "--resolution"),
  );
  const builder = new RunStateBuilder(run, facts);
  try {
    visitRecords(path, run, ({ text }) => builder.add(text));
  } catch (error) {
    if (error instanceof Refused) throw failure(`${shown(options.ledger)}: ${error.why}`);
    throw error;
  }
  const derived = builder.end();
  if (!derived.ok) {
    const list = (ids: readonly string[] | undefined) => ids?.map(printable).join(",") ?? "absent";
    const message = `AWAITING(propose) mismatch — ledger: ${list(derived.ledger)}; resolution: ${list(derived.resolution)}`;
    throw failure(message, 1);
  }
  const { state } = derived;
  state.warnings.push(...impactWarnings(path, run));
  if (options.liveness) state.background = await Promise.all(state.background.map(withLiveness));
  const text = `${JSON.stringify(state, null, 2)}\n`;
  return { data: state, text, json: text };
}

function failure(message: string, exitCode = 2): JigError {
  return new JigError(PREFIX + message, { exitCode, verbatim: true });
}

function requireLedger(path: string, given: string): void {
  let size: number;
  try {
    const found = statSync(path);
    if (!found.isFile()) throw failure(`${shown(given)}: is not a regular file`);
    size = found.size;
  } catch (error) {
    if (error instanceof JigError) throw error;
    throw failure(`${shown(given)}: no such ledger, or it cannot be read`);
  }
  if (size > MAX_LEDGER_BYTES) throw failure(`${shown(given)}: is larger than ${MAX_LEDGER_BYTES} bytes`);
}

function factsOf(text: string): ResolutionFacts {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw failure(`the resolution is not valid JSON: ${(error as Error).message}`);
  }
  const { effective, gateDecisions } = (value ?? {}) as Record<string, unknown>;
  if (!Array.isArray(effective)) throw failure("resolution JSON must have an effective array");
  const ids = effective.map((phase, index) => {
    const id = (phase as { id?: unknown } | null)?.id;
    if (typeof id !== "string") throw failure(`resolution JSON: effective[${index}] has no id`);
    return id;
  });
  const decisions: unknown[] = Array.isArray(gateDecisions) ? gateDecisions : [];
  const propose = decisions.find((one) => (one as { phaseId?: unknown } | null)?.phaseId === "propose");
  const awaiting = (propose as { awaitingHarnesses?: unknown } | undefined)?.awaitingHarnesses;
  const list = Array.isArray(awaiting) ? awaiting.filter((id) => typeof id === "string") : [];
  return { effective: ids, awaiting: list };
}

/** What the impacts store beside the ledger and the ledger say differently. */
function impactWarnings(ledger: string, run: string): string[] {
  const name = basename(ledger).replace(/\.md$/, "");
  const store = join(dirname(ledger), `${name}.impacts.md`);
  let impacts: ReturnType<typeof readStore>;
  try {
    impacts = readStore(store);
  } catch (error) {
    if (error instanceof Refused) return [`the impacts store cannot be read: ${error.why}`];
    throw error;
  }
  if (impacts.length === 0) return [];
  const lines = impactLines(ledger, run);
  return impacts.flatMap((impact) => {
    if (!isComplete(impact)) return [`impact ${impact.id} is incomplete`];
    const warnings: string[] = [];
    if (!lines.deferred.has(impact.id))
      warnings.push(`impact ${impact.id} is stored but has no DEFERRED line`);
    if (impact.verdict !== undefined && !lines.triaged.has(impact.id)) {
      warnings.push(`impact ${impact.id} has a verdict but no TRIAGED line`);
    }
    return warnings;
  });
}

async function withLiveness(background: BackgroundState): Promise<LiveBackground> {
  return { ...background, alive: await isRunning(background.pid), outBytes: sizeOf(background.out) };
}

function sizeOf(path: string): number | null {
  try {
    return statSync(path).size;
  } catch {
    // Missing, or not to be looked at.
    return null;
  }
}
