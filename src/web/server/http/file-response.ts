import { closeSync, readSync } from "node:fs";
import type { Connection } from "../../../runtime/serve.ts";
import { contentType } from "./content-types.ts";
import { fileStream } from "./file-stream.ts";
import { endsConnection } from "./reply.ts";
import type { KeptFile, OpenFile } from "./served-file.ts";

/** Bytes read in one go; what is longer is streamed. */
const SMALL = 65_536;

/** Part of a file, `end` exclusive; the whole of it, or a range nobody can satisfy. */
export type ByteRange = { start: number; end: number } | "whole" | "unsatisfiable";

/**
 * Send a file unchanged: ranges, `ETag`, streamed when large (docs/spec/web.md 6.4). Takes the descriptor over.
 * `revalidate` is the default mode: a browser may keep the file but has to ask; otherwise nothing is stored.
 */
export function fileResponse(
  file: OpenFile | KeptFile,
  request: Request,
  path: string,
  connection: Connection,
  revalidate: boolean,
): Response {
  const { headers } = request;
  const { size, etag } = file;
  if (revalidate && matchesTag(headers.get("if-none-match"), etag)) {
    release(file);
    return new Response(null, { status: 304, headers: { etag } });
  }
  file.prepared.headers ??= fieldsOf(path, etag, revalidate);
  const fields = file.prepared.headers;
  if (request.method === "HEAD") {
    release(file);
    return new Response(null, { headers: [...fields, ["content-length", String(size)]] });
  }
  const wanted = headers.get("range");
  const range = wanted === null ? "whole" : rangeFor(wanted, headers.get("if-range"), file);
  if (range === "whole") return partResponse(file, 0, size, connection, 200, fields);
  if (range === "unsatisfiable") {
    release(file);
    return new Response(null, { status: 416, headers: [...fields, ["content-range", `bytes */${size}`]] });
  }
  const { start, end } = range;
  const partial = new Headers(fields);
  partial.set("content-range", `bytes ${start}-${end - 1}/${size}`);
  return partResponse(file, start, end, connection, 206, partial);
}

function release(file: OpenFile | KeptFile): void {
  if ("descriptor" in file) closeSync(file.descriptor);
}

function partResponse(
  file: OpenFile | KeptFile,
  start: number,
  end: number,
  connection: Connection,
  status: number,
  headers: Headers,
): Response {
  if (!("descriptor" in file)) return new Response(file.bytes.subarray(start, end), { status, headers });
  const { descriptor, size } = file;
  if (end - start <= SMALL) {
    const bytes = readPart(descriptor, start, end);
    if (bytes.length === size) file.keep(bytes);
    return new Response(bytes, { status, headers });
  }
  const fields = new Headers(headers);
  if (endsConnection(end - start)) fields.set("connection", "close");
  const sent = connection.fileBody(descriptor, start, end);
  if (sent !== undefined) return new Response(sent, { status, headers: fields });
  fields.set("content-length", String(end - start));
  return new Response(fileStream(descriptor, [{ start, end }]), { status, headers: fields });
}

function fieldsOf(path: string, etag: string, revalidate: boolean): Headers {
  return new Headers({
    "content-type": contentType(path),
    etag,
    "accept-ranges": "bytes",
    ...(revalidate ? {} : { "cache-control": "no-store" }),
  });
}

/** A file became shorter between the look at its size and the read; nothing was sent yet. */
export class ShrunkFile extends Error {}

function readPart(descriptor: number, start: number, end: number): Uint8Array<ArrayBuffer> {
  const bytes = readUpTo(descriptor, start, end);
  if (bytes.length < end - start) throw new ShrunkFile("a file became shorter while it was read");
  return bytes;
}

/** Bytes of an open file, which is closed. Fewer when it has shrunk meanwhile. */
export function readUpTo(descriptor: number, start: number, end: number): Uint8Array<ArrayBuffer> {
  try {
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
      if (count === 0) return bytes.subarray(0, filled);
      filled += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

function rangeFor(header: string, ifRange: string | null, file: KeptFile | OpenFile): ByteRange {
  return ifRange !== null && ifRange !== file.etag ? "whole" : parseRange(header, file.size);
}

/** One range of bytes; several of them, another unit or nonsense count as none (docs/spec/web.md 6.4). */
export function parseRange(header: string, size: number): ByteRange {
  const match = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header);
  if (match === null) return "whole";
  const [, first, last] = match as unknown as [string, string, string];
  if (first === "") {
    if (last === "") return "whole";
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

/** Whether an `If-None-Match` list names this tag; weak tags compare by their value. */
export function matchesTag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
