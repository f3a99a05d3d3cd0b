/** Free text as a flag or from a file (docs/spec/flow.md 1.2). */
import { JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { MAX_INPUT_BYTES } from "./state-file.ts";

export interface TextSource {
  /** What was given in the call itself. */
  text: string | undefined;
  /** A file's path; `-` is stdin. */
  file: string | undefined;
  /** How the two are called, for messages: `["--request", "--request-file"]`. */
  names: readonly [text: string, file: string];
}

/**
 * The text, or the file's without one trailing newline; undefined when neither was given. Throws `UsageError` for both,
 * `JigError` (exit 1) for a file that cannot be read, is over 8 MiB or not UTF-8.
 */
export async function textOrFile(host: Host, { text, file, names }: TextSource): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new UsageError(`give ${names[0]} or ${names[1]}, not both`);
  }
  return file === undefined ? text : withoutLastNewline(await readInput(host, file));
}

/** As `textOrFile`; giving neither is a usage error. */
export async function requiredText(host: Host, source: TextSource): Promise<string> {
  const text = await textOrFile(host, source);
  if (text === undefined) throw new UsageError(`give ${source.names[0]} or ${source.names[1]}`);
  return text;
}

/** The text of an input file, `-` for stdin, whole. Throws `JigError` (exit 1). */
export async function readInput(host: Host, file: string, maxBytes = MAX_INPUT_BYTES): Promise<string> {
  const bytes = await readInputBytes(host, file, maxBytes);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new JigError(`${nameOf(file)}: is not valid UTF-8`);
  return text;
}

/** The bytes of an input file, `-` for stdin. Throws `JigError` (exit 1). */
export async function readInputBytes(
  host: Host,
  file: string,
  maxBytes = MAX_INPUT_BYTES,
): Promise<Uint8Array> {
  if (file === "-") return host.stdin(maxBytes);
  try {
    return readOwnedFile(absoluteFrom(host.cwd, file), { uid: undefined, maxBytes, allowSymlink: true });
  } catch (error) {
    if (error instanceof Refused) throw new JigError(`${nameOf(file)}: ${error.why}`, { cause: error });
    throw error;
  }
}

function nameOf(file: string): string {
  return file === "-" ? "standard input" : printable(file);
}

function withoutLastNewline(text: string): string {
  if (text.endsWith("\r\n")) return text.slice(0, -2);
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
