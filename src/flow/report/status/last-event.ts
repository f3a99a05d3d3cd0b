import { readSync } from "node:fs";
import { closeQuietly, uninterrupted } from "../../../kernel/files/file-io.ts";
import { openOwnedFile, Refused } from "../../../kernel/files/owned-file.ts";
import type { Layout } from "../../common/layout.ts";
import { type JsonMap, JsonSyntaxError, parseLossless } from "../../common/lossless-json.ts";
import { insideProject } from "../../common/state-file.ts";

/** How much of a log's end is looked through for an event: more only where there is none in less. */
const WINDOWS = [1 << 16, 1 << 20, 1 << 24];

/** The newest event of a log; undefined when none can be read. A line that is no event is passed over. */
export function lastEvent(layout: Layout, wf: string): JsonMap | undefined {
  try {
    const file = openOwnedFile(insideProject(layout.root, layout.events(wf)), { uid: undefined });
    try {
      const { descriptor } = file;
      const { size } = file.stat;
      for (const window of WINDOWS) {
        const length = Math.min(window, size);
        const event = newestIn(readAt(descriptor, size - length, length), length === size);
        if (event !== undefined || length === size) return event;
      }
      return undefined;
    } finally {
      closeQuietly(file.descriptor);
    }
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

function readAt(descriptor: number, start: number, length: number): string {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const at = filled;
    const count = uninterrupted(() => readSync(descriptor, bytes, at, length - at, start + at));
    if (count === 0) break;
    filled += count;
  }
  return new TextDecoder().decode(bytes.subarray(0, filled));
}

/** The last line that is an event; the first one of a window may be the end of a longer line. */
function newestIn(text: string, isWhole: boolean): JsonMap | undefined {
  const lines = text.split("\n");
  for (let at = lines.length - 1; at >= (isWhole ? 0 : 1); at--) {
    const event = eventIn(lines[at]!);
    if (event !== undefined) return event;
  }
  return undefined;
}

function eventIn(line: string): JsonMap | undefined {
  if (line.trim() === "") return undefined;
  try {
    const value = parseLossless(line);
    return value instanceof Map ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
