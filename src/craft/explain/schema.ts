import * as v from "valibot";

const SourceSchema = v.pipe(
  v.object({
    from: v.picklist(["pipeline", "manifest", "flag", "profile", "engine"]),
    line: v.nullable(v.pipe(v.number(), v.integer(), v.description("Line of the manifest"))),
    name: v.nullable(v.pipe(v.string(), v.description("Of the profile"))),
  }),
  v.description("What decided a value; engine: a rule of jig's own"),
);
export type Source = v.InferOutput<typeof SourceSchema>;

const ValueSchema = v.object({ name: v.string(), value: v.string(), source: SourceSchema });
export type Value = v.InferOutput<typeof ValueSchema>;

const ExplainedPhaseSchema = v.object({
  id: v.string(),
  runs: v.boolean(),
  state: v.picklist(["on", "enabled", "skipped", "disabled", "default-off"]),
  origin: v.picklist(["pipeline", "inserted", "registered"]),
  why: v.pipe(v.string(), v.description("Why it is there, or is not")),
  archetype: v.string(),
  mode: v.picklist(["agent", "inline"]),
  role: v.nullable(v.pipe(v.string(), v.description("null: the session itself works"))),
  tier: v.string(),
  gate: v.string(),
  contract: v.array(v.string()),
  consumes: v.array(v.string()),
  produces: v.array(v.string()),
  autoSkipEligible: v.boolean(),
  awaitedByPropose: v.boolean(),
  values: v.pipe(v.array(ValueSchema), v.description("Each value with what decided it")),
});
export type ExplainedPhase = v.InferOutput<typeof ExplainedPhaseSchema>;

/** What `jig craft explain --json` prints. */
export const ExplanationSchema = v.pipe(
  v.object({
    manifestPath: v.nullable(v.string()),
    profile: v.nullable(v.string()),
    phases: v.pipe(v.array(ExplainedPhaseSchema), v.description("All of them, or the one asked for")),
    agentPhases: v.pipe(v.number(), v.integer(), v.description("Phases that spawn agents")),
    reviewers: v.nullable(v.object({ count: v.number(), dimensions: v.number(), passes: v.number() })),
    gateCommands: v.pipe(
      v.nullable(v.object({ commands: v.array(v.string()), source: v.nullable(v.string()) })),
      v.description("Of the one phase asked for; null when its gate needs a command and none is known"),
    ),
    notes: v.array(v.string()),
  }),
  v.description("Why a run does what it does: jig craft explain --json"),
);
export type Explanation = v.InferOutput<typeof ExplanationSchema>;
