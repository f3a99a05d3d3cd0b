import { readSync } from "node:fs";
import { concatenate } from "../../../kernel/text/bytes.ts";
import { LIMITS } from "../config.ts";
import { readUpTo, streamPart } from "../http/file-response.ts";
import type { OpenFile } from "../http/served-file.ts";
import { isFullDocumentBytes, markLength } from "./fragment.ts";

/** What a page consists of: bytes in memory, or a stream of a known length. */
export type Content = Uint8Array<ArrayBuffer> | { stream: ReadableStream<Uint8Array>; length: number };

/** A screen's content: whole, or still in its file when it is larger than what is put together in memory. */
export interface Screen {
  /** A document of its own rather than a fragment. */
  full: boolean;
  bytes: Uint8Array<ArrayBuffer> | undefined;
  file: OpenFile;
  /** Bytes of a byte-order mark at its start. */
  mark: number;
}

/** As much of a large file as is looked at to tell a document from a fragment. */
const PROBE = 65_536;

/** Read a screen, or as much of it as is needed. Takes the descriptor over. */
export function readScreen(file: OpenFile): Screen {
  if (file.size <= LIMITS.document) {
    const bytes = readUpTo(file.descriptor, 0, file.size);
    return { full: isFullDocumentBytes(bytes), bytes, file, mark: markLength(bytes) };
  }
  const probe = new Uint8Array(PROBE);
  const start = probe.subarray(0, readSync(file.descriptor, probe, 0, PROBE, 0));
  return { full: isFullDocumentBytes(start), bytes: undefined, file, mark: markLength(start) };
}

/** A screen unchanged. */
export function wholeFile(file: OpenFile): Content {
  if (file.size <= LIMITS.document) return readUpTo(file.descriptor, 0, file.size);
  return { stream: streamPart(file.descriptor, 0, file.size), length: file.size };
}

/** A screen from one of its bytes on, between two texts. */
export function between(before: string, screen: Screen, after: string, from: number): Content {
  const head = encoder.encode(before);
  const tail = encoder.encode(after);
  if (screen.bytes !== undefined) return concatenate([head, screen.bytes.subarray(from), tail]);
  const { descriptor, size } = screen.file;
  return {
    stream: chain([head, streamPart(descriptor, from, size), tail]),
    length: head.length + size - from + tail.length,
  };
}

const encoder = new TextEncoder();

export function textContent(text: string): Content {
  return concatenate([encoder.encode(text)]);
}

// Named for its type: the runtime's own global reader type has members that this one lacks.
const readerOf = (stream: ReadableStream<Uint8Array>) => stream.getReader();

function chain(parts: (Uint8Array | ReadableStream<Uint8Array>)[]): ReadableStream<Uint8Array> {
  const waiting = parts.filter((part) => !(part instanceof Uint8Array) || part.length > 0);
  let reader: ReturnType<typeof readerOf> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const part = waiting[0];
          if (part === undefined) return controller.close();
          if (part instanceof Uint8Array) {
            waiting.shift();
            return controller.enqueue(part);
          }
          reader ??= readerOf(part);
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          reader = undefined;
          waiting.shift();
        }
      },
      async cancel(reason) {
        const part = waiting[0];
        if (reader !== undefined) await reader.cancel(reason);
        else if (part instanceof ReadableStream) await part.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
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
  if (!head) return new Response(streamed ? content.stream : content, { status, headers: fields });
  if (streamed) void content.stream.cancel();
  return new Response(null, { status, headers: fields });
}
