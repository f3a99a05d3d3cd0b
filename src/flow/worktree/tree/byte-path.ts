declare const brand: unique symbol;

/**
 * A path below a tree's top as git names it, with one character for each byte: names are bytes, and decoding one that is
 * no UTF-8 would lose it (docs/spec/flow-worktree.md 1).
 */
export type BytePath = string & { readonly [brand]: true };

/** The records of `-z` output, byte for byte: cut on NUL alone. */
export function byteRecords(stdout: Uint8Array): string[] {
  if (stdout.length === 0) return [];
  const records = latin1(stdout).split("\0");
  if (records.at(-1) === "") records.pop();
  return records;
}

/** A record, or a part of one, taken as a path. */
export function asBytePath(record: string): BytePath {
  return record as BytePath;
}

/** A path given as text. */
export function bytePathOf(text: string): BytePath {
  return latin1(Buffer.from(text)) as BytePath;
}

/** Paths for git's stdin, each ended by NUL. */
export function pathInput(paths: Iterable<BytePath>): Uint8Array {
  return bytesOf([...paths].map((path) => `${path}\0`).join(""));
}

/** The bytes that a byte string stands for. */
export function bytesOf(bytes: string): Uint8Array {
  return Buffer.from(bytes, "latin1");
}

/** Where a path stands below a directory; `node:fs` takes it as it is. */
export function placeOf(top: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);
}

/** The directory of a path; undefined at the top. */
export function parentOf(path: BytePath): BytePath | undefined {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? undefined : (path.slice(0, cut) as BytePath);
}

/** The directories above a path, from the top down. */
export function ancestorsOf(path: BytePath): BytePath[] {
  const found: BytePath[] = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    found.push(path.slice(0, at) as BytePath);
  }
  return found;
}

/** A name in a directory; without one, at the top. */
export function childOf(directory: BytePath | undefined, name: string): BytePath {
  return (directory === undefined ? name : `${directory}/${name}`) as BytePath;
}

/** Whether a path lies below a directory, not being it. */
export function isBelow(path: string, directory: string): boolean {
  return path.length > directory.length + 1 && path.startsWith(`${directory}/`);
}

/** A path for people and for JSON: UTF-8, each byte that is none as `\xNN`. */
export function shownPath(path: string): string {
  const bytes = bytesOf(path);
  const whole = utf8(bytes);
  if (whole !== undefined) return whole;
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((count) => utf8(bytes.subarray(at, at + count)) !== undefined);
    text +=
      length === undefined
        ? `\\x${bytes[at]!.toString(16).padStart(2, "0")}`
        : utf8(bytes.subarray(at, at + length))!;
    at += length ?? 1;
  }
  return text;
}

/** A path in a JSON file: its text, and its bytes where the text does not give them back. */
export interface StoredPath {
  path: string;
  path_base64?: string | undefined;
}

export function storedPath(path: BytePath): StoredPath {
  const text = shownPath(path);
  if (bytePathOf(text) === path) return { path: text };
  return { path: text, path_base64: Buffer.from(path, "latin1").toString("base64") };
}

export function restoredPath({ path, path_base64: bytes }: StoredPath): BytePath {
  return bytes === undefined ? bytePathOf(path) : (latin1(Buffer.from(bytes, "base64")) as BytePath);
}

/** Bytes as a byte string. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
