/** An answer of a server, whole. */
export interface Answer {
  status: number;
  /** Lower-case names. */
  headers: Map<string, string>;
  body: string;
}

/** The server could not be asked, or did not answer completely. */
export class TransportError extends Error {
  override readonly name: string = "TransportError";
}

/** The server sends more than any answer of it can hold; asking again changes nothing. */
export class AnswerTooLarge extends TransportError {
  override readonly name = "AnswerTooLarge";
}

/** Bytes an answer may have: as much as `annotations.json` (docs/spec/web.md 4.6). */
export const LARGEST_ANSWER = 128 << 20;
const LARGEST_HEAD = 65_536;

/** Takes an HTTP/1.1 answer in as it comes, in time that grows with its bytes alone. Both throw `TransportError`. */
export interface AnswerReader {
  /** The answer, once these bytes complete it. */
  push(chunk: Uint8Array): Answer | undefined;
  /** The connection has closed, which completes an answer without a length. */
  end(): Answer;
}

type Head = Omit<Answer, "body">;

/** Takes bytes of a body in; true when it is complete. */
type Body = (chunk: Buffer) => boolean;

export function answerReader(largest: number = LARGEST_ANSWER): AnswerReader {
  let early: Buffer = Buffer.alloc(0);
  let head: Head | undefined;
  let take: Body | undefined;
  let received = 0;
  let filled = 0;
  let content: Buffer = Buffer.alloc(0);

  function keep(part: Buffer) {
    if (filled + part.length > content.length) {
      const larger = Buffer.alloc(Math.max(filled + part.length, 2 * content.length));
      content.copy(larger, 0, 0, filled);
      content = larger;
    }
    part.copy(content, filled);
    filled += part.length;
  }

  function answer(): Answer {
    return { ...head!, body: content.toString("utf8", 0, filled) };
  }

  return {
    push(chunk) {
      received += chunk.length;
      if (received > largest) throw tooLarge(largest);
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      if (take === undefined) {
        early = Buffer.concat([early, rest]);
        const end = early.indexOf("\r\n\r\n");
        if (end < 0 && early.length <= LARGEST_HEAD) return undefined;
        head = end < 0 ? undefined : parseHead(early.toString("latin1", 0, end));
        if (head === undefined) throw new TransportError("the answer is not HTTP");
        take = bodyOf(head, largest, keep);
        rest = early.subarray(end + 4);
      }
      return take(rest) ? answer() : undefined;
    },
    end() {
      if (head !== undefined && isUntilTheEnd(head)) return answer();
      throw new TransportError("the connection closed before the answer was complete");
    },
  };
}

function tooLarge(largest: number): AnswerTooLarge {
  return new AnswerTooLarge(`the answer is larger than ${largest} bytes`);
}

function parseHead(text: string): Head | undefined {
  const [first, ...lines] = text.split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(first ?? "");
  if (status === null) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status[1]), headers };
}

const hasNoBody = ({ status }: Head) => status === 204 || status === 304;
const isChunked = ({ headers }: Head) => headers.get("transfer-encoding")?.toLowerCase() === "chunked";

function isUntilTheEnd(head: Head): boolean {
  return !hasNoBody(head) && !isChunked(head) && !head.headers.has("content-length");
}

function bodyOf(head: Head, largest: number, keep: (part: Buffer) => void): Body {
  if (hasNoBody(head)) return () => true;
  if (isChunked(head)) return chunkedBody(keep);
  const length = head.headers.get("content-length");
  if (length === undefined) {
    return (chunk) => {
      keep(chunk);
      return false;
    };
  }
  if (!/^\d+$/.test(length)) throw new TransportError("the answer is not HTTP");
  let missing = Number(length);
  if (missing > largest) throw tooLarge(largest);
  return (chunk) => {
    keep(chunk.subarray(0, missing));
    missing -= Math.min(missing, chunk.length);
    return missing === 0;
  };
}

/** Characters of a line that gives a chunk's size, its extensions included. */
const LONGEST_SIZE_LINE = 1024;

function chunkedBody(keep: (part: Buffer) => void): Body {
  let line = "";
  /** Bytes of the current chunk still to come, and of the line end after it. */
  let data = 0;
  let lineEnd = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (data > 0) {
        const part = chunk.subarray(at, at + data);
        keep(part);
        data -= part.length;
        at += part.length;
      } else if (lineEnd > 0) {
        lineEnd--;
        at++;
      } else {
        const end = chunk.indexOf(10, at);
        line += chunk.toString("latin1", at, end < 0 ? chunk.length : end);
        const size = /^([0-9a-f]{1,12})\s*(;.*)?\r?$/i.exec(line)?.[1];
        if (line.length > LONGEST_SIZE_LINE || (end >= 0 && size === undefined)) {
          throw new TransportError("the answer is not HTTP");
        }
        if (end < 0) return false;
        at = end + 1;
        line = "";
        data = Number.parseInt(size!, 16);
        if (data === 0) return true;
        lineEnd = 2;
      }
    }
    return false;
  };
}
