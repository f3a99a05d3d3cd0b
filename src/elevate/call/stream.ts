import { concatenate } from "../../kernel/text/bytes.ts";
import { isObject, parseObject } from "../../kernel/text/json.ts";

/** What is kept of the call's last `result` event (docs/spec/elevate.md 4.1). */
export interface ResultEvent {
  subtype: unknown;
  isError: unknown;
  result: unknown;
  /** Keys of `modelUsage`; none when it is no object. */
  usageKeys: string[];
}

/** A longer line is not parsed: nothing a model says in one event comes near it. */
const LONGEST_LINE = 64 << 20;
const TAIL_BYTES = 800;
const NEWLINE = 0x0a;

/** Reads the call's output as it arrives; keeps the last terminal event and the last bytes, nothing else. */
export class OutputReader {
  #event: ResultEvent | undefined;
  #tail = new Uint8Array(0);
  #seen = 0;
  #line: Uint8Array[] = [];
  #lineLength = 0;

  /** A piece of stdout: events, one a line, which may be cut anywhere. */
  stdout(chunk: Uint8Array): void {
    this.#keep(chunk);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#extend(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#extend(chunk.subarray(start));
  }

  /** A piece of stderr: evidence only, so that a diagnostic cannot tear an event apart. */
  stderr(chunk: Uint8Array): void {
    this.#keep(chunk);
  }

  /** The last terminal event. Call it once, when no more output comes: a last line needs no newline. */
  event(): ResultEvent | undefined {
    this.#endLine();
    return this.#event;
  }

  /** The end of the combined output as text of at most 800 bytes, without trailing newlines. */
  evidence(): string {
    const cut = this.#seen > this.#tail.length;
    return evidenceText(this.#tail, cut);
  }

  #keep(chunk: Uint8Array): void {
    this.#seen += chunk.length;
    const fresh = chunk.subarray(Math.max(0, chunk.length - TAIL_BYTES));
    const old = this.#tail.subarray(Math.max(0, this.#tail.length + fresh.length - TAIL_BYTES));
    const joined = new Uint8Array(old.length + fresh.length);
    joined.set(old);
    joined.set(fresh, old.length);
    this.#tail = joined;
  }

  #extend(piece: Uint8Array): void {
    this.#lineLength += piece.length;
    if (this.#lineLength > LONGEST_LINE) this.#line = [];
    // A copy: the runtime may reuse the buffer behind a chunk.
    else if (piece.length > 0) this.#line.push(piece.slice());
  }

  #endLine(): void {
    const tooLong = this.#lineLength > LONGEST_LINE;
    const parts = this.#line;
    this.#line = [];
    const length = this.#lineLength;
    this.#lineLength = 0;
    if (tooLong || length === 0) return;
    const event = parseEvent(parts.length === 1 ? parts[0]! : concatenate(parts));
    if (event !== undefined) this.#event = event;
  }
}

/** A line that is a JSON object with `type` `result` at its top level; undefined for any other. */
export function parseEvent(line: Uint8Array): ResultEvent | undefined {
  if (!startsObject(line)) return undefined;
  const fields = parseObject(new TextDecoder().decode(line));
  if (fields?.["type"] !== "result") return undefined;
  const usage = fields["modelUsage"];
  return {
    subtype: fields["subtype"],
    isError: fields["is_error"],
    result: fields["result"],
    usageKeys: isObject(usage) ? Object.keys(usage) : [],
  };
}

/** A flood of other lines is not worth an exception each. */
function startsObject(line: Uint8Array): boolean {
  let at = 0;
  while (line[at] === 0x20 || line[at] === 0x09 || line[at] === 0x0d) at++;
  return line[at] === 0x7b;
}

/** Bytes as text: a first character broken by the cut is dropped, as are trailing newlines. */
export function evidenceText(bytes: Uint8Array, cut: boolean): string {
  let start = 0;
  while (cut && start < 3 && (bytes[start] ?? 0) >> 6 === 0b10) start++;
  let text = new TextDecoder().decode(bytes.subarray(start)).replace(/[\r\n]+$/, "");
  // Each byte that was no UTF-8 has become three.
  while (new TextEncoder().encode(text).length > TAIL_BYTES) text = text.slice(1);
  return text;
}
