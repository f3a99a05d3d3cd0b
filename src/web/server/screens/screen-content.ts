import { readSync } from "node:fs";
import { concatenate } from "../../../kernel/text/bytes.ts";
import { LIMITS } from "../config.ts";
import { readUpTo } from "../http/file-response.ts";
import { fileStream, findInFile, lengthOf, type Piece } from "../http/file-stream.ts";
import { endsConnection } from "../http/reply.ts";
import type { OpenFile } from "../http/served-file.ts";
import { isFullDocument, isFullDocumentBytes, markLength } from "./fragment.ts";

/** What a page consists of: bytes in memory, or a stream of a known length. */
export type Content = Uint8Array<ArrayBuffer> | { stream: ReadableStream<Uint8Array>; length: number };

/** A screen's content: whole when it is small, else still in its file. */
export interface Screen {
  /** A document of its own rather than a fragment. */
  full: boolean;
  bytes: Uint8Array<ArrayBuffer> | undefined;
  file: OpenFile;
  /** Bytes of a byte-order mark at its start. */
  mark: number;
}

/** As much of a file as is looked at to tell a document from a fragment, and at the most when a comment goes on. */
const PROBE = { first: 65_536, most: 32 << 20 };

/** The largest file in which a place is looked for. */
const SEARCHED = 32 << 20;

/** Read a screen, or as much of it as is needed. Takes the descriptor over. */
export function readScreen(file: OpenFile): Screen {
  const { descriptor, size } = file;
  if (size <= LIMITS.document) {
    const bytes = readUpTo(descriptor, 0, size);
    return { full: isFullDocumentBytes(bytes), bytes, file, mark: markLength(bytes) };
  }
  const start = startOf(descriptor, PROBE.first);
  const full =
    isFullDocument(decoder.decode(start)) ??
    isFullDocumentBytes(startOf(descriptor, Math.min(size, PROBE.most)));
  return { full, bytes: undefined, file, mark: markLength(start) };
}

const decoder = new TextDecoder();

function startOf(descriptor: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, 0));
}

/** Where a text first stands in a screen, in bytes; -1 without one, and in a file too large to be searched. */
export function placeOf(text: string, { bytes, file }: Screen): number {
  const wanted = encoder.encode(text);
  if (bytes !== undefined) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(wanted);
  return file.size > SEARCHED ? -1 : findInFile(file.descriptor, file.size, wanted);
}

/** A screen unchanged. */
export function wholeFile(file: OpenFile): Content {
  if (file.size <= LIMITS.document) return readUpTo(file.descriptor, 0, file.size);
  return { stream: fileStream(file.descriptor, [{ start: 0, end: file.size }]), length: file.size };
}

/** Texts of ours and parts of a screen, one after the other; a part without an end goes to the screen's. */
export function assemble(screen: Screen, parts: (string | { start: number; end?: number })[]): Content {
  const { bytes, file } = screen;
  const size = bytes?.length ?? file.size;
  const pieces: Piece[] = parts.map((part) =>
    typeof part === "string" ? encoder.encode(part) : { start: part.start, end: part.end ?? size },
  );
  if (bytes === undefined) {
    const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
    return { stream: fileStream(file.descriptor, pieces), length };
  }
  return concatenate(
    pieces.map((piece) => (piece instanceof Uint8Array ? piece : bytes.subarray(piece.start, piece.end))),
  );
}

const encoder = new TextEncoder();

export function textContent(text: string): Content {
  return concatenate([encoder.encode(text)]);
}

/** An HTML answer; without its body for HEAD, but with its length. */
export function page(
  content: Content,
  status: number,
  head: boolean,
  headers: Record<string, string> = {},
): Response {
  const fields: Record<string, string> = { "content-type": "text/html; charset=utf-8", ...headers };
  const streamed = !(content instanceof Uint8Array);
  if (head || streamed) fields["content-length"] = String(content.length);
  if (!head && endsConnection(content.length)) fields["connection"] = "close";
  if (!head) return new Response(streamed ? content.stream : content, { status, headers: fields });
  if (streamed) void content.stream.cancel();
  return new Response(null, { status, headers: fields });
}
