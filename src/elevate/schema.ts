import * as v from "valibot";

/** Why a run gave no output (docs/spec/elevate.md 4.2). */
export const FailureReasonSchema = v.picklist([
  "claude-not-found",
  "idle",
  "hard-cap",
  "exit",
  "no-result-event",
  "error-result",
  "empty-result",
  "result-too-large",
]);

export type FailureReason = v.InferOutput<typeof FailureReasonSchema>;

const ReceiptSchema = v.picklist(["matched", "mismatch", "unverified"]);

/** The result envelope on disk. Readers accept more keys, and a failure without the last two. */
export const EnvelopeSchema = v.pipe(
  v.variant("status", [
    v.object({
      status: v.literal("ok"),
      requested_model: v.string(),
      served_model: v.pipe(v.string(), v.description("A model id, or `unverified`")),
      receipt: ReceiptSchema,
      output: v.pipe(v.unknown(), v.description("The text the model returned, unchanged")),
    }),
    v.object({
      status: v.literal("failed"),
      requested_model: v.string(),
      evidence: v.pipe(v.string(), v.description("The end of the call's output, at most 800 bytes")),
      reason: FailureReasonSchema,
      exit_code: v.pipe(
        v.nullable(v.number()),
        v.description("Null when killed by a signal or never started"),
      ),
    }),
  ]),
  v.description("Result envelope of elevate"),
);

export type Envelope = v.InferOutput<typeof EnvelopeSchema>;

/** What `jig elevate --resolve` prints (docs/spec/elevate.md 7.2). */
export const ResolvedModelSchema = v.pipe(
  v.object({
    model: v.nullable(v.string()),
    source: v.picklist(["intent", "carrier", "config", "none"]),
    dispatch: v.pipe(v.boolean(), v.description("There is a model and the session does not run it already")),
    announce: v.pipe(v.boolean(), v.description("A line to the user is due")),
  }),
  v.description("Result of elevate --resolve"),
);

export type ResolvedModel = v.InferOutput<typeof ResolvedModelSchema>;

/** What `jig elevate --verdict` prints (docs/spec/elevate.md 7.3); null where unknown. */
export const VerdictSchema = v.pipe(
  v.object({
    verdict: v.picklist(["wait", "retry", "use", "degrade"]),
    why: v.string(),
    job_state: v.string(),
    job_reason: v.nullable(v.string()),
    envelope_status: v.nullable(v.picklist(["ok", "failed"])),
    requested_model: v.nullable(v.string()),
    served_model: v.nullable(v.string()),
    receipt: v.nullable(ReceiptSchema),
    model_label: v.pipe(
      v.nullable(v.string()),
      v.description("How to name the model to the user; only with `use`"),
    ),
    result_path: v.nullable(v.string()),
  }),
  v.description("Result of elevate --verdict"),
);

export type Verdict = v.InferOutput<typeof VerdictSchema>;

/** What `jig elevate --start --json` prints. */
export const ElevationStartedSchema = v.pipe(
  v.object({ job_id: v.string(), job_dir: v.string() }),
  v.description("Result of elevate --start"),
);

export type ElevationStarted = v.InferOutput<typeof ElevationStartedSchema>;

export const schemas = {
  "elevate-envelope": EnvelopeSchema,
  "elevate-resolution": ResolvedModelSchema,
  "elevate-verdict": VerdictSchema,
  "elevate-start": ElevationStartedSchema,
};
