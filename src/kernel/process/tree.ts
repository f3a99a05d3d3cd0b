import { descendantsIn } from "./descendants.ts";
import type { HeldProcess, ProcessTable, SignalName, TreeKill } from "./facts.ts";
import { exists, holdProcess, send } from "./hold.ts";

type Leader = Pick<TreeKill, "pid" | "identity" | "isMember">;

const KILLED_WITHIN_MS = 5_000;
const POLL_MS = 10;

/**
 * End a whole tree (docs/spec/jobs.md 7.4): ask its process group, give it the grace, kill the group, then everything
 * in its session and every recorded descendant that left both. Processes are recorded before the first signal and again
 * before the kill, and held by identity, so that a recycled pid is never hit. Works for a leader that is already gone:
 * its group and session last as long as one member does. Does nothing when another process has the leader's pid, since
 * then both have ended.
 */
export async function killTreeIn(table: ProcessTable, target: TreeKill): Promise<void> {
  if (await hasEnded(table, target)) return;
  const ended =
    target.leaderEndedWithin ??
    ((milliseconds: number) => endedWithin(table, target.pid, target.identity, milliseconds));
  const held = new Map<number, HeldProcess>();
  try {
    await recordInto(held, table, target);
    await signalAll(held, table, target, "SIGTERM");
    if (!(await ended(target.graceMs))) {
      await recordInto(held, table, target);
      await signalAll(held, table, target, "SIGKILL");
      await signalEach(held.values(), "SIGKILL");
      await ended(KILLED_WITHIN_MS);
    }
    await sweep(held, table, target);
  } finally {
    for (const process of held.values()) process.close();
  }
}

/**
 * Ask and at once kill whatever is left in a leader's group and session, and below it, so that no background child
 * outlives a terminal record. Nothing when another process has the leader's pid: a number is not reused while a group
 * or session bears it.
 */
export async function sweepSessionIn(table: ProcessTable, leader: Leader): Promise<void> {
  if (await hasEnded(table, leader)) return;
  const held = new Map<number, HeldProcess>();
  try {
    await sweep(held, table, leader);
  } finally {
    for (const process of held.values()) process.close();
  }
}

/** Whether group and session are proven gone: the leader's pid is another process's, or the system was restarted. */
async function hasEnded(table: ProcessTable, { pid, identity }: Leader): Promise<boolean> {
  if (identity === undefined) return false;
  const facts = await table.read(pid);
  return facts === undefined ? table.isFromAnotherBoot(identity) : facts.identity !== identity;
}

const SWEPT_WITHIN_MS = 1_000;

/** Kill what is held and what is still found, until a look finds nobody new: a member may start another meanwhile. */
async function sweep(held: Map<number, HeldProcess>, table: ProcessTable, leader: Leader): Promise<void> {
  const deadline = performance.now() + SWEPT_WITHIN_MS;
  for (let first = true; ; first = false) {
    const known = new Set(held.keys());
    await recordInto(held, table, leader);
    const found = [...held.values()].filter(({ pid }) => !known.has(pid));
    if (first && (await mayUseNumber(table, leader)) && send(-leader.pid, "SIGTERM"))
      send(-leader.pid, "SIGKILL");
    await signalEach(found, "SIGTERM");
    await signalEach(first ? held.values() : found, "SIGKILL");
    if (found.length === 0 || performance.now() > deadline) break;
  }
  for (const process of held.values())
    await endedWithin(table, process.pid, process.identity, SWEPT_WITHIN_MS);
}

/** Whether the leader's number names its own group for sure, so that the whole of it can be signalled at once. */
async function mayUseNumber(table: ProcessTable, { pid, identity, isMember }: Leader): Promise<boolean> {
  if (isMember === undefined) return true;
  const facts = await table.read(pid);
  return facts !== undefined && (identity === undefined || facts.identity === identity);
}

/** Add the tree below the leader and below every member of its group and session: a member's parent may be gone already. */
async function recordInto(
  held: Map<number, HeldProcess>,
  table: ProcessTable,
  leader: Leader,
): Promise<void> {
  const isTrusted = await mayUseNumber(table, leader);
  const snapshot = await table.snapshot();
  const members = snapshot.filter(
    ({ pid, group, session }) =>
      (group === leader.pid || session === leader.pid) &&
      pid !== leader.pid &&
      (isTrusted || leader.isMember!(pid)),
  );
  const below = descendantsIn(snapshot, [leader.pid, ...members.map((facts) => facts.pid)]);
  for (const facts of [...below, ...members]) {
    if (held.has(facts.pid) || facts.zombie || facts.pid === process.pid) continue;
    const one = await holdProcess(table, facts.pid, facts.identity);
    if (one !== undefined) held.set(facts.pid, one);
  }
}

async function signalAll(
  held: ReadonlyMap<number, HeldProcess>,
  table: ProcessTable,
  target: TreeKill,
  name: SignalName,
): Promise<void> {
  if ((await mayUseNumber(table, target)) && send(-target.pid, name)) return;
  await signalEach(held.values(), name);
  const leader = await holdProcess(table, target.pid, target.identity);
  await leader?.signal(name);
  leader?.close();
}

async function signalEach(held: Iterable<HeldProcess>, name: SignalName): Promise<void> {
  for (const process of held) await process.signal(name);
}

/** Whether a process ends, or is found to be a zombie or another one, within this time. */
export async function endedWithin(
  table: ProcessTable,
  pid: number,
  identity: string | undefined,
  milliseconds: number,
): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const facts = await table.read(pid);
    // Where the system does not tell, existence decides.
    const there =
      facts === undefined
        ? exists(pid)
        : !facts.zombie && (identity === undefined || facts.identity === identity);
    if (!there) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_MS, left)));
  }
}

const GROUP_POLL_MS = 25;

/** Whether the last running member of a process group ends within this time. A zombie bears the number, but does nothing. */
export async function groupEndedIn(
  table: ProcessTable,
  leader: number,
  milliseconds: number,
): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (exists(-leader)) {
    const members = (await table.snapshot()).filter((facts) => facts.group === leader);
    // Nobody visible is no proof where the system does not tell; the number alone then decides.
    if (members.length > 0 && members.every((facts) => facts.zombie)) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(GROUP_POLL_MS, left)));
  }
  return true;
}
