/** The repository meant among those below a directory (docs/spec/flow.md 2, steps 2 to 4 and the allowlist). */
import { errorCode, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { resolveReal } from "../../kernel/files/contain.ts";
import { type Allowlist, readAllowlist } from "./allowlist.ts";
import { candidateNamed, scanForRepositories } from "./scan.ts";

export type Among =
  | { outcome: "RESOLVE_SCRIPT_ERROR"; reason: string }
  | { outcome: "NO_REPO_FOUND"; notes: readonly string[] }
  | {
      outcome: "DETERMINISTIC" | "AMBIGUOUS";
      /** Undefined when several are possible. */
      root: string | undefined;
      candidates: readonly string[];
      allowed: Allowlist;
      notes: readonly string[];
    };

/** Only one repository, or only one that the request names, is an answer; several are a question. */
export async function resolveAmong(host: Host, directory: string, request: string): Promise<Among> {
  let scan: Awaited<ReturnType<typeof scanForRepositories>>;
  let real: string;
  try {
    real = resolveReal(directory);
    scan = await scanForRepositories(host, real);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { outcome: "RESOLVE_SCRIPT_ERROR", reason: osReason(error) };
  }
  const { candidates, notes } = scan;
  if (candidates.length === 0) return { outcome: "NO_REPO_FOUND", notes };
  const root = candidates.length === 1 ? candidates[0] : candidateNamed(candidates, request);
  const outcome = root === undefined ? "AMBIGUOUS" : "DETERMINISTIC";
  return { outcome, root, candidates, notes, allowed: readAllowlist(real, candidates) };
}
