import { BODY_BYTES } from "../../../kernel/shared/annotate-wire.ts";
import { LIMITS } from "../config.ts";
import { json } from "./reply.ts";

/** The body, or the answer that refuses it. */
export type Body = { text: string } | { refusal: Response };
export type Bytes = { bytes: Uint8Array } | { refusal: Response };

/**
 * Read a request body, at most 64 KiB and 15 s (docs/spec/web.md 5.1 and 9). Nothing beyond the limit is kept, and the
 * connection is closed after a refusal. A broken transfer and invalid UTF-8 give what came, which then is no JSON.
 */
export async function readBody(request: Request, timeLimit: number = LIMITS.bodyTime): Promise<Body> {
  const body = await readBytes(request, BODY_BYTES, timeLimit);
  return "refusal" in body ? body : { text: Buffer.from(body.bytes).toString("utf8") };
}

/** The same for bytes of any kind; none for a broken transfer. */
export async function readBytes(request: Request, most: number, timeLimit: number): Promise<Bytes> {
  if (Number(request.headers.get("content-length") ?? 0) > most) return { refusal: tooLarge() };
  if (request.body === null) return { bytes: new Uint8Array() };
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => {});
  }, timeLimit);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) return { refusal: json({ error: "request body took too long" }, 408, CLOSE) };
      if (done) break;
      size += value.length;
      if (size > most) {
        void reader.cancel().catch(() => {});
        return { refusal: tooLarge() };
      }
      parts.push(value);
    }
  } catch {
    // The client went away; nobody reads the answer.
    return { bytes: new Uint8Array() };
  } finally {
    clearTimeout(timer);
  }
  return { bytes: Buffer.concat(parts) };
}

const CLOSE = { connection: "close" };

function tooLarge(): Response {
  return json({ error: "payload too large" }, 413, CLOSE);
}
