import * as v from "valibot";
import { ACTIONS, ARCHETYPES, EXECUTIONS, VERDICTS } from "../common/vocabulary.ts";

const Words = v.array(v.string());

/** What `jig craft pipeline-lint --json` prints. */
export const PipelineLintSchema = v.pipe(
  v.object({ ok: v.boolean(), path: v.string(), errors: Words }),
  v.description("jig craft pipeline-lint --json"),
);
export type PipelineLint = v.InferOutput<typeof PipelineLintSchema>;

const EffectivePhase = v.looseObject({
  id: v.string(),
  archetype: v.picklist(ARCHETYPES),
  enabled: v.literal(true),
  contract: Words,
  procedure: v.optional(v.string()),
  consumes: Words,
  self_supply: Words,
  produces: Words,
  execution: v.picklist(EXECUTIONS),
  role: v.optional(v.pipe(v.string(), v.description("Absent: the session itself works"))),
  gate: v.optional(v.string()),
  harness: v.optional(v.record(v.string(), v.any())),
  model: v.optional(v.string()),
  autoSkipEligible: v.boolean(),
});

const resolutionEntries = {
  ok: v.literal(true),
  errors: v.array(v.never()),
  effective: v.array(EffectivePhase),
  record: v.pipe(Words, v.description("Lines that open the run's ledger")),
  gateDecisions: v.array(
    v.object({
      phaseId: v.string(),
      gate: v.string(),
      codeProducing: v.boolean(),
      awaitingHarnesses: v.optional(Words),
    }),
  ),
  waivers: v.array(
    v.object({
      phaseId: v.string(),
      reason: v.picklist(["pipeline.skip", "phases.enabled:false", "extends.phases"]),
      proposeGateReleased: v.boolean(),
    }),
  ),
  policy: v.record(v.picklist(ACTIONS), v.picklist(VERDICTS)),
};

/** What `jig craft pipeline-resolve` prints. */
export const ResolutionSchema = v.pipe(
  v.object(resolutionEntries),
  v.description("The phases of a run, their gates, waivers and policy: jig craft pipeline-resolve"),
);

/** What `jig craft resolve` prints. */
export const RunResolutionSchema = v.pipe(
  v.object({
    ...resolutionEntries,
    manifestPath: v.nullable(v.pipe(v.string(), v.description("Absolute; null without a manifest"))),
    notes: v.pipe(Words, v.description("Advice of the three steps, for the run record")),
  }),
  v.description("A Resolution and where it came from: jig craft resolve"),
);
