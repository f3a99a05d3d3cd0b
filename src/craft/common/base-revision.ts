/** What a run's branch is compared with: asked of git, which runs nothing that the repository names. */
import type { Host } from "../../kernel/call/host.ts";
import { git, gitRecords, gitText } from "../../kernel/repository/git.ts";

/** Names of a base when none is given, in order (docs/spec/craft-run.md 7.3). */
const BASES = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];

/** The commit of the base: of the revision given, else of the remote's default branch, `main` or `master`. */
export async function baseCommit(
  host: Host,
  root: string,
  given: string | undefined,
): Promise<string | undefined> {
  for (const name of given === undefined ? BASES : [given]) {
    const words = ["--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    const result = await git(host, ["rev-parse", ...words], { cwd: root });
    const commit = gitText(result);
    if (result.exitCode === 0 && /^[0-9a-f]{40,64}$/.test(commit)) return commit;
  }
  return undefined;
}

/** Paths that differ between the merge base and `HEAD`, both names of a moved file; undefined when git cannot tell. */
export async function changedSince(host: Host, root: string, commit: string): Promise<string[] | undefined> {
  const words = ["--name-only", "-z", "--no-renames", "--no-relative", `${commit}...HEAD`, "--"];
  const result = await git(host, ["diff", ...words], { cwd: root });
  return result.exitCode === 0 ? gitRecords(result.stdout) : undefined;
}
