import { resolve } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { decodeUtf8, Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { isTerminal } from "../../runtime/stdio.ts";
import { failure, reasonOf } from "./fail.ts";

/** Largest manifest, pipeline, policy file, descriptor JSON, contract fragment and run input, in bytes (docs/spec/craft-engine.md 1). */
export const MAX_INPUT_BYTES = 1 << 20;

/**
 * The text of an input file, named as it was given. A symlink is followed, anything but a regular file refused.
 * Throws `Refused`, whose message names the path and, for a large file, the limit.
 */
export function readInputFile(host: Host, path: string, maxBytes = MAX_INPUT_BYTES): string {
  try {
    return readOwnedText(absoluteFrom(host.cwd, path), { uid: undefined, allowSymlink: true, maxBytes });
  } catch (error) {
    // The caller knows the file by the name it gave.
    throw error instanceof Refused ? new Refused(path, error.reason, error.why, error) : error;
  }
}

/** Where a payload may come from: `--from FILE` (`-` is stdin), or the verb's own positional. */
export interface PayloadSource {
  from?: string | undefined;
  /** A FILE positional; "" counts as not given. */
  positional?: string | undefined;
}

/**
 * The payload of a verb: from `--from FILE`, its positional, or stdin. Two sources, a file that is missing, unreadable
 * or not regular, more than `maxBytes` and invalid UTF-8 are failures under the verb's prefix.
 */
export async function readPayload(
  host: Host,
  name: string,
  source: PayloadSource,
  options: { maxBytes?: number; exitCode?: number } = {},
): Promise<string> {
  const { maxBytes = MAX_INPUT_BYTES, exitCode = 2 } = options;
  const positional = source.positional === "" ? undefined : source.positional;
  if (source.from !== undefined && positional !== undefined) {
    throw failure(name, `--from ${source.from} and ${positional} both name the input; give one`, exitCode);
  }
  const path = source.from ?? positional;
  try {
    if (path !== undefined && path !== "-") return readInputFile(host, path, maxBytes);
    // A person at a terminal would wait for nothing.
    if (path === undefined && isTerminal("stdin"))
      throw failure(name, "needs input on stdin or --from FILE", exitCode);
    const text = decodeUtf8(await host.stdin(maxBytes));
    if (text === undefined) throw failure(name, "standard input is not valid UTF-8", exitCode);
    return text;
  } catch (error) {
    if (error instanceof JigError && !error.verbatim) throw failure(name, reasonOf(error), exitCode);
    throw error;
  }
}

/** An absolute path for a text to print. */
export function absolutePath(host: Host, path: string): string {
  return resolve(host.cwd, path);
}
