import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { printable } from "../../kernel/text/printable.ts";
import { decideLock, decisionLine, isReclaimable } from "./lock/decide.ts";
import type { StalenessReport } from "./schema.ts";

/** `jig flow worktree staleness META ROOT [WF]` (docs/spec/flow-worktree.md 4.1): what to make of a merge lock. */
export async function staleness(
  host: Host,
  metadata: string,
  root: string,
  ownId: string | undefined,
): Promise<Outcome<StalenessReport>> {
  const decision = await decideLock(host, {
    metadataPath: absoluteFrom(host.cwd, metadata),
    root: absoluteFrom(host.cwd, root),
    ownId,
  });
  const { word, subject } = decision;
  return {
    data: { decision: word, subject, reclaimable: isReclaimable(decision) },
    text: printable(decisionLine(decision)),
  };
}
