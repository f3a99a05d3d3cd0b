import type { Host } from "../../kernel/call/host.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { runInTranscript } from "../ledger/locate.ts";
import type { TrustedRun } from "../ledger/pointer.ts";

/** Largest payload of a hook, in bytes, and how long one waits for it (docs/spec/craft-run.md 11.1). */
const MAX_PAYLOAD_BYTES = 1 << 20;
const PAYLOAD_WAIT_MS = 5_000;

/** What a host tells its hooks. */
export interface Payload {
  transcript: string;
  cwd: string;
  source: string | undefined;
}

/**
 * The open run whose key stands in the session's transcript; undefined for a session that has none, which is the usual
 * case and no fault. Throws when the payload does not come.
 */
export async function boundRun(
  host: Host,
  wanted: (payload: Payload) => boolean = () => true,
): Promise<TrustedRun | undefined> {
  const bytes = await host.stdinWithin(MAX_PAYLOAD_BYTES, PAYLOAD_WAIT_MS);
  if (bytes === undefined) throw new Error("the payload did not end in time, or is too large");
  const payload = readPayload(host, new TextDecoder().decode(bytes));
  if (payload === undefined || !wanted(payload)) return undefined;
  return runInTranscript(host, payload.transcript, payload.cwd);
}

function readPayload(host: Host, text: string): Payload | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not a payload: nothing to say.
    return undefined;
  }
  const { transcript_path: transcript, cwd, source } = (value ?? {}) as Record<string, unknown>;
  const directory = typeof cwd === "string" && cwd !== "" ? cwd : host.env["CLAUDE_PROJECT_DIR"];
  if (typeof transcript !== "string" || transcript === "" || directory === undefined) return undefined;
  if (!isDirectory(directory)) return undefined;
  return { transcript, cwd: directory, source: typeof source === "string" ? source : undefined };
}
