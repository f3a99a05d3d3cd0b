import { EXIT } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { parseObject } from "../../kernel/text/json.ts";
import { printable, printableBlock } from "../../kernel/text/printable.ts";
import { layoutOf } from "../common/layout.ts";
import { projectRoot } from "../common/project.ts";
import { judge, reclaim, sightMergeLock, textOf } from "./lock/acquire.ts";
import { decisionLine, isReclaimable } from "./lock/decide.ts";
import { holderProcess } from "./lock/metadata.ts";
import type { UnlockReport } from "./schema.ts";

export interface UnlockOptions {
  project?: string | undefined;
  /** Remove it although nothing proves that its holder is gone. */
  yes: boolean;
}

/**
 * `jig flow worktree unlock` (docs/spec/flow-worktree.md 7): say who holds the merge lock, and take it away when its holder
 * is proven gone, or when told to; never from a process that runs. Exit 3 when it was left.
 */
export async function unlock(host: Host, { project, yes }: UnlockOptions): Promise<Outcome<UnlockReport>> {
  const layout = layoutOf(projectRoot(host, project));
  const lock = layout.mergeLock;
  const seen = sightMergeLock(layout);
  if (lookAt(lock) === undefined) {
    const none = { lock, held: false, removed: false, decision: null, age_seconds: null, metadata: null };
    return { data: none, text: "no merge lock" };
  }
  const decision = await judge(host, layout);
  const line = decisionLine(decision);
  const age =
    seen.modifiedMs === undefined ? null : Math.max(0, Math.round((host.now() - seen.modifiedMs) / 1000));
  const running = (await holderProcess(decision.metadata ?? {})) === "running";
  const removed = (isReclaimable(decision) || (yes && !running)) && reclaim(layout, seen);
  const text = textOf(seen);
  const report = {
    lock,
    held: !removed,
    removed,
    decision: line,
    age_seconds: age,
    metadata: text === null ? null : (parseObject(text) ?? text),
  };
  const notes = removed ? [] : [whyLeft({ running, yes, reclaimable: isReclaimable(decision) })];
  const rows = [
    `${removed ? "removed" : "left"} ${printable(lock)}`,
    `decision: ${printable(line)}`,
    `age: ${age === null ? "?" : `${age} s`}`,
    `metadata: ${text === null ? "none" : printableBlock(text.trim())}`,
  ];
  return { data: report, text: rows.join("\n"), notes, exitCode: removed ? 0 : EXIT.notThisTime };
}

function whyLeft(facts: { running: boolean; yes: boolean; reclaimable: boolean }): string {
  if (facts.running)
    return "the process that holds it is running on this machine; wait until it is done, or end it first";
  if (facts.yes || facts.reclaimable) return "the lock changed meanwhile, or cannot be moved; look again";
  return "nothing proves that its holder is gone; when you are sure that it is, add --yes";
}
