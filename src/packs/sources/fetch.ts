/** Getting a git source into a work directory: a shallow clone, else a shallow fetch by commit id (docs/spec/packs.md section 6). */
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../../kernel/call/host.ts";
import { maskPasswords } from "../../kernel/config/packs-config.ts";
import { type GitArguments, GitError, git } from "../../kernel/repository/git.ts";
import { type Handover, handOver } from "./credentials.ts";

const DEFAULT_TIMEOUT_SECONDS = 60;

/** The longest a timer can wait. */
const MAX_TIMEOUT_SECONDS = 2_000_000;

/** What to fetch, and how a call of git for it is made. */
export interface FetchRequest {
  url: string;
  ref: string;
  /** Empty directory of ours; it holds the checkout afterwards. */
  work: string;
}

/** A fetch that gave nothing: the warning about it (`…; source skipped`), and what git said. */
export interface FetchFailure {
  warning: string;
  reason: string;
}

/** Seconds each git process may take: `CE_PACKS_GIT_TIMEOUT` when it is a positive number, else 60. */
export function gitTimeoutSeconds(env: Host["env"]): number {
  const text = env["CE_PACKS_GIT_TIMEOUT"]?.trim() ?? "";
  const seconds = text === "" ? Number.NaN : Number(text);
  return seconds > 0 && Number.isFinite(seconds)
    ? Math.min(seconds, MAX_TIMEOUT_SECONDS)
    : DEFAULT_TIMEOUT_SECONDS;
}

/**
 * Fetch one ref. Undefined when the work directory holds its checkout. Throws `JigError` (exit 130 or 143) when jig is
 * interrupted; git and its children are gone then.
 */
export async function fetchInto(host: Host, request: FetchRequest): Promise<FetchFailure | undefined> {
  const { url, ref, work } = request;
  const source = handOver(url);
  const clone: GitArguments = [
    "clone",
    "--quiet",
    "--depth=1",
    "--template=",
    "--no-recurse-submodules",
    `--branch=${ref}`,
  ];
  const cloned = await attempt(host, "clone", [...clone, "--", source.url, work], source, work);
  if (cloned === undefined || "final" in cloned) return cloned?.final;
  // A failed clone leaves nothing or a part; the fetch starts from an empty directory again.
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { mode: 0o700 });
  const steps: GitArguments[] = [
    ["init", "--quiet", "--template="],
    ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", source.url, ref],
    ["checkout", "--quiet", "--detach", "FETCH_HEAD"],
  ];
  for (const step of steps) {
    const failed = await attempt(host, "fetch", step, source, work);
    if (failed === undefined) continue;
    if ("final" in failed) return failed.final;
    const warning = `cannot fetch \`${ref}\` from ${maskPasswords(url)}; source skipped`;
    return { warning, reason: failed.said };
  }
  return undefined;
}

/** One git call. `said`: git failed with these words; `final`: there is no point in trying anything else. */
async function attempt(
  host: Host,
  phase: "clone" | "fetch",
  args: GitArguments,
  source: Handover,
  work: string,
): Promise<undefined | { said: string } | { final: FetchFailure }> {
  const seconds = gitTimeoutSeconds(host.env);
  const interruption = host.interruption();
  try {
    const result = await git(host, args, {
      cwd: work,
      timeoutMs: seconds * 1000,
      signal: interruption,
      // Rules are text: what a filter would fetch or decrypt is not wanted, and its program may not be installed.
      programs: "none",
      config: { "advice.detachedHead": "false", ...source.config },
      // A cache inside somebody's repository is not part of it.
      env: { GIT_CEILING_DIRECTORIES: dirname(work), ...source.env },
    });
    return result.exitCode === 0 ? undefined : { said: lastLine(result.stderr) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.failure === "cancelled") {
      throw new JigError("interrupted while fetching packs", { exitCode: exitCodeOf(interruption) });
    }
    if (error.failure === "timeout") {
      const reason = `git ${phase} timed out after ${Math.trunc(seconds)}s`;
      return { final: { warning: `${reason}; source skipped`, reason } };
    }
    if (error.failure === "missing") return { final: GIT_MISSING };
    if (error.failure === "too-old") {
      const reason = `${error.message}; ${error.hint}`;
      return { final: { warning: `${reason}; source skipped`, reason } };
    }
    return { said: error.message };
  }
}

const GIT_MISSING: FetchFailure = {
  warning: "git binary not found; source skipped",
  reason: "git binary not found",
};

function lastLine(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const told = lines.find((line) => /^(fatal|error|remote):/.test(line)) ?? lines.at(-1) ?? "git failed";
  return maskPasswords(told.replace(/^(fatal|error): /, ""));
}

/** The commit a checkout stands at; null when git cannot tell. */
export async function checkedOutCommit(host: Host, checkout: string): Promise<string | null> {
  try {
    // The directory named outright, or git would go looking for a repository further up.
    const env = { GIT_DIR: `${checkout}/.git` };
    const result = await git(host, ["rev-parse", "--verify", "--quiet", "HEAD"], { cwd: checkout, env });
    const commit = new TextDecoder().decode(result.stdout).trim();
    return result.exitCode === 0 && commit !== "" ? commit : null;
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}
