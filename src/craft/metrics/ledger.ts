import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { appendRecords, readRecords } from "../../kernel/files/append.ts";
import { publishExclusive } from "../../kernel/files/atomic.ts";
import { absoluteFrom, containedRealPath } from "../../kernel/files/contain.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { git, gitText } from "../../kernel/repository/git.ts";
import { type MetricsRow, parseRow } from "./usage.ts";

/** What a new ledger begins with. */
const HEADER = `# craft per-phase metrics (append-only)
# duration_ms: agent time summed over spawns, not wall clock; equiv: input + 0.1 cache_read + 1.25 cache_creation + 5 output, a relative unit
`;

/** The root of the metrics ledger: the git top level, or the working directory outside a work tree. */
export async function metricsRoot(host: Host): Promise<string> {
  try {
    const result = await git(host, ["rev-parse", "--show-toplevel"]);
    const top = gitText(result);
    return result.exitCode === 0 && top !== "" ? top : host.cwd;
  } catch {
    // Without git there is only the working directory.
    return host.cwd;
  }
}

/** Where the ledger is; undefined when `given` leads out of the root. */
export function ledgerPath(host: Host, root: string, given: string | undefined): string | undefined {
  const path =
    given === undefined ? join(root, ".claude", "craft-metrics.md") : absoluteFrom(host.cwd, given);
  if (lookAt(path)?.isSymbolicLink()) return undefined;
  try {
    return containedRealPath(root, path);
  } catch {
    return undefined;
  }
}

/** Append rows; gives what stands in the way, with the system's code, when nothing was written. */
export function appendRows(path: string, rows: readonly string[]): string | undefined {
  const found = lookAt(path);
  if (found !== undefined && !found.isFile()) return "ledger read failed (EISDIR), refusing to write";
  try {
    if (found === undefined) {
      mkdirSync(dirname(path), { recursive: true });
      publishExclusive(path, HEADER);
    }
    appendRecords(path, rows);
    return undefined;
  } catch (error) {
    return `ledger write failed (${errorCode(error) ?? errorCode((error as { cause?: unknown }).cause) ?? "EIO"})`;
  }
}

/** Every row of a ledger in its order, and how many lines are none; undefined when there is no ledger. */
export function readRows(path: string): { rows: MetricsRow[]; skipped: number } | undefined {
  const rows: MetricsRow[] = [];
  let skipped = 0;
  const decoder = new TextDecoder();
  try {
    readRecords(path, { uid: undefined }, ({ bytes }) => {
      const line = decoder.decode(bytes);
      const row = parseRow(line);
      if (row !== undefined) rows.push(row);
      else if (!line.startsWith("#") && line.trim() !== "") skipped++;
    });
    return { rows, skipped };
  } catch (error) {
    if (error instanceof Refused && error.reason === "absent") return undefined;
    throw error;
  }
}
