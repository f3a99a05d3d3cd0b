import { basename } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { decodeUtf8, Refused } from "../../../kernel/files/owned-file.ts";
import { readInPieces } from "../../../kernel/files/read-in-pieces.ts";
import { concatenate } from "../../../kernel/text/bytes.ts";
import { printableBlock, valueLines } from "../../../kernel/text/printable.ts";
import { MAX_ARTIFACT_BYTES, MAX_MEMORY_BYTES } from "../../common/state-file.ts";
import { artifactTextSummary } from "./artifact-summary.ts";
import { cutLines } from "./cut-lines.ts";
import { type EventSelection, eventSummary } from "./event-lines.ts";
import { markdownSummary } from "./markdown-summary.ts";

export interface QueryOptions extends EventSelection {
  file: string;
  mode: "summary" | "full";
}

/**
 * A compact view of a state file, or its exact bytes (docs/spec/flow.md 10). Nothing is written, and what cannot be
 * parsed is shown as it is. Throws `JigError` (exit 1) for a file that is missing or unreadable, and in `summary` for
 * one that is not UTF-8.
 */
export function query(host: Host, options: QueryOptions): Outcome<null> {
  if (options.mode === "full") return fullContent(host, options.file);
  return { data: null, text: valueLines(summaryOf(host, options)) };
}

function summaryOf(host: Host, { file, ...selection }: QueryOptions): string {
  const name = basename(file);
  if (name.endsWith(".events.jsonl")) {
    const pieces = read(host, file, Number.POSITIVE_INFINITY);
    return eventSummary(linesOf(file, pieces), selection);
  }
  if (name.endsWith(".json")) return artifactTextSummary(textOf(host, file, MAX_ARTIFACT_BYTES));
  if (name.endsWith(".md")) return markdownSummary(textOf(host, file, MAX_MEMORY_BYTES));
  return cutLines(textOf(host, file, MAX_ARTIFACT_BYTES));
}

/** Byte for byte to a program; a person at a terminal sees what a terminal would obey instead. */
function fullContent(host: Host, file: string): Outcome<null> {
  const pieces = read(host, file, Number.POSITIVE_INFINITY);
  const content = pieces instanceof Uint8Array ? [pieces] : pieces;
  if (!host.terminal("stdout").isTerminal) return { data: null, text: "", bytes: content };
  const text = new TextDecoder().decode(concatenate([...content]));
  return { data: null, text: printableBlock(text) };
}

function textOf(host: Host, file: string, maxBytes: number): string {
  const content = read(host, file, maxBytes);
  const text = decodeUtf8(content instanceof Uint8Array ? content : concatenate([...content]));
  if (text === undefined) throw unreadable(file, NOT_UTF8);
  return text;
}

const NOT_UTF8 = "is not valid UTF-8; --mode full shows its bytes";

function read(host: Host, file: string, maxBytes: number): Uint8Array | Iterable<Uint8Array> {
  try {
    return readInPieces(absoluteFrom(host.cwd, file), { uid: undefined, allowSymlink: true, maxBytes });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw unreadable(
      file,
      error.reason === "too-large" ? `${error.why}; --mode full has no limit` : error.why,
    );
  }
}

function unreadable(file: string, why: string): JigError {
  return new JigError(`Error: cannot read ${file}: ${why}`, { verbatim: true });
}

/** The lines of a log, however it is cut into pieces; what follows the last newline is one too, unless it is empty. */
function* linesOf(file: string, content: Uint8Array | Iterable<Uint8Array>): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    } catch {
      throw unreadable(file, NOT_UTF8);
    }
  };
  // Parts of a line that is not at its end yet: joined once, so that a long line is not copied with every piece.
  let parts: string[] = [];
  for (const piece of content instanceof Uint8Array ? [content] : content) {
    const lines = decode(piece).split("\n");
    const last = lines.pop()!;
    for (const line of lines) {
      parts.push(line);
      yield parts.join("");
      parts = [];
    }
    parts.push(last);
  }
  parts.push(decode());
  const tail = parts.join("");
  if (tail !== "") yield tail;
}
