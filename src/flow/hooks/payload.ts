import type { Host } from "../../kernel/call/host.ts";
import { type JsonObject, parseObject } from "../../kernel/text/json.ts";

/** Largest payload of a hook, in bytes: a write of a large file with its content escaped. How long one waits for it. */
const MAX_PAYLOAD_BYTES = 1 << 26;
const PAYLOAD_WAIT_MS = 5_000;

/** What a host tells its hook; `{}` when that is empty, no JSON object, too large or does not come (docs/spec/flow.md 15.1). */
export async function readPayload(host: Host): Promise<JsonObject> {
  const bytes = await host.stdinWithin(MAX_PAYLOAD_BYTES, PAYLOAD_WAIT_MS);
  return bytes === undefined ? {} : (parseObject(new TextDecoder().decode(bytes)) ?? {});
}

/** A text of the payload; undefined for anything else, also for an empty one. */
export function textOf(payload: JsonObject, key: string): string | undefined {
  const value = payload[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
