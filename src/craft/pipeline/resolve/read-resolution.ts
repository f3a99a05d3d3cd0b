import type { Host } from "../../../kernel/call/host.ts";
import { isObject } from "../../../kernel/text/json.ts";
import { failure } from "../../common/fail.ts";
import { readPayload } from "../../common/input.ts";
import type { Resolution } from "./resolution.ts";

/** Largest Resolution read, in bytes; it is larger than the manifest it comes from. */
const MAX_BYTES = 16 << 20;

/**
 * A Resolution that `pipeline-resolve` or `resolve` wrote, from a file or stdin (`-`). Only what its readers stand on is
 * checked. Throws under `name` (exit 2).
 */
export async function readResolution(host: Host, name: string, from: string): Promise<Resolution> {
  const text = await readPayload(host, name, { from }, { maxBytes: MAX_BYTES });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw failure(name, `--resolution ${from}: is not valid JSON`);
  }
  if (isResolution(value)) return value;
  throw failure(
    name,
    `--resolution ${from}: is no Resolution; expected what pipeline-resolve or resolve prints`,
  );
}

function isResolution(value: unknown): value is Resolution {
  if (!isObject(value)) return false;
  const { effective, gateDecisions, policy } = value;
  const isPhase = (one: unknown) => isObject(one) && typeof one["id"] === "string";
  const isDecision = (one: unknown) =>
    isObject(one) &&
    typeof one["phaseId"] === "string" &&
    typeof one["gate"] === "string" &&
    typeof one["codeProducing"] === "boolean";
  return (
    Array.isArray(effective) &&
    effective.every(isPhase) &&
    Array.isArray(gateDecisions) &&
    gateDecisions.every(isDecision) &&
    isObject(policy)
  );
}
