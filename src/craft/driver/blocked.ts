import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import { readRunPayload } from "../common/payload.ts";
import { requirePhase } from "../common/run-words.ts";
import { driverFailure, PREFIX, requireStateDirectory } from "./state-directory.ts";
import { publishStatus, refuseExisting, withDriverLock } from "./status.ts";

/** Longest reason that is kept whole, in bytes. */
const MAX_REASON_BYTES = 65_536;

/** Longest input: a blocker always gets through, so much more than is kept may come. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

export interface BlockedOptions {
  phase: string;
  /** The literal `-`: the reason is on stdin, so that untrusted text never meets a shell. */
  dash: string | undefined;
  from: string | undefined;
}

/** Tell the driver that the run stopped and why (docs/spec/craft-run.md 4.2). */
export async function blocked(host: Host, options: BlockedOptions): Promise<Outcome<{ phase: string }>> {
  const phase = requirePhase(PREFIX, options.phase);
  if (options.dash !== undefined && options.dash !== "-") {
    throw driverFailure("the reason comes on standard input: blocked PHASE -, or --from FILE");
  }
  if ((options.dash === undefined) === (options.from === undefined)) {
    throw driverFailure("blocked needs - (the reason on standard input) or --from FILE, one of them");
  }
  const directory = requireStateDirectory(host);
  refuseExisting(directory);
  const reason = cleanReason(await readRunPayload(host, PREFIX, options.from ?? "-", MAX_INPUT_BYTES));
  if (reason.trim() === "") throw driverFailure("the reason is blank");
  await withDriverLock(host, directory, () => {
    refuseExisting(directory);
    publishStatus(directory, `BLOCKED ${phase}\nat: ${isoSeconds(host.now())}\n\n${reason}\n`, undefined);
  });
  return { data: { phase }, text: "" };
}

/** Control characters but line breaks and tabs dropped, trailing line breaks trimmed, cut at a character boundary. */
export function cleanReason(text: string): string {
  const clean = text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "").replace(/\n+$/, "");
  const bytes = new TextEncoder().encode(clean);
  if (bytes.length <= MAX_REASON_BYTES) return clean;
  let end = MAX_REASON_BYTES;
  // Back to a byte that begins a character.
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return `${new TextDecoder().decode(bytes.subarray(0, end))}\n[truncated]`;
}
