import type { GenericSchema } from "valibot";
import * as v from "valibot";
import { BacklogItemSchema, ElectionSchema } from "./backlog/schema.ts";
import { ContractSchema, ContractsReportSchema } from "./contracts/schema.ts";
import { CorpusSchema, FreshnessSchema, IntentionSchema } from "./corpus/schema.ts";
import { CapabilitiesSchema } from "./detect/schema.ts";
import { ExplanationSchema } from "./explain/schema.ts";
import { FindingsSchema } from "./findings/schema.ts";
import { GateCommandsSchema } from "./gates/schema.ts";
import { InitPathSchema, InitReportSchema, PromotionSchema } from "./init/schema.ts";
import {
  DeferredImpactSchema,
  ImpactsSchema,
  LocatedRunSchema,
  OpenedRunSchema,
  OpenRunsSchema,
  RecordsSchema,
} from "./ledger/schema.ts";
import { LessonsHintSchema, LessonsLintSchema } from "./lessons/schema.ts";
import {
  DodReportSchema,
  HygieneGateSchema,
  PlanLintReportSchema,
  ScanReportSchema,
} from "./lints/schema.ts";
import { ManifestSchema } from "./manifest/manifest-schema.ts";
import { ConfigFoundSchema, ManifestLintSchema } from "./manifest/schema.ts";
import { MemoryRetractSchema, MemorySaveSchema, MemoryViewSchema } from "./memory/schema.ts";
import { EmitReportSchema, MetricsReportSchema } from "./metrics/schema.ts";
import { ModelChoiceSchema, ModelErrorSchema } from "./models/schema.ts";
import { PipelineLintSchema, ResolutionSchema, RunResolutionSchema } from "./pipeline/schema.ts";
import { ConsultationSchema } from "./policy/schema.ts";
import { RunArgumentsSchema } from "./run/schema.ts";
import { RunStateSchema } from "./run-state/schema.ts";

const described = (schema: GenericSchema, text: string): GenericSchema => v.pipe(schema, v.description(text));

export const schemas: Record<string, GenericSchema> = {
  "craft-resolution": ResolutionSchema,
  "craft-run": RunResolutionSchema,
  "craft-manifest": ManifestSchema,
  "craft-explanation": ExplanationSchema,
  "craft-arguments": RunArgumentsSchema,
  "craft-gate": GateCommandsSchema,
  "craft-policy": ConsultationSchema,
  "craft-model": ModelChoiceSchema,
  "craft-model-error": ModelErrorSchema,
  "craft-pipeline-lint": PipelineLintSchema,
  "craft-manifest-lint": ManifestLintSchema,
  "craft-config": described(ConfigFoundSchema, "jig craft config-resolve --json"),
  "craft-contract": described(ContractSchema, "jig craft contract-assemble --json"),
  "craft-contracts": described(ContractsReportSchema, "jig craft contracts-lint --json"),
  "craft-capabilities": described(CapabilitiesSchema, "jig craft detect --json"),
  "craft-findings": described(FindingsSchema, "jig craft normalize-findings: the canonical list"),
  "craft-memory": described(MemoryViewSchema, "jig craft memory load: the view of a run"),
  "craft-memory-save": described(MemorySaveSchema, "jig craft memory save"),
  "craft-memory-retract": described(MemoryRetractSchema, "jig craft memory retract --json"),
  "craft-intention": described(IntentionSchema, "jig craft intention consult"),
  "craft-freshness": described(FreshnessSchema, "jig craft intention assert-fresh"),
  "craft-corpus": described(CorpusSchema, "jig craft living-corpus --json, governing-corpus --json"),
  "craft-lessons": described(LessonsHintSchema, "jig craft lessons-hint --json"),
  "craft-lessons-lint": described(LessonsLintSchema, "jig craft lessons-lint --json"),
  "craft-backlog": described(BacklogItemSchema, "jig craft backlog resolve"),
  "craft-election": described(ElectionSchema, "jig craft backlog elect"),
  "craft-scan": described(ScanReportSchema, "jig craft stub-lint --json, prose-lint --json"),
  "craft-plan-lint": described(PlanLintReportSchema, "jig craft plan-lint --json"),
  "craft-dod": described(DodReportSchema, "jig craft dod-assert"),
  "craft-hygiene-gate": described(HygieneGateSchema, "jig craft hygiene-gate --json"),
  "craft-init": described(InitReportSchema, "jig craft init --json"),
  "craft-init-path": described(InitPathSchema, "jig craft init-config, init-emit, init-land with --json"),
  "craft-promotion": described(PromotionSchema, "jig craft promote-plan --json"),
  "craft-opened-run": described(OpenedRunSchema, "jig craft ledger open --json"),
  "craft-located-run": described(LocatedRunSchema, "jig craft ledger locate --json"),
  "craft-deferred-impact": described(DeferredImpactSchema, "jig craft ledger defer --json"),
  "craft-open-runs": described(OpenRunsSchema, "jig craft ledger show --json"),
  "craft-records": described(RecordsSchema, "jig craft ledger show RUN_ID --json"),
  "craft-impacts": described(ImpactsSchema, "jig craft ledger show RUN_ID --impacts --json"),
  "craft-run-state": described(RunStateSchema, "jig craft run-state"),
  "craft-metrics-emit": described(EmitReportSchema, "jig craft metrics emit --json"),
  "craft-metrics-report": described(MetricsReportSchema, "jig craft metrics report --json"),
};
