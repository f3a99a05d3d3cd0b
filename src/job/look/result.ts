import { resolve } from "node:path";
import type { Args } from "../../kernel/call/command.ts";
import { EXIT, JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { readInPieces } from "../../kernel/files/read-in-pieces.ts";
import { printable } from "../../kernel/text/printable.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { readMeta, readReason } from "../record/files.ts";
import { ours } from "../record/owner.ts";
import { findJob, type JobRef } from "../record/roots.ts";
import { isWithEngine, readState } from "../record/state.ts";
import { DEFAULT_RESULT_MAX_BYTES, resultCapOf } from "../settings.ts";

/**
 * Emit a job's result, or any artifact with `--path`, byte for byte and only after the reading rules hold
 * (docs/spec/jobs.md 2.5). Throws `JigError` with the exit code of the table there; nothing is on stdout then.
 */
export async function jobResult(
  host: Host,
  args: Pick<Args, "positionals"> & { flags: { skill: string | undefined; path: string | undefined } },
): Promise<Outcome<null>> {
  const [ref] = args.positionals;
  if (args.flags.path) return artifact(host, resolve(host.cwd, args.flags.path), ref, args.flags.skill);
  if (ref === undefined) throw new JigError("result needs a job id or --path FILE", { exitCode: EXIT.usage });
  return declaredResult(host, findJob(host, ref, args.flags.skill));
}

async function declaredResult(host: Host, job: JobRef): Promise<Outcome<null>> {
  const { ref, directory } = job;
  let state = readState(host, directory);
  if (state === "running") {
    const { found, notes } = await (await import("./closer.ts")).lookCloserAt(host, [job]);
    state = found[0]!.state;
    // That nobody supervises it is no answer to this question; what an engine says is.
    if (isWithEngine(directory)) for (const note of notes) host.stderr(`${host.prefix}${note}\n`);
  }
  if (state === "running") throw new JigError("running", { exitCode: EXIT.usage });
  if (state === "unreadable") throw unreadable(directory);
  if (state !== "done") throw new JigError(state, { exitCode: EXIT.notThisTime });
  const meta = readMeta(host, directory);
  if ("refused" in meta && meta.refused.reason !== "absent")
    throw refusal(`unreadable: ${meta.refused.message}`);
  if ("refused" in meta) throw refusal(`cannot read job metadata: ${meta.refused.message}`);
  if ("invalid" in meta) throw refusal(`cannot read job metadata: ${meta.invalid}`);
  if (meta.resultPath === null) {
    const note = `${host.prefix}job declared no result path; nothing to emit`;
    const hint = `hint: jig job logs ${shellWord(ref)} prints what it wrote`;
    return { data: null, text: "", notes: [note, hint] };
  }
  const maxBytes = resultCapOf(host.env) ?? meta.supervision.result_max;
  try {
    return emit(readInPieces(meta.resultPath, { ...ours(host), maxBytes }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.reason !== "absent") throw refusal(`unreadable: ${error.message}`);
    const node = isWithEngine(directory) ? await nodeOf(host, directory) : null;
    const message =
      node === null
        ? `result missing or unreadable: ${error.message}`
        : `result missing or unreadable: ${meta.resultPath} was written on ${printable(node)} and is not visible here`;
    throw new JigError(message, { exitCode: EXIT.notThisTime });
  }
}

/** The node whose files are this job's; null where they would be here. */
async function nodeOf(host: Host, directory: string): Promise<string | null> {
  return (await import("../record/engine-file.ts")).nodeOf(host, directory);
}

function artifact(
  host: Host,
  path: string,
  ref: string | undefined,
  skill: string | undefined,
): Outcome<null> {
  try {
    return emit(
      readInPieces(path, { ...ours(host), maxBytes: resultCapOf(host.env) ?? DEFAULT_RESULT_MAX_BYTES }),
    );
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    switch (error.reason) {
      case "absent":
        throw absent(host, path, ref, skill);
      case "foreign-owner":
      case "not-regular":
      case "too-large":
        throw refusal(`unreadable: ${error.message}`);
      default:
        throw refusal(`refused to read ${error.path}: ${error.why}`);
    }
  }
}

/** An artifact that is not there, explained by the state of the job that was to write it. */
function absent(host: Host, path: string, ref: string | undefined, skill: string | undefined): JigError {
  const first = `no artifact at ${path}`;
  const explained = (line: string, exitCode: number) =>
    new JigError(`${host.prefix}${first}\n${host.prefix}${line}\n`, { exitCode, verbatim: true });
  if (ref === undefined) return new JigError(first, { exitCode: EXIT.notThisTime });
  let directory: string;
  try {
    directory = findJob(host, ref, skill).directory;
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return explained(error.message, error.exitCode);
  }
  const state = readState(host, directory);
  if (state === "unreadable") return explained(unreadable(directory).message, EXIT.refused);
  if (state === "running") return explained(`job ${printable(ref)} is still running`, EXIT.usage);
  const reason = readReason(host, directory);
  const detail = reason === undefined || reason === "" ? "" : ` (${printable(reason)})`;
  return explained(`job ${printable(ref)}: ${state}${detail}`, EXIT.notThisTime);
}

function emit(bytes: Uint8Array | Iterable<Uint8Array>): Outcome<null> {
  return { data: null, text: "", bytes };
}

function refusal(message: string): JigError {
  return new JigError(message, { exitCode: EXIT.refused });
}

function unreadable(directory: string): JigError {
  return refusal(`job state unreadable (ownership or corruption): ${directory}`);
}
