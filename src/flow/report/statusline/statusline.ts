import { isAbsolute } from "node:path";
import { readableVariables } from "../../../kernel/call/environment.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { isDirectory } from "../../../kernel/files/look.ts";
import { concatenate } from "../../../kernel/text/bytes.ts";
import { parseObject } from "../../../kernel/text/json.ts";
import { layoutOf } from "../../common/layout.ts";
import { statusRoot } from "../status/project.ts";
import { currentSegment } from "./current.ts";

const MAX_INPUT_BYTES = 1 << 20;
const MAX_OUTPUT_BYTES = 1 << 20;

/** All of it stays under two seconds, whatever the host, the wrapped program or another one does. */
const INPUT_WAIT_MS = 400;
const PROGRAM_WAIT_MS = 1_100;

/**
 * `jig flow statusline` (docs/spec/flow.md 14): what a host shows below a session, from the session it describes on
 * stdin. Never fails: what cannot be told is left out.
 */
export async function statusline(host: Host, wrap: string | undefined): Promise<Outcome<null>> {
  const input =
    (await host.stdinWithin(MAX_INPUT_BYTES, INPUT_WAIT_MS).catch(() => undefined)) ?? new Uint8Array();
  const [wrapped, segment] = await Promise.all([
    wrap === undefined ? new Uint8Array() : runWrapped(host, wrap, input),
    segmentFor(host, input).catch(() => ""),
  ]);
  const line = [wrapped.length > 0 && segment !== "" ? "  " : "", segment].join("");
  if (wrapped.length === 0 && line === "") return { data: null, text: "" };
  return { data: null, text: "", bytes: concatenate([wrapped, new TextEncoder().encode(`${line}\n`)]) };
}

function segmentFor(host: Host, input: Uint8Array): Promise<string> {
  const cwd = parseObject(new TextDecoder().decode(input))?.["cwd"];
  const directory = typeof cwd === "string" && isAbsolute(cwd) && isDirectory(cwd) ? cwd : host.cwd;
  return currentSegment(host, layoutOf(statusRoot(host, undefined, directory)), {}, PROGRAM_WAIT_MS);
}

/** What the user's own command line prints, without newlines at its end; nothing when it does not end in time. */
async function runWrapped(host: Host, command: string, input: Uint8Array): Promise<Uint8Array> {
  const [{ capture, CaptureError }, { findExecutable }] = await Promise.all([
    import("../../../kernel/process/capture.ts"),
    import("../../../kernel/process/executable.ts"),
  ]);
  const shell = host.platform === "win32" ? findExecutable("sh", host.env) : "/bin/sh";
  if (shell === undefined) return new Uint8Array();
  try {
    const { stdout } = await capture([shell, "-c", command], {
      env: readableVariables(host.env),
      input,
      timeoutMs: PROGRAM_WAIT_MS,
      maxBytes: MAX_OUTPUT_BYTES,
      killAfterMs: 0,
    });
    let end = stdout.length;
    while (end > 0 && (stdout[end - 1] === 0x0a || stdout[end - 1] === 0x0d)) end--;
    return stdout.subarray(0, end);
  } catch (error) {
    if (error instanceof CaptureError) return new Uint8Array();
    throw error;
  }
}
