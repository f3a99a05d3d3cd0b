import type { Host } from "../../../kernel/call/host.ts";
import { byteRecords } from "../tree/byte-path.ts";
import { isContained } from "../tree/refs.ts";
import { look, type WorkTree } from "../tree/work-tree.ts";

/** What a merge comes to, as far as git can tell without touching the working tree. */
export interface MergeResult {
  verdict: "up_to_date" | "merged" | "conflict" | "unknown";
  /** The tree, or the commit, that it leaves; the branch's own where git cannot tell. */
  tree: string;
}

const CONFLICT = 1;

/** The result of merging `tip` into `head`. With `repository`, the repository's own merge programs are run. */
export async function mergeResult(
  host: Host,
  main: WorkTree,
  head: string,
  tip: string,
  programs: "none" | "repository",
): Promise<MergeResult> {
  if (await isContained(host, main, tip, head)) return { verdict: "up_to_date", tree: head };
  if (await isContained(host, main, head, tip)) return { verdict: "merged", tree: tip };
  const words = ["--write-tree", "-z", "--name-only", head, tip];
  const result = await look(host, main, ["merge-tree", ...words], { programs });
  const [tree] = byteRecords(result.stdout);
  if (result.exitCode > CONFLICT || tree === undefined || !/^[0-9a-f]{40,64}$/.test(tree)) {
    return { verdict: "unknown", tree: tip };
  }
  return { verdict: result.exitCode === CONFLICT ? "conflict" : "merged", tree };
}
