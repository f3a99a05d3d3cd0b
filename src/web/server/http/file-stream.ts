import { closeSync, read, readSync } from "node:fs";

/** Bytes read in one go. */
const CHUNK = 262_144;

/** What a body consists of: own bytes, or a part of the file, `end` exclusive. */
export type Piece = Uint8Array | { start: number; end: number };

export const lengthOf = (piece: Piece): number =>
  piece instanceof Uint8Array ? piece.length : piece.end - piece.start;

/**
 * Pieces of an open file and of our own, read only as fast as the client takes them. A file that shrinks while being
 * sent breaks the connection instead of being padded. Takes the descriptor over.
 */
export function fileStream(descriptor: number, pieces: readonly Piece[]): ReadableStream<Uint8Array> {
  const waiting = pieces.filter((piece) => lengthOf(piece) > 0);
  let at = 0;
  let open = true;
  let reading = false;
  // Never under a read in progress: the number may be another file's by then.
  const close = () => {
    if (open && !reading) closeSync(descriptor);
    open = false;
  };
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, bytes: Uint8Array) => {
    controller.enqueue(bytes);
    if (waiting.length > 0) return;
    close();
    controller.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (waiting.length > 0) return;
        close();
        controller.close();
      },
      pull: (controller) =>
        new Promise((resolve) => {
          const piece = waiting[0]!;
          if (piece instanceof Uint8Array) {
            waiting.shift();
            send(controller, piece);
            return resolve();
          }
          const from = piece.start + at;
          const bytes = new Uint8Array(Math.min(CHUNK, piece.end - from));
          reading = true;
          read(descriptor, bytes, 0, bytes.length, from, (error, count) => {
            reading = false;
            if (!open) closeSync(descriptor);
            else if (error !== null || count === 0) {
              close();
              controller.error();
            } else {
              at += count;
              if (piece.start + at >= piece.end) {
                waiting.shift();
                at = 0;
              }
              send(controller, bytes.subarray(0, count));
            }
            resolve();
          });
        }),
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** Where the first of these bytes stand in an open file; -1 without any. Reads no more of it at once than a piece. */
export function findInFile(descriptor: number, size: number, wanted: Uint8Array): number {
  const buffer = Buffer.alloc(CHUNK);
  for (let from = 0; from < size; from += CHUNK - wanted.length + 1) {
    const count = readSync(descriptor, buffer, 0, CHUNK, from);
    const found = buffer.subarray(0, count).indexOf(wanted);
    if (found >= 0) return from + found;
    if (count < CHUNK) return -1;
  }
  return -1;
}
