import { DOCUMENT_HEADER } from "../../kernel/shared/annotate-wire.ts";
import { isRecord, toJson, type Unread } from "../page/json.ts";
import * as page from "../page/page.ts";
import { cancel, later } from "../page/timers.ts";
import type { Boot } from "./boot.ts";

const TIMEOUT_MS = 10_000;
/** The same for an image on its way. */
const IMAGE_TIMEOUT_MS = 60_000;

// Taken at start: a page may replace the global later.
const request = window.fetch.bind(window);

export interface Answer<T> {
  /** HTTP status; 0 when the server was not reached or did not answer in time. */
  status: number;
  data: Unread<T>;
}

/** What an answer that is no success may say. */
interface Refusal {
  reason?: string;
  detail?: string;
}

/**
 * Calls to the preview server (15.7): same origin, cookie, the document's id, 10 s each, none before `ready`. A body is
 * sent as JSON, or as it is when it is a file. Never throws.
 */
export interface Api {
  <T = unknown>(verb: string, path: string, body?: unknown): Promise<Answer<T & Refusal>>;
  /** The bytes at a path; null when there are none to be had. */
  bytes(path: string): Promise<ArrayBuffer | null>;
}

export function createApi(boot: Boot, ready: Promise<void>): Api {
  const call = async <R>(
    verb: string,
    path: string,
    body: unknown,
    read: (response: Response) => Promise<R>,
  ): Promise<R | null> => {
    await ready;
    const abort = new AbortController();
    const isFile = body instanceof Blob;
    const timer = later(() => abort.abort(), isFile ? IMAGE_TIMEOUT_MS : TIMEOUT_MS);
    try {
      const response = await request(
        boot.origin + path,
        page.dict<RequestInit>({
          method: verb,
          cache: "no-store",
          credentials: "same-origin",
          signal: abort.signal,
          headers: page.dict({
            [DOCUMENT_HEADER]: boot.document,
            "content-type": isFile ? body.type : "application/json",
          }),
          ...(body === undefined ? {} : { body: isFile ? body : toJson(body) }),
        }),
      );
      return await read(response);
    } catch {
      return null;
    } finally {
      cancel(timer);
    }
  };

  const api = async <T>(verb: string, path: string, body?: unknown): Promise<Answer<T & Refusal>> => {
    const answer = await call(verb, path, body, async (response) => {
      const data: unknown = await response.json().catch(() => null);
      return { status: response.status, data: isRecord(data) ? data : {} };
    });
    return (answer ?? { status: 0, data: {} }) as Answer<T & Refusal>;
  };
  const bytes = (path: string) =>
    call("GET", path, undefined, async (response) => (response.ok ? response.arrayBuffer() : null));
  return Object.assign(api, { bytes });
}
