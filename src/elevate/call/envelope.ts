import { osReason } from "../../kernel/call/errors.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { elevationError } from "../report.ts";
import type { Envelope, FailureReason } from "../schema.ts";
import type { Settings } from "../settings.ts";
import { readReceipt } from "./receipt.ts";
import type { ResultEvent } from "./stream.ts";

/** How a model call ended. */
export type CallEnd =
  | { kind: "not-started"; why: string }
  | {
      kind: "ended";
      /** Null when a signal ended it. */
      exitCode: number | null;
      /** Set when the worker's own limit ended it. */
      reaped: "idle" | "hard-cap" | undefined;
      event: ResultEvent | undefined;
      evidence: string;
    };

/** The envelope of a call (docs/spec/elevate.md 4.2): pure. The first reason that holds decides. */
export function envelopeOf(model: string, end: CallEnd, settings: Pick<Settings, "resultMax">): Envelope {
  if (end.kind === "not-started") return failed(model, "claude-not-found", end.why, null);
  const { exitCode, event, evidence } = end;
  const fail = (reason: FailureReason) => failed(model, reason, evidence, exitCode);
  if (end.reaped !== undefined) return fail(end.reaped);
  if (exitCode !== 0) return fail("exit");
  if (event === undefined) return fail("no-result-event");
  if (event.subtype !== "success" || event.isError === true) return fail("error-result");
  const { result } = event;
  if (result === undefined || result === null || result === false || result === "")
    return fail("empty-result");
  const { served, receipt } = readReceipt(model, event.usageKeys);
  const ok: Envelope = {
    status: "ok",
    requested_model: model,
    served_model: served,
    receipt,
    output: result,
  };
  const size = new TextEncoder().encode(envelopeText(ok)).length;
  if (size <= settings.resultMax) return ok;
  const why = `result exceeded byte cap (${size} > ${settings.resultMax} bytes)`;
  return failed(model, "result-too-large", why, exitCode);
}

function failed(model: string, reason: FailureReason, evidence: string, exitCode: number | null): Envelope {
  return { status: "failed", requested_model: model, evidence, reason, exit_code: exitCode };
}

function envelopeText(envelope: Envelope): string {
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** Publish the envelope whole or not at all; a symlink at the path is replaced. Throws (exit 1) with nothing written. */
export function publishEnvelope(path: string, envelope: Envelope): void {
  try {
    writeFileAtomic(path, envelopeText(envelope), { mode: 0o600, symlink: "replace" });
  } catch (error) {
    throw elevationError(`cannot write result to ${path}: ${osReason(error)}`, 1);
  }
}
