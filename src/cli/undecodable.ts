/**
 * Bytes of a call that are not UTF-8 (docs/spec/cli.md section 2). The runtime decodes them to U+FFFD, and whoever used
 * the result would look for another name, or make one. Loaded only when that character is seen.
 */
import { readFileSync } from "node:fs";
import type { Environment } from "../kernel/call/environment.ts";
import { JigError } from "../kernel/call/errors.ts";
import { printable } from "../kernel/text/printable.ts";

const REPLACEMENT = "\ufffd";

/** Refuse words that are not UTF-8; gives the environment with getters that refuse for the variables that are not. */
export function checkBytes(words: readonly string[], env: Environment): Environment {
  const given = commandLine(words);
  words.forEach((word, index) => {
    if (!word.includes(REPLACEMENT)) return;
    const bytes = given?.[index];
    if (bytes !== undefined && isUtf8(bytes)) return;
    throw new JigError(`argument ${index + 1}, '${shown(word, bytes)}', is not valid UTF-8`, {
      hint: "jig cannot pass such bytes on unchanged; rename the file, or name it inside a script",
    });
  });
  return guarded(env);
}

function guarded(env: Environment): Environment {
  const given = entriesOf("/proc/self/environ");
  const kept: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(env)) {
    const entry = `${name}=${value}`;
    if (!entry.includes(REPLACEMENT) || isGiven(entry, given)) {
      kept[name] = value;
      continue;
    }
    Object.defineProperty(kept, name, {
      enumerable: true,
      configurable: true,
      get(): never {
        throw new JigError(`environment variable ${printable(name)} is not valid UTF-8`, {
          hint: "set it to text, or unset it for this call: env -u NAME jig …",
        });
      },
    });
  }
  return kept;
}

/** Whether a variable holds that very character, and not what the runtime put for other bytes. */
function isGiven(entry: string, given: readonly Uint8Array[] | undefined): boolean {
  return given?.some((bytes) => isUtf8(bytes) && new TextDecoder().decode(bytes) === entry) ?? false;
}

/** The bytes of the words; undefined where the system does not tell, or tells of other words. */
function commandLine(words: readonly string[]): Uint8Array[] | undefined {
  const all = entriesOf("/proc/self/cmdline") ?? [];
  const own = all.slice(all.length - words.length);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return own.length === words.length && own.every((bytes, index) => decoder.decode(bytes) === words[index])
    ? own
    : undefined;
}

/** The NUL-ended entries of a file of /proc. */
function entriesOf(path: string): Uint8Array[] | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined; // Not Linux.
  }
  const entries: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    entries.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return entries;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A word for a message, its stray bytes as `\xe9`. */
function shown(word: string, bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return printable(word);
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    let length = Math.min(4, bytes.length - at);
    while (length > 0 && !isOneCharacter(bytes.subarray(at, at + length))) length--;
    text +=
      length === 0
        ? `\\x${bytes[at]!.toString(16).padStart(2, "0")}`
        : printable(new TextDecoder().decode(bytes.subarray(at, at + length)));
    at += Math.max(1, length);
  }
  return text;
}

function isOneCharacter(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && [...new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)].length === 1;
}
