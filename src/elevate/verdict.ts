import { EXIT } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { closeQuietly } from "../kernel/files/file-io.ts";
import { decodeUtf8, openOwnedFile, Refused, readOpenFile } from "../kernel/files/owned-file.ts";
import { parseObject } from "../kernel/text/json.ts";
import { jsonText } from "../kernel/text/printable.ts";
import { parseIsoSeconds } from "../kernel/text/time.ts";
import { type ElevateFlags, usage } from "./forms.ts";
import { type EnvelopeFacts, judge } from "./judge.ts";
import { foreignError } from "./report.ts";
import type { Verdict } from "./schema.ts";
import { callerResultMax, DEFAULT_RESULT_MAX_BYTES } from "./settings.ts";

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
  const { state, details } = await jobStatus(host, ref, flags.skill);
  const settled = state !== "running" && state !== "never-started";
  const envelope = settled && details !== null ? readEnvelope(host, details) : undefined;
  const { verdict: word, why } = judge(state, envelope, flags.retried);
  const matched = envelope?.receipt === "matched";
  const label = matched ? envelope.servedModel : `${envelope?.requestedModel} (unverified)`;
  const data: Verdict = {
    verdict: word,
    why,
    job_state: state,
    job_reason: details?.reason ?? null,
    envelope_status: envelope?.status ?? null,
    requested_model: envelope?.requestedModel ?? null,
    served_model: envelope?.servedModel ?? null,
    receipt: envelope?.receipt ?? null,
    model_label: word === "use" ? label : null,
    result_path: details?.result_path ?? null,
  };
  return { data, text: jsonText(data) };
}

/** What `job status --json --details` says (docs/spec/jobs.md 2.3). */
interface JobStatus {
  state: string;
  details: JobDetails | null;
}

interface JobDetails {
  /** An envelope older than this is a leftover. */
  started_at: string | null;
  result_path: string | null;
  result_max: number | null;
  reason: string | null;
}

async function jobStatus(host: Host, ref: string, skill: string | undefined): Promise<JobStatus> {
  const of = skill === undefined ? [] : [`--skill=${skill}`];
  const words = ["job", "status", "--json", "--details", ...of, ref];
  const { exitCode, stdout, stderr } = await host.run(words);
  if (exitCode !== EXIT.done) throw foreignError(stderr, "jig job: ", exitCode);
  const [job] = JSON.parse(new TextDecoder().decode(stdout)) as JobStatus[];
  return job!;
}

/** The envelope at the job's result path, when it can be read, is one, and is not a leftover of an earlier attempt. */
function readEnvelope(host: Host, details: JobDetails): EnvelopeFacts | undefined {
  const startedAt = details.started_at === null ? undefined : parseIsoSeconds(details.started_at);
  if (details.result_path === null || startedAt === undefined) return undefined;
  const maxBytes = callerResultMax(host.env) ?? details.result_max ?? DEFAULT_RESULT_MAX_BYTES;
  const text = readText(details.result_path, host.uid, startedAt, maxBytes);
  const fields = text === undefined ? undefined : parseObject(text);
  return fields === undefined ? undefined : envelopeFacts(fields);
}

/** The text of a file of ours that is no older than a moment; undefined when there is none to be had. */
function readText(
  path: string,
  uid: number | undefined,
  oldest: number,
  maxBytes: number,
): string | undefined {
  try {
    const file = openOwnedFile(path, { uid });
    try {
      return file.stat.mtimeMs < oldest ? undefined : decodeUtf8(readOpenFile(file, maxBytes));
    } finally {
      closeQuietly(file.descriptor);
    }
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
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
