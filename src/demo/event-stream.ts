import { JigError, osReason } from "../kernel/call/errors.ts";
import type { FrameName } from "../kernel/shared/annotate-wire.ts";
import { localFetch } from "../runtime/local-fetch.ts";

/** One request to the demo's own server. Throws a `JigError` that says what stands between. */
export async function ask(address: string, init: RequestInit): Promise<Response> {
  try {
    return await localFetch(address, init);
  } catch (error) {
    throw new JigError(
      `${init.method ?? "GET"} ${address}: ${osReason(error)}; a sandbox or firewall may forbid local connections`,
      { cause: error },
    );
  }
}

/** An open event stream of the demo's server. */
export interface EventStream {
  /** Resolves when an event of this name arrives; throws after `timeout` milliseconds or when the stream ends. */
  next(event: FrameName, timeout: number): Promise<void>;
  close(): void;
}

/** Connect as a browser tab does and wait for the first frame, so that later events cannot be missed. */
export async function openEventStream(address: string, token: string): Promise<EventStream> {
  const controller = new AbortController();
  const response = await ask(address, {
    headers: { "X-Session-Token": token, Accept: "text/event-stream" },
    signal: controller.signal,
  });
  if (!response.ok || response.body === null) {
    controller.abort();
    throw new JigError(`GET ${new URL(address).pathname} answers ${response.status}`);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  const stream: EventStream = {
    async next(event, timeout) {
      const timer = setTimeout(() => controller.abort(), timeout);
      try {
        while (!takeFrame(event)) {
          const { done, value } = await reader.read();
          if (done) throw new JigError(`the event stream ended before ${event}`);
          buffer += value;
        }
      } catch (error) {
        if (!controller.signal.aborted) throw error;
        throw new JigError(`no ${event} event within ${timeout / 1000} s`, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => controller.abort(),
  };
  function takeFrame(event: string): boolean {
    const frames = buffer.split("\n\n");
    buffer = frames.pop()!;
    const at = frames.findIndex((frame) => frame.split("\n").includes(`event: ${event}`));
    if (at < 0) return false;
    buffer = [...frames.slice(at + 1), buffer].join("\n\n");
    return true;
  }
  await stream.next("annotations", 10_000);
  return stream;
}
