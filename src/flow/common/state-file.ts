/** Files of workflow state as they are read: never repaired, renamed or overwritten when they are wrong (docs/spec/flow.md 1.7). */
import { JigError } from "../../kernel/call/errors.ts";
import { isInside, resolveReal } from "../../kernel/files/contain.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { type JsonMap, JsonSyntaxError, parseLossless } from "./lossless-json.ts";

export const MAX_ARTIFACT_BYTES = 16 << 20;
export const MAX_MEMORY_BYTES = 8 << 20;
export const MAX_EVENT_BYTES = 64 << 10;
export const MAX_INPUT_BYTES = 8 << 20;

/** A state file is not what it should be; it was left as it is. Exit 1. */
export class StateFileError extends JigError {
  readonly path: string;

  constructor(path: string, why: string, options: { cause?: unknown; hint?: string } = {}) {
    super(`${printable(path)}: ${why}`, options);
    this.name = "StateFileError";
    this.path = path;
  }
}

/** The real path of a state file below a project's root; a link that leads out of the project is refused. */
export function insideProject(root: string, path: string): string {
  const [realRoot, real] = [resolveReal(root), resolveReal(path)];
  if (!isInside(realRoot, real)) {
    throw new StateFileError(path, `leads out of the project, to ${printable(real)}`, {
      hint: "state files are kept inside the project; replace the link by what it leads to",
    });
  }
  return real;
}

/** Bytes of a state file. Throws `StateFileError` when it is missing, no file, too large or leads out of the project. */
export function readStateBytes(root: string, path: string, maxBytes: number): Uint8Array {
  const real = insideProject(root, path);
  try {
    return readOwnedFile(real, { uid: undefined, maxBytes });
  } catch (error) {
    if (error instanceof Refused) throw new StateFileError(path, error.why, { cause: error });
    throw error;
  }
}

/** Text of a state file, which has to be UTF-8. */
export function readStateText(root: string, path: string, maxBytes: number): string {
  return stateText(path, readStateBytes(root, path, maxBytes));
}

export function stateText(path: string, bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    const cause = new Refused(path, "not-utf8", "is not valid UTF-8");
    throw new StateFileError(path, "is not valid UTF-8", { cause });
  }
  return text;
}

/** The JSON object a text holds. Throws `StateFileError` with line and column. */
export function parseStateObject(path: string, text: string): JsonMap {
  let value: unknown;
  try {
    value = parseLossless(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new StateFileError(path, `line ${error.line}, column ${error.column}: not JSON: ${error.message}`, {
      cause: error,
    });
  }
  if (!(value instanceof Map)) throw new StateFileError(path, "line 1, column 1: is JSON, but not an object");
  return value as JsonMap;
}
