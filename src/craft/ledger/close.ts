import { rmSync } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { reasonOf } from "../common/fail.ts";
import { requireRunId } from "../common/run-words.ts";
import { requireRunDirectory, runFiles } from "./directory.ts";
import { ledgerFailure, PREFIX } from "./fail.ts";
import { withRunLock } from "./lock.ts";

/**
 * Take a run's files away. The pointer goes first, so a crash half-way is as good as closed and another call removes
 * the rest; a run that is not there is no error (docs/spec/craft-run.md 2.7).
 */
export async function close(host: Host, word: string): Promise<Outcome<{ run: string }>> {
  const runId = requireRunId(PREFIX, word);
  const directory = await requireRunDirectory(host);
  if (directory.state === "directory") {
    const { pointer, ledger, impacts } = runFiles(directory.path, runId);
    await withRunLock(directory, () => {
      for (const path of [pointer, ledger, impacts]) remove(path);
    });
  }
  return { data: { run: runId }, text: "" };
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw ledgerFailure(`cannot remove ${path}: ${reasonOf(error)}`);
  }
}
