import { lstatSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { closeQuietly } from "../kernel/files/file-io.ts";
import {
  decodeUtf8,
  openOwnedFile,
  Refused,
  readOpenFile,
  readOwnedFile,
} from "../kernel/files/owned-file.ts";
import { parseIsoSeconds } from "../kernel/text/time.ts";
import { type ElevateFlags, usage } from "./forms.ts";
import { type EnvelopeFacts, judge } from "./judge.ts";
import { foreignError } from "./report.ts";
import type { Verdict } from "./schema.ts";
import { callerResultMax, DEFAULT_RESULT_MAX_BYTES } from "./settings.ts";

// Caps of the runner's files (docs/spec/jobs.md 4.2).
const META_CAP = 65_536;
const REASON_CAP = 1_024;

/**
 * What to do with a job of this room (docs/spec/elevate.md 7.3), from its state and its envelope. Exit 0 for every verdict;
 * throws (exit 1) for an unknown ref.
 */
export async function verdict(
  host: Host,
  flags: ElevateFlags,
  words: readonly string[],
): Promise<Outcome<Verdict>> {
  const [ref = ""] = words;
  if (ref === "") throw usage("--verdict needs a job id or path");
  const { state, directory } = await jobState(host, ref, flags.skill);
  const readable = state !== "unreadable";
  const meta = readable ? readMeta(host, directory) : undefined;
  const settled = readable && state !== "running" && state !== "never-started";
  const envelope = settled && meta !== undefined ? readEnvelope(host, meta) : undefined;
  const { verdict: word, why } = judge(state, envelope, flags.retried);
  const matched = envelope?.receipt === "matched";
  const label = matched ? envelope.servedModel : `${envelope?.requestedModel} (unverified)`;
  const data: Verdict = {
    verdict: word,
    why,
    job_state: state,
    job_reason: readable ? readReason(host, directory) : null,
    envelope_status: envelope?.status ?? null,
    requested_model: envelope?.requestedModel ?? null,
    served_model: envelope?.servedModel ?? null,
    receipt: envelope?.receipt ?? null,
    model_label: word === "use" ? label : null,
    result_path: meta?.resultPath ?? null,
  };
  return { data, text: `${JSON.stringify(data)}\n` };
}

async function jobState(
  host: Host,
  ref: string,
  skill: string | undefined,
): Promise<{ state: string; directory: string }> {
  const words = ["job", "status", "--json", ...(skill === undefined ? [] : [`--skill=${skill}`]), ref];
  const { exitCode, stdout, stderr } = await host.run(words);
  if (exitCode !== EXIT.done) throw foreignError(stderr, "jig job: ", exitCode);
  const [job] = JSON.parse(new TextDecoder().decode(stdout)) as { state: string; job_dir: string }[];
  return { state: job!.state, directory: job!.job_dir };
}

interface MetaFacts {
  resultPath: string | undefined;
  resultMax: number | undefined;
  /** Milliseconds since the epoch; an envelope older than this is a leftover. */
  startedAt: number | undefined;
}

function readMeta(host: Host, directory: string): MetaFacts | undefined {
  const path = join(directory, "meta.json");
  const meta = readJson(() => readOwnedFile(path, { uid: host.uid, maxBytes: META_CAP }));
  if (meta === undefined) return undefined;
  const { result_path: resultPath, started_at: started, supervision } = meta;
  const resultMax = (supervision as { result_max?: unknown } | undefined)?.result_max;
  const startedAt = typeof started === "string" ? parseIsoSeconds(started) : undefined;
  return {
    resultPath: typeof resultPath === "string" && resultPath !== "" ? resultPath : undefined,
    resultMax: typeof resultMax === "number" && resultMax > 0 ? resultMax : undefined,
    startedAt: startedAt ?? lstatSync(path, { throwIfNoEntry: false })?.mtimeMs,
  };
}

/** The envelope at the job's result path, when it can be read, is one, and is not a leftover of an earlier attempt. */
function readEnvelope(host: Host, meta: MetaFacts): EnvelopeFacts | undefined {
  const { resultPath, startedAt } = meta;
  if (resultPath === undefined || startedAt === undefined) return undefined;
  const maxBytes = callerResultMax(host.env) ?? meta.resultMax ?? DEFAULT_RESULT_MAX_BYTES;
  const fields = readJson(() => {
    const file = openOwnedFile(resultPath, { uid: host.uid });
    try {
      return file.stat.mtimeMs < startedAt ? undefined : readOpenFile(file, maxBytes);
    } finally {
      closeQuietly(file.descriptor);
    }
  });
  return fields === undefined ? undefined : envelopeFacts(fields);
}

/** The facts of an envelope, jig's or upstream's; undefined for any other object. */
export function envelopeFacts(fields: Record<string, unknown>): EnvelopeFacts | undefined {
  const { status, requested_model: requestedModel, served_model: servedModel, receipt } = fields;
  if (typeof requestedModel !== "string") return undefined;
  if (status === "failed") return { status, requestedModel, servedModel: null, receipt: null };
  const known = receipt === "matched" || receipt === "mismatch" || receipt === "unverified";
  if (status !== "ok" || typeof servedModel !== "string" || !known || !Object.hasOwn(fields, "output")) {
    return undefined;
  }
  return { status, requestedModel, servedModel, receipt };
}

function readReason(host: Host, directory: string): string | null {
  try {
    const bytes = readOwnedFile(join(directory, "reason"), { uid: host.uid, maxBytes: REASON_CAP });
    return new TextDecoder().decode(bytes).trim() || null;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

/** A JSON object from bytes of ours; undefined when there is none to be had. */
function readJson(read: () => Uint8Array | undefined): Record<string, unknown> | undefined {
  try {
    const bytes = read();
    const text = bytes === undefined ? undefined : decodeUtf8(bytes);
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
