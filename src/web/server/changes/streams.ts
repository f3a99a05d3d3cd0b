import type { FrameName, Frames } from "../../../kernel/shared/annotate-wire.ts";
import { LIMITS } from "../config.ts";

/** An open event stream (docs/spec/web.md 12.1). */
export interface Stream {
  /** The document it was opened for, when it named one. */
  readonly document: string | null;
  send(frame: string): void;
}

export interface Streams {
  readonly size: number;
  /** Open one with its first bytes. Undefined when there are as many as may be. */
  open(
    document: string | null,
    signal: AbortSignal,
    first: string,
  ): { stream: Stream; response: Response } | undefined;
  broadcast(frame: string): void;
  /** Send a last frame to all and close them. */
  end(frame: string): void;
}

export interface StreamEvents {
  opened(stream: Stream): void;
  /** By the client, by being too slow, or by `end`. */
  closed(stream: Stream): void;
}

/** Milliseconds between two comments that keep a silent stream alive and show a dead peer. */
export const KEEP_ALIVE_MS = 15_000;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-accel-buffering": "no",
};

/** One event as the stream carries it; the data is one line. */
export function frame<Name extends FrameName>(event: Name, data: Frames[Name]): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface OpenStream extends Stream {
  push(bytes: Uint8Array): void;
  close(): void;
}

export function makeStreams(events: StreamEvents): Streams {
  const streams = new Set<OpenStream>();
  const encoder = new TextEncoder();
  let keepAlive: ReturnType<typeof setInterval> | undefined;

  function add(stream: OpenStream) {
    streams.add(stream);
    keepAlive ??= setInterval(() => broadcast(":ka\n\n"), KEEP_ALIVE_MS);
    events.opened(stream);
  }

  function drop(stream: OpenStream) {
    if (!streams.delete(stream)) return;
    if (streams.size === 0) {
      clearInterval(keepAlive);
      keepAlive = undefined;
    }
    events.closed(stream);
  }

  function broadcast(text: string) {
    if (streams.size === 0) return;
    const bytes = encoder.encode(text);
    for (const stream of [...streams]) stream.push(bytes);
  }

  function open(document: string | null, signal: AbortSignal, first: string) {
    if (streams.size >= LIMITS.streams) return undefined;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const stream: OpenStream = {
      document,
      send: (text) => stream.push(encoder.encode(text)),
      push(bytes) {
        if (!streams.has(stream)) return;
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 0) > 0) return;
        // Its reader is too slow: break the connection rather than keep what it will never read.
        drop(stream);
        controller.error();
      },
      close() {
        if (streams.has(stream)) controller.close();
        drop(stream);
      },
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start(own) {
          controller = own;
          controller.enqueue(encoder.encode(first));
        },
        cancel: () => drop(stream),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: LIMITS.streamBacklog }),
    );
    signal.addEventListener("abort", () => drop(stream));
    add(stream);
    return { stream, response: new Response(body, { headers: HEADERS }) };
  }

  return {
    get size() {
      return streams.size;
    },
    open,
    broadcast,
    end(text) {
      broadcast(text);
      for (const stream of [...streams]) stream.close();
    },
  };
}
