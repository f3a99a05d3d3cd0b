/** A script that the manifest names, started without a shell (docs/spec/craft-run.md 8.2). What it is asked is hostile. */
import { isAbsolute } from "node:path";
import { everyVariable } from "../../kernel/call/environment.ts";
import { osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { decodeUtf8 } from "../../kernel/files/owned-file.ts";
import { CaptureError, capture } from "../../kernel/process/capture.ts";
import { findExecutable, isExecutableFile } from "../../kernel/process/executable.ts";
import { type JsonObject, parseObject } from "../../kernel/text/json.ts";
import { printable, printableBlock } from "../../kernel/text/printable.ts";
import { failure } from "./fail.ts";
import { containedTarget, isAbsoluteAnywhere } from "./repo-path.ts";

/** Seconds a script has, unless the caller says otherwise. */
export const SOURCE_SECONDS = 60;

const MAX_STDOUT_BYTES = 1 << 20;
const SHOWN_STDERR = 4_096;

export interface SourceCall {
  /** The verb's prefix for messages, without the colon. */
  name: string;
  /** The script, as the manifest has it: never split, never expanded. */
  ref: string;
  /** The repository's root: what a ref with a separator counts from, and the working directory. */
  root: string;
  words: readonly string[];
  seconds?: number | undefined;
}

/**
 * The JSON object a script prints. Throws (exit 1) when it cannot be started, does not end in time, prints too much, fails,
 * or prints something else.
 */
export async function askSource(host: Host, call: SourceCall): Promise<JsonObject> {
  const { name, root, words, seconds = SOURCE_SECONDS } = call;
  const program = programOf(host, call);
  const fail = (message: string) => failure(name, `${printable(call.ref)} ${message}`, 1);
  const { exitCode, stdout, stderr } = await capture([program, ...words], {
    cwd: root,
    env: everyVariable(host.env),
    timeoutMs: seconds * 1_000,
    maxBytes: MAX_STDOUT_BYTES,
    stderr: "tail",
  }).catch((error: unknown) => {
    if (!(error instanceof CaptureError)) throw error;
    const said = {
      "cannot-start": `cannot be started: ${osReason(error.cause)}`,
      timeout: `did not end within ${seconds} s and was killed`,
      cancelled: "was interrupted",
      "output-too-large": `printed more than ${MAX_STDOUT_BYTES} bytes and was killed`,
    };
    throw fail(said[error.failure]);
  });
  if (exitCode !== 0) {
    const said = printableBlock(stderr.slice(-SHOWN_STDERR));
    throw fail(`ended with exit code ${exitCode}${said === "" ? "" : `; its last words:\n${said}`}`);
  }
  const text = decodeUtf8(stdout);
  const object = text === undefined ? undefined : parseObject(text);
  if (object === undefined) throw fail("printed no JSON object on standard output");
  return object;
}

function programOf(host: Host, { name, ref, root }: SourceCall): string {
  const fail = (why: string) => failure(name, `ref ${printable(ref)}: ${why}`, 1);
  // Windows hands their arguments to a shell, which would read them again.
  if (host.platform === "win32" && /\.(?:bat|cmd)$/i.test(ref))
    throw fail("batch files are not started; use a program");
  if (ref.includes("\0")) throw fail("no name of a file");
  if (!/[/\\]/.test(ref)) {
    const found = findExecutable(ref, host.env);
    if (found === undefined) throw fail("no such program on PATH");
    return found;
  }
  if (!isAbsolute(ref) && isAbsoluteAnywhere(ref)) throw fail("not a path of this system");
  const path = isAbsolute(ref) ? ref : containedTarget(root, ref);
  if (path === undefined) throw fail("leads out of the repository, or is a symlink; name a file inside it");
  if (!isExecutableFile(path)) throw fail("is missing, not a regular file, or not executable");
  return path;
}
