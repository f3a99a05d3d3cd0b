/** The shape of a manifest's front matter, for editors (docs/spec/craft-engine.md 3.2); the lint is the judge. */
import * as v from "valibot";
import { ACTIONS, ARCHETYPES, BUNDLES, EXECUTIONS, ROLES, VERDICTS } from "../common/vocabulary.ts";

const described = <T extends v.GenericSchema>(schema: T, text: string) => v.pipe(schema, v.description(text));

const Name = v.pipe(v.string(), v.regex(/\S/));
const Words = v.array(v.string());
const FileRef = described(
  v.nullable(v.union([v.string(), Words])),
  "A file, or several, from two levels above the manifest; it has to exist inside that directory",
);
const Command = v.union([v.string(), Words]);
const Mode = described(v.picklist(EXECUTIONS), "Who works: an agent, or the session inline");
const Tier = v.picklist(["opus", "sonnet", "haiku"]);
const Positive = v.pipe(v.number(), v.integer(), v.minValue(1));
const Gate = v.picklist(["advisory", "blocking"]);
const optional = v.optional;

const Technique = v.looseObject({
  id: Name,
  mode: optional(v.picklist(["gate", "triage"])),
  "run-style": optional(v.picklist(["background", "sync"])),
  scope: optional(v.picklist(["per-hunk", "per-file"])),
  probe: optional(v.string()),
  run: optional(v.string()),
  "triage-procedure": optional(v.string()),
  "commit-prefix": optional(v.string()),
});

const Harness = described(
  v.looseObject({
    dimensions: optional(Words),
    passes: optional(Positive),
    max_cycles: optional(Positive),
    convergence: optional(v.union([v.picklist(["low-only", "none"]), v.pipe(v.number(), v.minValue(0))])),
    scope: optional(v.string()),
    incremental: optional(v.any()),
    techniques: optional(v.array(Technique)),
  }),
  "Knobs of the phase; each replaces the pipeline's own",
);

const PhaseBlock = v.nullable(
  v.strictObject({
    context: optional(FileRef),
    override: optional(FileRef),
    role: optional(v.string()),
    model: optional(v.string()),
    procedure: optional(Name),
    enabled: optional(v.boolean()),
    required: optional(described(v.boolean(), "Never auto-skipped, and not to be in pipeline.skip")),
    harness: optional(Harness),
    execution: optional(Mode),
    strategy: optional(v.any()),
    "merge-flags": optional(v.any()),
    "non-blocking-jobs": optional(v.any()),
  }),
);

const entry = {
  id: Name,
  after: optional(v.string()),
  before: optional(v.string()),
  archetype: optional(v.picklist(ARCHETYPES)),
  contract: optional(v.array(v.picklist(BUNDLES))),
  consumes: optional(Words),
  produces: optional(Words),
  self_supply: optional(Words),
  enabled: optional(v.boolean()),
  execution: optional(Mode),
  role: optional(v.string()),
  gate: optional(v.string()),
  model: optional(v.string()),
  harness: optional(Harness),
};

const source = { source: v.string(), ref: optional(v.nullable(v.string())) };
const Profile = v.object(v.entriesFromList(ARCHETYPES, v.picklist(EXECUTIONS)));

export const ManifestSchema = v.pipe(
  v.strictObject({
    context: optional(FileRef),
    paths: optional(
      v.nullable(
        v.looseObject({
          design: optional(v.string()),
          adr: optional(v.string()),
          plan: optional(v.string()),
          requirements: optional(v.string()),
          dod: optional(FileRef),
          lessons: optional(described(v.string(), "docs/lessons/ unless given")),
        }),
      ),
    ),
    gates: optional(
      v.nullable(
        v.strictObject({
          part: optional(described(Command, "The check of one part, over the files it touched")),
          phase: optional(described(Command, "The full check of a phase")),
          "review-batch": optional(Command),
        }),
      ),
    ),
    pr: optional(
      v.nullable(v.strictObject({ creator: optional(v.any()), "pre-pr-gate": optional(v.any()) })),
    ),
    scripts: optional(
      v.nullable(v.strictObject({ "post-setup": optional(FileRef), "pre-teardown": optional(FileRef) })),
    ),
    models: optional(v.nullable(v.strictObject(v.entriesFromList(["fallback", ...ROLES], optional(Tier))))),
    execution: optional(Mode),
    retrieval: optional(v.any()),
    pipeline: optional(
      v.nullable(
        v.strictObject({
          profile: optional(
            v.nullable(described(v.string(), "solo, lean, full, or one of extends.profiles")),
          ),
          skip: optional(v.nullable(Words)),
          insert: optional(v.nullable(v.array(v.looseObject({ ...entry, procedure: optional(Name) })))),
          reorder: optional(Words),
        }),
      ),
    ),
    phases: optional(v.nullable(described(v.record(v.string(), PhaseBlock), "By phase id or alias"))),
    backlog: optional(v.strictObject(source)),
    memory: optional(v.strictObject(source)),
    intention: optional(v.strictObject({ ...source, gate: optional(Gate), covers: optional(v.array(Name)) })),
    policy: optional(
      described(
        v.strictObject(v.entriesFromList(VERDICTS, optional(v.array(v.picklist(ACTIONS))))),
        "Which outward actions are done, asked for, or refused",
      ),
    ),
    hygiene: optional(v.strictObject({ gate: optional(Gate) })),
    lessons: optional(
      v.strictObject({ max_injected: optional(v.pipe(v.number(), v.integer(), v.minValue(0))) }),
    ),
    extends: optional(
      v.strictObject({
        phases: optional(v.array(v.looseObject({ ...entry, procedure: Name }))),
        agents: optional(v.array(Name)),
        profiles: optional(v.record(v.string(), Profile)),
        "backlog-adapters": optional(v.array(v.looseObject({ name: Name, ref: Name }))),
      }),
    ),
  }),
  v.description("The front matter of a craft manifest, such as .claude/workflow.md"),
);
