import { closeSync, openSync, readSync } from "node:fs";
import { errorCode, osReason } from "../call/errors.ts";
import { printable } from "../text/printable.ts";

const LINE_BYTES = 256;

/**
 * Why a program that was found could not be executed. The system says `no such file` also when the file is
 * there and what it names to run it is not: then that is named.
 */
export function launchFailure(program: string, error: unknown): string {
  const why = osReason(error);
  const code = errorCode(error);
  const line = code === "ENOENT" || code === "EACCES" ? firstLine(program) : undefined;
  if (line === undefined) return why;
  const file = printable(program);
  const interpreter = /^#![ \t]*([^ \t]+)/.exec(line)?.[1];
  if (interpreter === undefined) {
    return code === "ENOENT"
      ? `${why}: ${file} is there, but not the loader it names (was it built for another system?)`
      : why;
  }
  const ending = interpreter.endsWith("\r") ? "; its line ends in CR LF, save the file with LF alone" : "";
  return `${why}: the interpreter '${printable(interpreter)}' that the first line of ${file} names${ending}`;
}

/** Undefined when the file is not there or cannot be read. */
function firstLine(path: string): string | undefined {
  try {
    const descriptor = openSync(path, "r");
    try {
      const bytes = new Uint8Array(LINE_BYTES);
      const count = readSync(descriptor, bytes, 0, LINE_BYTES, 0);
      return new TextDecoder().decode(bytes.subarray(0, count)).split("\n", 1)[0];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
