import { join } from "node:path";
import { errorCode, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { publishExclusive, writeFileAtomic } from "../../kernel/files/atomic.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { isAlive, isFromAnotherBoot, pidNamespace, processFacts } from "../../kernel/process/index.ts";
import { asciiJson } from "../../kernel/text/python-json.ts";
import type { TerminalRecord } from "./classify.ts";
import { FILE_MODE, REASON, STATUS } from "./directory.ts";
import { readJsonObject, readPid } from "./files.ts";
import { hasRecord } from "./state.ts";

/** Longest `reason`, newline included. */
const REASON_BYTES = 1_000;

/**
 * A claim of another process namespace or another boot can only be judged by its age. A publisher lives for a minute at most, and even
 * one that comes back later cannot replace the record, which is published exclusively.
 */
const FOREIGN_CLAIM_MS = 120_000;

/** `published`: by this call. `superseded`: a record exists or another publisher is at it; nothing was changed. */
export type Publication = "published" | "superseded";

/**
 * Write the one terminal record of a job: `reason` first, `status` last (docs/spec/jobs.md 4.3). Candidates are serialised
 * by the claim `.settle`; `status` itself is made to appear exclusively, so there is never a second one.
 * Throws the operating system's error when the disk refuses it; calling again is safe.
 */
export async function publishRecord(
  host: Pick<Host, "uid" | "now" | "pid">,
  directory: string,
  record: TerminalRecord,
): Promise<Publication> {
  if (hasRecord(directory)) return "superseded";
  if (!(await claim(host, directory)) || hasRecord(directory)) return "superseded";
  try {
    writeFileAtomic(join(directory, REASON), reasonLine(record.reason), { mode: FILE_MODE });
  } catch {
    // The reason is decoration; the state is not.
  }
  const published = publishExclusive(join(directory, STATUS), `${record.state}\n`, { mode: FILE_MODE });
  return published ? "published" : "superseded";
}

/** One line of printable ASCII, cut to what readers accept. */
export function reasonLine(reason: string): string {
  const line = reason.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").replaceAll(/[^ -~]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
    return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
  });
  return `${line.slice(0, REASON_BYTES - 1)}\n`;
}

/**
 * Take the claim. Each claim names its owner; one whose owner is proven gone is superseded by the next in the row
 * (`.settle`, `.settle.1`, …), and each is created exclusively: of any number of candidates one gets it. A claim of
 * our own from an earlier try that failed still counts.
 */
async function claim(host: Pick<Host, "uid" | "now" | "pid">, directory: string): Promise<boolean> {
  const own = await ownClaim(host);
  for (let row = 0; ; row++) {
    const path = join(directory, row === 0 ? ".settle" : `.settle.${row}`);
    // Hard links keep a claim whole: it is never seen without its owner.
    if (publishExclusive(path, `${asciiJson(own)}\n`, { mode: FILE_MODE })) return true;
    const owner = await ownerOf(host, directory, path, own);
    if (owner === "us") return true;
    if (owner === "maybe-alive") return false;
  }
}

interface Claim {
  pid: number;
  identity: string | null;
  pid_namespace?: string;
}

async function ownClaim(host: Pick<Host, "pid">): Promise<Claim> {
  const namespace = await pidNamespace();
  return {
    pid: host.pid,
    identity: (await processFacts(host.pid))?.identity ?? null,
    ...(namespace === undefined ? {} : { pid_namespace: namespace }),
  };
}

async function ownerOf(
  host: Pick<Host, "uid" | "now">,
  directory: string,
  path: string,
  own: Claim,
): Promise<"us" | "gone" | "maybe-alive"> {
  const read = readJsonObject(host, path);
  const age = host.now() - (lookAt(path)?.mtimeMs ?? host.now());
  // A claim that cannot be read proves nothing; nobody needs longer than this to publish.
  if (!("value" in read)) return age > FOREIGN_CLAIM_MS ? "gone" : "maybe-alive";
  const { pid, identity, pid_namespace: namespace } = read.value as Partial<Claim>;
  const isForeign = typeof identity === "string" && (await isFromAnotherBoot(identity));
  if (isForeign || (namespace !== undefined && namespace !== own.pid_namespace)) {
    if (await isLostSupervisor(host, directory, { pid, namespace, identity })) return "gone";
    return age > FOREIGN_CLAIM_MS ? "gone" : "maybe-alive";
  }
  if (pid === own.pid && identity === own.identity) return "us";
  if (!Number.isSafeInteger(pid)) return "gone";
  const facts = await processFacts(pid!);
  if (facts === undefined) return isAlive(pid!) ? "maybe-alive" : "gone";
  if (facts.zombie) return "gone";
  return typeof identity === "string" && facts.identity !== identity ? "gone" : "maybe-alive";
}

/** Whether a claim out of sight is that of the job's own supervisor, whose lock is free: it ended before it could publish. */
async function isLostSupervisor(
  host: Pick<Host, "uid">,
  directory: string,
  claim: { pid: number | undefined; namespace: string | undefined; identity: string | null | undefined },
): Promise<boolean> {
  const pid = readPid(host, directory);
  if (pid === undefined || pid.supervisorPid !== claim.pid || pid.pidNamespace !== claim.namespace)
    return false;
  if (pid.supervisorIdentity !== (claim.identity ?? undefined)) return false;
  return (await (await import("./locks.ts")).isSupervisorHolding(host, directory, pid)) === false;
}

/** The reason a disk gave for refusing a record, for a message. */
export function publishFailure(error: unknown): string {
  return `cannot publish terminal record: ${errorCode(error) === undefined && error instanceof Error ? error.message : osReason(error)}`;
}
