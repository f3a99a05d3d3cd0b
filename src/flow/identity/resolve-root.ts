/** Which project a session works on, without guessing between several repositories (docs/spec/flow.md 2). */
import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom, realOrPlain } from "../../kernel/files/contain.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { type GitArguments, GitError, git, gitText } from "../../kernel/repository/git.ts";
import { mainTreeOf } from "../common/project.ts";
import { type Among, resolveAmong } from "./among.ts";
import { isSameFile } from "./scan.ts";
import type { RootDocument } from "./schema.ts";

/** How long git may take for one answer, milliseconds. */
const PATIENCE_MS = 5_000;

export interface RootQuestion {
  /** Where to look; the working directory without. */
  cwd?: string | undefined;
  /** May name one of several repositories. */
  request?: string | undefined;
  /** The answer to an earlier `AMBIGUOUS`. */
  choose?: string | undefined;
}

export interface ResolvedRoot {
  document: RootDocument;
  /** A sentence for each directory that could not be looked at. */
  notes: readonly string[];
}

/** The document of section 2. Throws `UsageError` when the choice is none of the candidates. */
export async function resolveRoot(host: Host, question: RootQuestion): Promise<ResolvedRoot> {
  const directory = realOrPlain(absoluteFrom(host.cwd, question.cwd ?? ""));
  const single = await topLevel(host, directory);
  if (single !== undefined) {
    checkChoice(host, question.choose, [single.root]);
    return { document: { ...BLANK, ...single.document }, notes: [] };
  }
  const among = await resolveAmong(host, directory, question.request ?? "");
  const candidates = "candidates" in among ? among.candidates : [];
  const chosen = checkChoice(host, question.choose, candidates);
  const notes = "notes" in among ? among.notes : [`${directory} cannot be listed: ${among.reason}`];
  return { document: { ...BLANK, ...(await answer(host, among, directory, chosen)) }, notes };
}

/** Every key, in the order of the page. */
const BLANK: RootDocument = {
  outcome: "NO_REPO_FOUND",
  project_root: null,
  candidates: [],
  candidate_labels: {},
  fallback_reason: null,
  corrected_from: null,
  workspace_writable_paths: [],
  workspace_writable_paths_dropped: [],
};

/** Step 1: git's own answer, and the main tree when that is one of the worktrees made for workflows. */
async function topLevel(host: Host, directory: string) {
  const top = await ask(host, directory, ["rev-parse", "--show-toplevel"]);
  if (top === undefined || top === "") return undefined;
  const main = mainTreeOf(top);
  const root = main ?? top;
  const document = {
    outcome: "SINGLE_REPO",
    project_root: root,
    corrected_from: main === undefined ? null : top,
  } as const;
  return { root, document };
}

/** Steps 3 to 6. */
async function answer(host: Host, among: Among, directory: string, chosen: string | undefined) {
  if (!("allowed" in among)) {
    const { outcome } = among;
    return { outcome, project_root: directory, fallback_reason: outcome };
  }
  const carried = {
    workspace_writable_paths: among.allowed.paths,
    workspace_writable_paths_dropped: among.allowed.dropped,
  };
  const root = chosen ?? among.root;
  if (root !== undefined) return { outcome: "DETERMINISTIC" as const, project_root: root, ...carried };
  const candidates = [...among.candidates];
  const labels = await Promise.all(candidates.map(async (path) => [path, await subjectOf(host, path)]));
  return {
    outcome: "AMBIGUOUS" as const,
    candidates,
    candidate_labels: Object.fromEntries(labels),
    ...carried,
  };
}

/** The subject of a repository's last commit, or null. */
async function subjectOf(host: Host, path: string): Promise<string | null> {
  return (await ask(host, path, ["log", "-1", "--format=%s"])) ?? null;
}

/** What git says in a directory; undefined when it says no, cannot be run, or takes too long. */
async function ask(host: Host, cwd: string, args: GitArguments): Promise<string | undefined> {
  if (!isDirectory(cwd)) return undefined;
  try {
    const result = await git(host, args, { cwd, timeoutMs: PATIENCE_MS });
    return result.exitCode === 0 ? gitText(result) : undefined;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

function checkChoice(
  host: Host,
  choose: string | undefined,
  candidates: readonly string[],
): string | undefined {
  if (choose === undefined) return undefined;
  const path = absoluteFrom(host.cwd, choose);
  const chosen = candidates.find((candidate) => isSame(path, candidate));
  if (chosen !== undefined) return chosen;
  const listed = candidates.length === 0 ? "there are none" : candidates.join(", ");
  throw new UsageError(`--choose ${choose} is none of the candidates: ${listed}`, {
    hint: "name one of them by its path",
  });
}

function isSame(a: string, b: string): boolean {
  try {
    return isSameFile(a, b);
  } catch {
    return false;
  }
}
