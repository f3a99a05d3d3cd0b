import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { isTerminal } from "../../runtime/stdio.ts";
import { shown } from "./run-words.ts";

/**
 * The payload of a run verb: from FILE (`-` is stdin) or from stdin. Invalid UTF-8 is replaced. `flag` is what named
 * the file. Throws (exit 2, under `prefix`) for a file that cannot be read, more than `maxBytes`, and a terminal on
 * stdin, where it would wait in silence (docs/spec/craft-run.md 1.2).
 */
export async function readRunPayload(
  host: Host,
  prefix: string,
  from: string | undefined,
  maxBytes: number,
  flag = "--from",
): Promise<string> {
  const fail = (message: string) => new JigError(prefix + message, { exitCode: 2, verbatim: true });
  if (from !== undefined && from !== "-") {
    try {
      const options = { uid: undefined, allowSymlink: true, maxBytes };
      return decode(readOwnedFile(absoluteFrom(host.cwd, from), options));
    } catch (error) {
      if (error instanceof Refused) throw fail(`${flag} ${shown(from)}: ${error.why}`);
      throw error;
    }
  }
  if (isTerminal("stdin")) throw fail(`needs input on stdin or ${flag} FILE`);
  try {
    return decode(await host.stdin(maxBytes));
  } catch (error) {
    if (error instanceof JigError) throw fail(error.message);
    throw error;
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
