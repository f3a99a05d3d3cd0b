import { BODY_BYTES } from "../../../kernel/shared/annotate-wire.ts";
import { LIMITS } from "../config.ts";
import { json } from "./reply.ts";

/** The body as text, or the answer that refuses it. */
export type Body = { text: string } | { refusal: Response };

/**
 * Read a request body, at most 64 KiB and 15 s (docs/spec/web.md 5.1 and 9). Nothing beyond the limit is kept, and the
 * connection is closed after a refusal. A broken transfer and invalid UTF-8 give what came, which then is no JSON.
 */
export async function readBody(request: Request, timeLimit: number = LIMITS.bodyTime): Promise<Body> {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES) return { refusal: tooLarge() };
  if (request.body === null) return { text: "" };
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
      if (size > BODY_BYTES) {
        void reader.cancel().catch(() => {});
        return { refusal: tooLarge() };
      }
      parts.push(value);
    }
  } catch {
    // The client went away; nobody reads the answer.
    return { text: "" };
  } finally {
    clearTimeout(timer);
  }
  return { text: Buffer.concat(parts).toString("utf8") };
}

const CLOSE = { connection: "close" };

function tooLarge(): Response {
  return json({ error: "payload too large" }, 413, CLOSE);
}
