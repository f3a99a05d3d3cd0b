/** `jig flow worktree create` (docs/spec/flow-worktree.md 3). */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { EXIT, JigError, osReason, UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { counted } from "../../../kernel/text/count.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { appendEvents, type EventFields } from "../../artifact/events.ts";
import { type Artifact, setAt, textAt } from "../../artifact/read.ts";
import { readArtifact, updateLocked } from "../../artifact/store.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { withArtifactLock } from "../../common/lock.ts";
import { projectRoot } from "../../common/project.ts";
import { insideProject } from "../../common/state-file.ts";
import { findWorkflow } from "../../common/workflow.ts";
import type { CreateReport } from "../schema.ts";
import { BRANCHES, commitOf, headRef } from "../tree/refs.ts";
import { registrationAt, registrationsOf } from "../tree/registrations.ts";
import { statusOf } from "../tree/status.ts";
import { look, treeAt, type WorkTree } from "../tree/work-tree.ts";
import { addWorktree, checkOutAgain } from "./add.ts";
import { excludeOwnDirectories } from "./exclude.ts";
import { chosenNames } from "./names.ts";
import { promptSection } from "./prompt-section.ts";
import {
  isThere,
  isWorktreePath,
  refuseElsewhere,
  refuseReplacing,
  strayHead,
  whyNotTop,
  whyNoWorktree,
} from "./standing.ts";

export interface CreateOptions {
  wf: string;
  project?: string | undefined;
  dir?: string | undefined;
  branch?: string | undefined;
  base?: string | undefined;
  /** Check the branch out again where the worktree is gone. */
  recreate: boolean;
  /** A fallback is exit 1. */
  strict: boolean;
  /** Leave `info/exclude` alone. */
  keepExclude: boolean;
}

/** One call: what it is for and what it knows. */
interface Call {
  host: Host;
  layout: Layout;
  wf: string;
  main: WorkTree;
  options: CreateOptions;
}

/** Where the work goes. Whatever fails, the workflow goes on: in the main tree, unless `--strict`. */
export async function create(host: Host, options: CreateOptions): Promise<Outcome<CreateReport>> {
  const layout = layoutOf(projectRoot(host, options.project));
  const wf = findWorkflow(layout, options.wf, "write");
  if (options.base?.startsWith("-"))
    throw new UsageError(`--base ${printable(options.base)}: not a revision`);
  const call: Call = { host, layout, wf, main: treeAt(layout.root), options };
  const report = await withArtifactLock(host, layout, wf, () => decide(call));
  const fallback = report.outcome === "fallback";
  return {
    data: report,
    text: report.worktree_path === null ? "main tree" : report.worktree_path,
    notes: [
      ...(report.reason === null ? [] : [`no worktree: ${printable(report.reason)}`]),
      ...report.warnings,
    ],
    exitCode: fallback && options.strict ? EXIT.failed : 0,
  };
}

async function decide(call: Call): Promise<CreateReport> {
  const artifact = readArtifact(call.layout, call.wf);
  const type = textAt(artifact, "workflow_type");
  if (type !== "BUILD") {
    throw new UsageError(`${call.wf} is a ${printable(type ?? "?")} workflow; only BUILD has a worktree`);
  }
  const mode = textAt(artifact, "worktree_mode");
  if (mode === "merged_and_removed" || mode === "removed_no_merge_needed") {
    throw new JigError(`the worktree of ${call.wf} is already finalized (${mode})`);
  }
  return mode === "auto_created" ? reuse(call, artifact) : make(call);
}

/** A worktree is recorded: it is there, or it can be checked out again. */
async function reuse(call: Call, artifact: Artifact): Promise<CreateReport> {
  const { host, layout, main, options } = call;
  const path = textAt(artifact, "worktree_path") ?? "";
  const branch = textAt(artifact, "worktree_branch") ?? "";
  if (path === "") return fallenBack("the artifact records a worktree without its path");
  if (!isWorktreePath(layout, path)) {
    throw new JigError(
      `worktree_path ${printable(path)} is not a place below ${printable(layout.worktrees)}`,
      {
        hint: `a project that was moved: jig flow set ${call.wf} worktree_path='"…"' --owned`,
      },
    );
  }
  const report = (outcome: "reused" | "recreated", warnings: string[]): CreateReport => ({
    ...found(outcome, path, branch, baseOf(artifact)),
    warnings,
  });
  if (isThere(path)) {
    const wrong = await whyNoWorktree(host, main, path);
    if (wrong !== undefined) {
      throw new JigError(`${printable(path)} is not the worktree it was: ${wrong}`, {
        hint: "nothing was changed; save what is in it, then put back what is missing (git worktree repair)",
      });
    }
    const stray = await strayHead(host, path, branch);
    return report("reused", stray === undefined ? [] : [stray]);
  }
  const registrations = await registrationsOf(host, main);
  refuseElsewhere(registrations, path, branch);
  if (!options.recreate) {
    throw new JigError(`the worktree ${printable(path)} is gone`, {
      hint: `jig flow worktree create ${call.wf} --recreate checks its branch out again`,
    });
  }
  refuseReplacing(registrations, path, branch);
  await checkOutAgain(host, main, path, branch);
  const notes = log(call, createdEvent(path, branch, { recreated: true }));
  return report("recreated", [
    `${path} was checked out again; uncommitted work that was in it is not there`,
    ...notes,
  ]);
}

async function make(call: Call): Promise<CreateReport> {
  const { host, layout, main, wf, options } = call;
  const names = await chosenNames(host, main, wf, options);
  let made: { path: string; branch: string; base: Base; excluded: string[]; warnings: string[] };
  let undo: (() => Promise<void>) | undefined;
  let adopted = false;
  try {
    if (typeof names === "string") throw new JigError(names);
    const path = join(layout.worktrees, names.directory);
    const wrong = await whyNotTop(host, main);
    if (wrong !== undefined) throw new JigError(wrong);
    const head = await commitOf(host, main, "HEAD");
    if (head === undefined) throw new JigError("the repository has no commit yet");
    const standing = registrationAt(await registrationsOf(host, main), path);
    adopted = standing?.branch === names.branch && (await isWhole(host, main, path));
    const start = adopted ? `${BRANCHES}${names.branch}` : (options.base ?? "HEAD");
    const commit = await commitOf(host, main, start);
    if (commit === undefined) throw new JigError(`there is no commit ${printable(start)}`);
    makeFolder(layout);
    const { added, warning } = options.keepExclude ? { added: [] } : await excludeOwnDirectories(host, main);
    if (!adopted) ({ undo } = await addWorktree(host, main, { path, branch: names.branch, commit }));
    const base: Base = {
      branch: (await headRef(host, main))?.replace(BRANCHES, "") ?? null,
      commit: await mergeBase(host, main, commit, head),
    };
    const warnings = [...(warning === undefined ? [] : [warning]), ...(await dirtyWarnings(host, main))];
    made = { path, branch: names.branch, base, excluded: added, warnings };
  } catch (error) {
    await undo?.();
    if (!(error instanceof JigError) || error instanceof UsageError) throw error;
    return recordFallback(call, error.message);
  }
  await record(call, made).catch(async (error: unknown) => {
    await undo?.();
    throw error;
  });
  const notes = log(call, createdEvent(made.path, made.branch, { base: { ...made.base } }));
  return {
    ...found(adopted ? "reused" : "created", made.path, made.branch, made.base),
    excluded: made.excluded,
    warnings: [...made.warnings, ...notes],
  };
}

interface Base {
  branch: string | null;
  commit: string;
}

async function isWhole(host: Host, main: WorkTree, path: string): Promise<boolean> {
  return isThere(path) && (await whyNoWorktree(host, main, path)) === undefined;
}

function makeFolder(layout: Layout): void {
  insideProject(layout.root, layout.worktrees);
  try {
    mkdirSync(layout.worktrees, { recursive: true });
  } catch (error) {
    throw new JigError(`cannot create ${printable(layout.worktrees)}: ${osReason(error)}`, { cause: error });
  }
}

/** What the main tree and the new branch have in common: the commit that has to stay in the main tree's history. */
async function mergeBase(host: Host, main: WorkTree, commit: string, head: string): Promise<string> {
  if (commit === head) return head;
  const { exitCode, stdout } = await look(host, main, ["merge-base", commit, head]);
  return exitCode === 0 ? new TextDecoder().decode(stdout).trim() : head;
}

async function dirtyWarnings(host: Host, main: WorkTree): Promise<string[]> {
  try {
    const entries = (await statusOf(host, main)).filter(({ path }) => !isOwn(path));
    if (entries.length === 0) return [];
    return [
      `the main tree has ${counted(entries.length, "uncommitted change")}; the worktree starts ` +
        "without, and finalize will wait until they are committed or stashed",
    ];
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return [`the main tree cannot be looked at: ${error.message}`];
  }
}

function isOwn(path: string): boolean {
  return path.startsWith(".claude/worktrees/") || path.startsWith(".craftflow/");
}

/** One write of the artifact. */
async function record(call: Call, made: { path: string; branch: string; base: Base }): Promise<void> {
  await updateLocked(call.host, call.layout, call.wf, (artifact) => {
    setAt(artifact, "worktree_mode", "auto_created");
    setAt(artifact, "worktree_path", made.path);
    setAt(artifact, "worktree_branch", made.branch);
    setAt(artifact, "worktree_base", { branch: made.base.branch, commit: made.base.commit });
    return { result: undefined };
  });
}

/** The state counts; an event that cannot be appended is a warning. */
function log({ host, layout, wf }: Call, event: EventFields): readonly string[] {
  try {
    return appendEvents(host, layout, wf, [event]).notes;
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return [`${event.event} could not be logged: ${error.message}`];
  }
}

function createdEvent(path: string, branch: string, more: object): EventFields {
  return { event: "worktree_created", worktree_path: path, worktree_branch: branch, ...more };
}

const LONGEST_REASON = 2000;

function recordFallback(call: Call, message: string): CreateReport {
  const reason = message.slice(0, LONGEST_REASON);
  const notes = log(call, { event: "worktree_fallback", reason });
  return { ...fallenBack(reason), warnings: [...notes] };
}

function fallenBack(reason: string): CreateReport {
  return {
    outcome: "fallback",
    worktree_path: null,
    worktree_branch: null,
    worktree_base: null,
    excluded: [],
    warnings: [],
    reason,
    prompt_section: null,
  };
}

function found(
  outcome: "created" | "reused" | "recreated",
  path: string,
  branch: string,
  base: CreateReport["worktree_base"],
): CreateReport {
  return {
    outcome,
    worktree_path: path,
    worktree_branch: branch,
    worktree_base: base,
    excluded: [],
    warnings: [],
    reason: null,
    prompt_section: promptSection(path),
  };
}

function baseOf(artifact: Artifact): CreateReport["worktree_base"] {
  const commit = textAt(artifact, "worktree_base.commit");
  return commit === null ? null : { branch: textAt(artifact, "worktree_base.branch"), commit };
}
