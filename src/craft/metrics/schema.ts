import * as v from "valibot";

const maybe = v.nullable(v.number());

const RowSchema = v.object({
  run: v.string(),
  phase: v.string(),
  figures: v.pipe(
    v.nullable(
      v.object({
        turns: v.number(),
        toolCalls: v.number(),
        tokens: maybe,
        durationMs: v.number(),
        cache: v.nullable(v.object({ read: v.number(), creation: v.number() })),
        output: v.number(),
        averageContext: maybe,
        equivalent: maybe,
      }),
    ),
    v.description("null: no transcript was found for the phase"),
  ),
});

/** What `metrics emit --json` prints. */
export const EmitReportSchema = v.object({
  rows: v.array(RowSchema),
  compactions: v.nullable(
    v.object({ main: v.number(), agents: v.number(), low: v.number(), high: v.number() }),
  ),
});

const spent = {
  turns: maybe,
  toolCalls: maybe,
  tokens: maybe,
  output: maybe,
  durationMs: maybe,
  equivalent: maybe,
  cost: v.pipe(maybe, v.description("In the currency of the price table")),
  retries: v.pipe(v.number(), v.description("How often a phase was run again")),
};

/** What `metrics report --json` prints. */
export const MetricsReportSchema = v.object({
  ledger: v.string(),
  currency: v.nullable(v.string()),
  runs: v.array(
    v.object({ run: v.string(), ...spent, phases: v.array(v.object({ phase: v.string(), ...spent })) }),
  ),
});
