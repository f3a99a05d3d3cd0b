import { DOCUMENT_HEADER } from "../../kernel/shared/annotate-wire.ts";
import { isRecord, toJson, type Unread } from "../page/json.ts";
import * as page from "../page/page.ts";
import { cancel, later } from "../page/timers.ts";
import type { Boot } from "./boot.ts";

const TIMEOUT_MS = 10_000;

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

/** Calls to the preview server (15.7): same origin, cookie, the document's id, 10 s each, none before `ready`. Never throws. */
export function createApi(boot: Boot, ready: Promise<void>) {
  return async <T = unknown>(verb: string, path: string, body?: unknown): Promise<Answer<T & Refusal>> => {
    await ready;
    const abort = new AbortController();
    const timer = later(() => abort.abort(), TIMEOUT_MS);
    try {
      const response = await request(
        boot.origin + path,
        page.dict<RequestInit>({
          method: verb,
          cache: "no-store",
          credentials: "same-origin",
          signal: abort.signal,
          headers: page.dict({ [DOCUMENT_HEADER]: boot.document, "content-type": "application/json" }),
          ...(body === undefined ? {} : { body: toJson(body) }),
        }),
      );
      const data: unknown = await response.json().catch(() => null);
      return {
        status: response.status,
        data: isRecord(data) ? data : {},
      };
    } catch {
      return { status: 0, data: {} };
    } finally {
      cancel(timer);
    }
  };
}

export type Api = ReturnType<typeof createApi>;
