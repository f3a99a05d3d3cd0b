/** `jig flow worktree status` (docs/spec/flow-worktree.md 7): what there is, in what state, and who holds the lock. */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { errorCode, JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome, Terminal } from "../../../kernel/call/outcome.ts";
import { FileError } from "../../../kernel/files/file-io.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { table } from "../../../kernel/text/table.ts";
import { pendingGate, textAt } from "../../artifact/read.ts";
import { isDone, readArtifact } from "../../artifact/store.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow, workflowIds } from "../../common/workflow.ts";
import { judge, sightMergeLock } from "../lock/acquire.ts";
import { decisionLine } from "../lock/decide.ts";
import type { WorktreeStatus } from "../schema.ts";
import { type Registration, registrationAt, registrationsOf } from "../tree/registrations.ts";
import { treeAt, type WorkTree } from "../tree/work-tree.ts";
import { leftBranches, measure } from "./measure.ts";

export interface WorktreeStatusOptions {
  wf?: string | undefined;
  project?: string | undefined;
}

type Row = WorktreeStatus["worktrees"][number];
type Finding = WorktreeStatus["findings"][number];

/** A workflow that has, or had, a worktree. */
interface Claim {
  id: string;
  path: string | null;
  branch: string | null;
  mode: string | null;
  gate: string | null;
  stage: string | null;
  trash: string | null;
  open: boolean;
}

/** Changes nothing, and is exit 0 whatever it finds. */
export async function worktreeStatus(
  host: Host,
  { wf, project }: WorktreeStatusOptions,
): Promise<Outcome<WorktreeStatus>> {
  const layout = layoutOf(projectRoot(host, project));
  const only = wf === undefined ? undefined : findWorkflow(layout, wf, "read");
  const main = treeAt(layout.root);
  const findings: Finding[] = [];
  const claims = claimsOf(layout, findings);
  const registrations = await registered(host, main, findings);
  const rows = await rowsOf(host, layout, main, { claims, registrations, findings });
  if (registrations.length > 0) findings.push(...(await branchFindings(host, main, registrations, claims)));
  findings.push(...leftovers(layout, claims));
  const data: WorktreeStatus = {
    project_root: layout.root,
    worktrees: rows.filter(({ workflow }) => only === undefined || workflow === only),
    findings: findings.filter(({ workflow }) => only === undefined || workflow === only),
    lock: await lockReport(host, layout),
  };
  return { data, text: (terminal) => rendered(data, terminal) };
}

function claimsOf(layout: Layout, findings: Finding[]): Claim[] {
  const claims: Claim[] = [];
  for (const id of workflowIds(layout)) {
    try {
      const artifact = readArtifact(layout, id);
      claims.push({
        id,
        path: textAt(artifact, "worktree_path"),
        branch: textAt(artifact, "worktree_branch"),
        mode: textAt(artifact, "worktree_mode"),
        gate: pendingGate(artifact),
        stage: textAt(artifact, "worktree_finalize.stage"),
        trash: textAt(artifact, "worktree_finalize.trash"),
        open: !isDone(layout, id, artifact),
      });
    } catch (error) {
      if (!(error instanceof JigError)) throw error;
      findings.push(finding("unreadable", layout.artifact(id), id, error.message));
    }
  }
  return claims;
}

async function registered(host: Host, main: WorkTree, findings: Finding[]): Promise<Registration[]> {
  try {
    return await registrationsOf(host, main);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    findings.push(finding("unreadable", main.top, null, error.message));
    return [];
  }
}

interface Known {
  claims: readonly Claim[];
  registrations: readonly Registration[];
  findings: Finding[];
}

async function rowsOf(host: Host, layout: Layout, main: WorkTree, known: Known): Promise<Row[]> {
  const names = namesIn(layout.worktrees).filter((name) => !name.startsWith("."));
  const paths = new Set(names.map((name) => join(layout.worktrees, name)));
  for (const { path, mode, open } of known.claims) {
    if (path !== null && mode === "auto_created" && open) paths.add(path);
  }
  const rows: Row[] = [];
  for (const path of [...paths].sort()) rows.push(await rowOf(host, main, path, known));
  return rows;
}

async function rowOf(host: Host, main: WorkTree, path: string, known: Known): Promise<Row> {
  const claim = known.claims.find((one) => one.path === path);
  const registration = registrationAt(known.registrations, path);
  const exists = lookAt(path) !== undefined;
  const branch = claim?.branch ?? registration?.branch ?? null;
  if (claim === undefined) {
    known.findings.push(finding("no-workflow", path, null, "no workflow of this project has this directory"));
  } else if (!exists) {
    const message = `the worktree of ${claim.id} is gone: ${path}`;
    known.findings.push(finding("directory-gone", path, claim.id, message));
  }
  return {
    path,
    branch,
    workflow: claim?.id ?? null,
    mode: claim?.mode ?? null,
    exists,
    registered: registration !== undefined,
    head_on_branch: registration === undefined || branch === null ? null : registration.branch === branch,
    ...(await measure(host, main, { path, branch, usable: exists && registration !== undefined })),
    gate: claim?.gate ?? null,
    stage: claim?.stage ?? null,
  };
}

async function branchFindings(
  host: Host,
  main: WorkTree,
  registrations: readonly Registration[],
  claims: readonly Claim[],
): Promise<Finding[]> {
  const taken = new Set([...registrations, ...claims.filter(({ open }) => open)].map(({ branch }) => branch));
  const left = (await leftBranches(host, main)).filter(({ branch }) => !taken.has(branch));
  return left.map(({ branch, merged }) => {
    const fate = merged === null ? "" : merged ? ", merged" : ", not merged: it may hold work";
    const workflow = claims.find((one) => one.branch === branch)?.id ?? null;
    return { ...finding("branch-left", branch, workflow, `a branch without a worktree${fate}`), merged };
  });
}

/** What an interrupted call left beside the worktrees. */
function leftovers(layout: Layout, claims: readonly Claim[]): Finding[] {
  return namesIn(layout.worktrees).flatMap((name) => {
    const path = join(layout.worktrees, name);
    if (name.startsWith(".merge.lock.")) {
      return [finding("lock-left", path, null, "what is left of a merge lock; it holds nobody up")];
    }
    if (!name.startsWith(".trash-")) return [];
    const claim = claims.find(({ trash }) => trash !== null && basename(trash) === name);
    const whose =
      claim === undefined ? "" : ` of ${claim.id}${claim.stage === null ? "" : `, stage ${claim.stage}`}`;
    return [finding("trash-left", path, claim?.id ?? null, `a worktree that was set aside${whose}`)];
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw new FileError("cannot list", directory, error);
  }
}

function finding(kind: Finding["kind"], what: string, workflow: string | null, message: string): Finding {
  return { kind, what, workflow, merged: null, message };
}

async function lockReport(host: Host, layout: Layout): Promise<WorktreeStatus["lock"]> {
  if (lookAt(layout.mergeLock) === undefined) return null;
  const { modifiedMs } = sightMergeLock(layout);
  const decision = await judge(host, layout);
  return {
    holder: decision.subject,
    age_seconds: modifiedMs === undefined ? null : Math.max(0, Math.round((host.now() - modifiedMs) / 1000)),
    decision: decisionLine(decision),
  };
}

function rendered(data: WorktreeStatus, terminal: Terminal): string {
  const header = ["WORKTREE", "BRANCH", "WORKFLOW", "STATE", "AHEAD", "BEHIND", "UNCOMMITTED", "GATE"];
  const rows = data.worktrees.map((row) =>
    [
      row.path,
      row.branch ?? "-",
      row.workflow ?? "-",
      stateOf(row),
      row.ahead ?? "-",
      row.behind ?? "-",
      row.uncommitted ?? "-",
      row.gate ?? "-",
    ].map(String),
  );
  const lines = rows.length === 0 ? ["no worktrees"] : [table(header, rows, terminal).trimEnd()];
  for (const { kind, what, message } of data.findings) {
    lines.push(`${kind}: ${printable(what)}: ${printable(message)}`);
  }
  const { lock } = data;
  if (lock !== null) {
    const age = lock.age_seconds === null ? "unknown age" : `${lock.age_seconds} s old`;
    lines.push(`merge lock: ${printable(lock.holder)}, ${age}, ${printable(lock.decision)}`);
  }
  return lines.join("\n");
}

function stateOf({ exists, registered, head_on_branch: onBranch, mode, stage }: Row): string {
  if (!exists) return "gone";
  if (!registered) return "not registered";
  if (onBranch === false) return "on another branch";
  return stage ?? mode ?? "ok";
}
