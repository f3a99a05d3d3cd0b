import { join } from "node:path";
import { EXIT, JigError, UsageError } from "../../../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { isoSeconds } from "../../../kernel/text/time.ts";
import { readEvents } from "../../artifact/events.ts";
import { type Artifact, pendingGate, setAt, textAt, unmergedWorktree, valueAt } from "../../artifact/read.ts";
import { record } from "../../artifact/record.ts";
import { type Change, readArtifact, updateArtifact } from "../../artifact/store.ts";
import { readInput } from "../../common/arguments.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { withMemoryLock } from "../../common/lock.ts";
import { noted } from "../../common/notes.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { identityOf } from "../merge/bullet.ts";
import type { Merged } from "../merge/combine.ts";
import { mergeSection } from "../merge/section.ts";
import type { MemoryFinalize } from "../schema.ts";
import { appendArchive } from "../store/archive.ts";
import { ensureDirectory } from "../store/directory.ts";
import { healFile } from "../store/healed-file.ts";
import { changeMemory, readMemory } from "../store/memory-file.ts";
import { clearPermit, setPermit } from "../store/permit.ts";
import { flatPath, projectTier, workflowTier } from "../store/tier.ts";
import { oneLine } from "../text/add.ts";
import { durationsOf } from "./durations.ts";
import { type Edit, MOST_COMPLETED, newestEdit } from "./edits.ts";
import { type FinalizeInput, parseInput } from "./input.ts";
import { type FilePlan, planEdits } from "./plan.ts";

const MOST_PATTERNS = 60;

export interface FinalizeOptions {
  wf: string;
  from: string;
  project?: string | undefined;
}

/**
 * `jig flow memory finalize` (docs/spec/flow.md 9.7): what a workflow learned goes into memory, under the permit, and the
 * workflow is done. Whatever fails, the permit is gone and no `memory_finalized` is written; a rerun repeats nothing.
 */
export async function finalize(host: Host, options: FinalizeOptions): Promise<Outcome<MemoryFinalize>> {
  const layout = layoutOf(projectRoot(host, options.project));
  const wf = findWorkflow(layout, options.wf, "write");
  const input = parseInput(await readInput(host, options.from));
  const artifact = readArtifact(layout, wf);
  if (input.debugResult !== undefined && textAt(artifact, "workflow_type") !== "DEBUG") {
    throw new UsageError(`debug_result belongs to a DEBUG workflow; ${wf} is ${workflowType(artifact)}`);
  }
  refuseUnfinished(wf, artifact);
  const run = new Finalization(host, layout, wf, input);
  const notes = await withMemoryLock(host, layout.state, () => run.all(artifact));
  const { archived, archivePath, changed, warnings } = run;
  return {
    data: { workflow_uuid: wf, changed, archived, archive_path: archivePath },
    text: [`memory of ${wf} is finalized`, ...changed.map((path) => `changed\t${printable(path)}`)].join(
      "\n",
    ),
    notes: [...warnings, ...noted(host, notes)],
  };
}

/** Exit 3 while somebody has to decide, or work is not in the main tree yet. */
function refuseUnfinished(wf: string, artifact: Artifact): void {
  const gate = pendingGate(artifact);
  if (gate !== null) {
    throw new JigError(`${wf} waits at the gate ${printable(gate)}; its memory is finalized after that`, {
      exitCode: EXIT.notThisTime,
      hint: `jig flow gate ${wf} show says what it waits for`,
    });
  }
  if (unmergedWorktree(artifact) !== null) {
    throw new JigError(`${wf} has a worktree that is not merged; its memory is finalized after that`, {
      exitCode: EXIT.notThisTime,
      hint: `jig flow worktree finalize ${wf}`,
    });
  }
}

class Finalization {
  readonly changed: string[] = [];
  /** Each said once, however often a text is merged. */
  readonly warnings = new Set<string>();
  archived: string[] = [];
  archivePath: string | null = null;
  /** What was retracted anywhere, by identity. */
  readonly #retracted = new Set<string>();

  readonly #host: Host;
  readonly #layout: Layout;
  readonly #wf: string;
  readonly #input: FinalizeInput;
  readonly #interruption: AbortSignal;

  constructor(host: Host, layout: Layout, wf: string, input: FinalizeInput) {
    this.#host = host;
    this.#layout = layout;
    this.#wf = wf;
    this.#input = input;
    // A signal waits for the end of a step: the permit may not stay behind.
    this.#interruption = host.interruption();
  }

  /** Under the memory lock. Gives notes for stderr. */
  async all(artifact: Artifact): Promise<readonly string[]> {
    try {
      setPermit(this.#layout, this.#wf);
      this.#writeFiles(artifact);
    } finally {
      clearPermit(this.#layout);
    }
    const { notes } = await updateArtifact(this.#host, this.#layout, this.#wf, (now, at) =>
      this.#close(now, at),
    );
    return notes;
  }

  #writeFiles(artifact: Artifact): void {
    this.#mergePatterns();
    const merged = (one: Merged) => this.#merged(one);
    for (const plan of planEdits(this.#layout, this.#wf, artifact, this.#input, merged)) this.#write(plan);
    this.#trimCompleted();
    for (const text of this.#input.retractions) {
      if (!this.#retracted.has(identityOf(text)))
        this.warnings.add(`Warning: nothing to retract reads: ${printable(oneLine(text))}`);
    }
  }

  /** The one section with a cap: what it evicts is in the archive before the file is trimmed. */
  #mergePatterns(): void {
    const { patterns, retractions } = this.#input;
    const tier = projectTier(this.#layout);
    if (patterns.length === 0 && retractions.length === 0) return;
    const archivePath = `.craftflow/state/project/archive/common-gotchas-${this.#month()}.md`;
    const change = { notes: patterns, retractions, cap: MOST_PATTERNS, archivePath };
    const merge: Edit = (text) => {
      const merged = mergeSection(text, "Common Gotchas", change, "bullets")!;
      this.#archive(archivePath, merged.evicted);
      this.#merged(merged);
      return merged.text;
    };
    const edits = patterns.length > 0 ? { edits: [merge], cleanups: [] } : { edits: [], cleanups: [merge] };
    this.#write({ tier, file: "patterns.md", ...edits });
  }

  #trimCompleted(): void {
    const tier = workflowTier(this.#layout, this.#wf);
    const archivePath = `.craftflow/state/workflows/${this.#wf}/archive/completed-${this.#month()}.md`;
    const newest = newestEdit("Completed", MOST_COMPLETED, (lines) =>
      appendArchive(this.#layout.root, join(this.#layout.root, archivePath), lines),
    );
    this.#write({ tier, file: "progress.md", edits: [], cleanups: [newest] });
  }

  #archive(path: string, evicted: readonly string[]): void {
    if (evicted.length === 0) return;
    appendArchive(this.#layout.root, join(this.#layout.root, path), evicted);
    this.archived = [...evicted];
    this.archivePath = path;
  }

  /** A file that only a cleanup is about is neither made nor healed. */
  #write({ cleanups, edits, file, tier }: FilePlan): void {
    const path = tier.path(file);
    if (this.#interruption.aborted) {
      throw new JigError("interrupted; a rerun finishes it", { exitCode: exitCodeOf(this.#interruption) });
    }
    if (edits.length === 0 && readMemory(tier.base, path) === undefined) return;
    ensureDirectory(tier.base, tier.directory);
    let made = false;
    if (edits.length > 0) {
      const flat =
        tier.name === "project" ? readMemory(this.#layout.root, flatPath(this.#layout, file)) : undefined;
      made = healFile(tier, file, flat).did !== "nothing";
    }
    const changed = changeMemory(tier.base, path, (text) =>
      [...edits, ...cleanups].reduce((now, edit) => edit(now), text ?? ""),
    );
    if ((made || changed) && !this.changed.includes(path)) this.changed.push(path);
  }

  /** The workflow's own record: it is done, how long it took, and nothing waits for memory any more. */
  #close(artifact: Artifact, at: string): Change<undefined> {
    refuseUnfinished(this.#wf, artifact);
    const { events } = readEvents(this.#layout, this.#wf);
    const { agentSeconds, workflowSeconds } = durationsOf(events, Date.parse(at));
    if (workflowSeconds !== undefined)
      setAt(artifact, "telemetry.workflow_wall_clock_seconds", workflowSeconds);
    for (const [agent, seconds] of agentSeconds) {
      setAt(artifact, `telemetry.agent_wall_clock_seconds.${agent}`, seconds);
    }
    if (valueAt(artifact, "telemetry.task_metrics_available") !== true) {
      setAt(artifact, "telemetry.task_metrics_available", "event_log");
    }
    setAt(artifact, "memory_notes", []);
    // After a run that was cut off between the two, what is there is not written again.
    const event = { event: "memory_finalized", agent: "router", phase: textAt(artifact, "phase_cursor") };
    if (!isLastOfHistory(artifact)) record(artifact, at, event);
    const inLog = events.some((one) => one.get("event") === "memory_finalized");
    return { result: undefined, events: inLog ? [] : [event] };
  }

  #merged({ retracted, warnings }: Merged): void {
    for (const warning of warnings) this.warnings.add(warning);
    for (const identity of retracted) this.#retracted.add(identity);
  }

  #month(): string {
    return isoSeconds(this.#host.now()).slice(0, 7);
  }
}

function isLastOfHistory(artifact: Artifact): boolean {
  const history = valueAt(artifact, "status_history");
  const last = Array.isArray(history) ? history.at(-1) : undefined;
  return last instanceof Map && last.get("event") === "memory_finalized";
}

function workflowType(artifact: Artifact): string {
  return printable(textAt(artifact, "workflow_type") ?? "of no known type");
}
