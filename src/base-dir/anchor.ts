import { dirname, isAbsolute, join } from "node:path";
import { realOrPlain, resolveReal, samePath } from "../kernel/files/contain.ts";
import { lookAt } from "../kernel/files/look.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../kernel/files/owned-file.ts";
import { isObject, type JsonObject } from "../kernel/text/json.ts";
import { printable } from "../kernel/text/printable.ts";
import { fatal } from "./fatal.ts";

/** Name of the file that records, inside a directory, that it is the base directory. */
export const ANCHOR_NAME = ".cafleet-base-dir.json";

const SOURCES = ["cwd-inference", "askuserquestion", "task-scope"] as const;

export type AnchorSource = (typeof SOURCES)[number];

/** The checked part of an anchor; the rest of the file is nobody's business here. */
export interface Anchor {
  /** Path of the anchor file. */
  path: string;
  /** As written in the file. */
  base: string;
}

const LARGEST_ANCHOR = 65_536;

export function anchorIn(directory: string): string {
  return join(directory, ANCHOR_NAME);
}

/**
 * Read and check an anchor (docs/spec/base-dir.md section 7, rows 1 to 9). Undefined when there is none; an invalid one is
 * fatal and left as it is. `uid` limits the owner and lets `Refused` (`foreign-owner`) through.
 */
export function readAnchor(path: string, uid?: number): Anchor | undefined {
  const bytes = readBytes(path, uid);
  if (bytes === undefined) return undefined;
  const fields = objectIn(path, bytes);
  const { version, base, source } = fields;
  if (version !== 1) {
    const found = Object.hasOwn(fields, "version") ? brief(JSON.stringify(version)) : "missing";
    throw fatal(
      `anchor ${path} has version=${found}; this program supports version 1. Delete the anchor and re-resolve.`,
    );
  }
  if (typeof base !== "string" || base === "") throw fatal(`anchor ${path} is missing the 'base' field`);
  if (!isAbsolute(base)) {
    throw fatal(`anchor ${path} has non-absolute base=${brief(base)}. Delete the anchor and re-resolve.`);
  }
  if (!(SOURCES as readonly unknown[]).includes(source)) {
    const found = typeof source === "string" ? source : (JSON.stringify(source) ?? "missing");
    throw fatal(
      `anchor ${path} has invalid source=${brief(found)} (expected one of ${SOURCES.join(", ")}). Delete the anchor and re-resolve.`,
    );
  }
  return { path, base };
}

/** As `readAnchor`, and the anchor must describe the directory it lies in (row 10). */
export function readAnchorInPlace(path: string, uid?: number): Anchor | undefined {
  const anchor = readAnchor(path, uid);
  if (anchor === undefined || describes(anchor, dirname(path))) return anchor;
  throw fatal(
    `anchor ${path} records base=${brief(anchor.base)} but lives at ${dirname(path)}; refusing to use it. Delete the anchor if the directory was moved or copied.`,
  );
}

/** Whether the anchor's base is this directory, by real path. One that cannot be looked at is another. */
export function describes(anchor: Anchor, directory: string): boolean {
  return samePath(realOrPlain(anchor.base), resolveReal(directory));
}

function readBytes(path: string, uid: number | undefined): Uint8Array | undefined {
  try {
    return readOwnedFile(path, { uid, maxBytes: LARGEST_ANCHOR, allowSymlink: true });
  } catch (error) {
    if (!(error instanceof Refused) || error.reason === "foreign-owner") throw error;
    if (error.reason === "absent") {
      // A link that leads nowhere is there, though nothing can be read through it.
      const found = lookAt(path);
      if (found === undefined) return undefined;
      if (found.isSymbolicLink()) throw fatal(`anchor ${path} is not a regular file`, error);
      // Another process published it between the two looks.
      return readBytes(path, uid);
    }
    if (error.reason === "too-large") {
      throw fatal(`anchor ${path} is not valid JSON: too large (more than ${LARGEST_ANCHOR} bytes)`, error);
    }
    const why = error.reason === "unreadable" ? `cannot be read: ${error.why}` : error.why;
    throw fatal(`anchor ${path} ${why}`, error);
  }
}

function objectIn(path: string, bytes: Uint8Array): JsonObject {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw fatal(`anchor ${path} is not valid JSON: not UTF-8`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = text.trim() === "" ? "it is empty" : printable((error as Error).message);
    throw fatal(`anchor ${path} is not valid JSON: ${brief(why)}`, error);
  }
  if (!isObject(value)) throw fatal(`anchor ${path} is not a JSON object`);
  return value;
}

/** A value from the file as one short line. */
function brief(text: string): string {
  const line = printable(text);
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
