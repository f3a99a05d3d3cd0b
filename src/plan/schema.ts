import * as v from "valibot";

const Line = v.pipe(v.number(), v.integer(), v.minValue(1), v.description("1-based line of the file"));
const Format = v.picklist(["md", "html"]);
const Stage = v.picklist(["requirements-only", "planned"]);
const Generation = v.picklist(["current", "earlier"]);
const Severity = v.picklist(["error", "warning", "info"]);
const Check = v.picklist(["metadata", "complete", "consistent", "focused", "post-write", "post-compose"]);
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

const Question = v.object({ line: Line, text: v.string() });

/** Questions a document leaves open; items that say None are left out. */
const OpenQuestions = v.object({
  resolve_before_planning: v.array(Question),
  deferred_to_planning: v.array(Question),
  unclassified: v.array(Question),
});

/** What `jig plan reserve --json` prints. */
export const ReservationSchema = v.pipe(
  v.object({
    path: v.pipe(v.string(), v.description("Absolute path of the file that was made")),
    relative: v.pipe(v.string(), v.description("The same, from the repository's root")),
    root: v.pipe(v.string(), v.description("Artifact root, relative to the repository")),
    format: Format,
    format_source: v.picklist(["flag", "config.local.yaml", "config.yaml", "default"]),
    date: v.nullable(v.string()),
    time: v.nullable(v.pipe(v.string(), v.description("HHMM"))),
    type: v.nullable(v.string()),
    topic: v.nullable(v.string()),
    suffix: v.nullable(v.pipe(Count, v.description("Collision number; null for the first of a name"))),
    bytes: Count,
  }),
  v.description("A plan file that was reserved"),
);
export type Reservation = v.InferOutput<typeof ReservationSchema>;

/** What `jig plan release --json` prints. */
export const ReleaseSchema = v.pipe(
  v.object({ path: v.string(), relative: v.string() }),
  v.description("A reservation that was given back"),
);
export type Release = v.InferOutput<typeof ReleaseSchema>;

/** What `jig plan check --json` prints for one file. */
export const PlanReportSchema = v.pipe(
  v.object({
    file: v.string(),
    status: v.picklist(["pass", "fail", "legacy", "unsupported", "empty"]),
    format: Format,
    generation: v.nullable(Generation),
    stage: v.nullable(Stage),
    contract: v.nullable(v.pipe(v.string(), v.description("Value of artifact_contract"))),
    errors: Count,
    warnings: Count,
    infos: Count,
    findings: v.array(
      v.object({
        rule: v.string(),
        severity: Severity,
        line: Line,
        message: v.string(),
        excerpt: v.pipe(v.string(), v.description("The source line, at most 120 characters")),
        check: Check,
      }),
    ),
    open_questions: OpenQuestions,
    judgement: v.pipe(
      v.array(v.string()),
      v.description("What a program cannot decide and stays to be checked"),
    ),
    reason: v.nullable(v.pipe(v.string(), v.description("Why nothing was checked; null when it was"))),
  }),
  v.description("The findings of plan check for one document"),
);
export type PlanReport = v.InferOutput<typeof PlanReportSchema>;

/** What `jig plan check --json` prints: one report, or an array in the order of several files. */
export const PlanCheckSchema = v.pipe(
  v.union([PlanReportSchema, v.array(PlanReportSchema)]),
  v.description("The findings of plan check"),
);

/** What `jig plan check --list-rules --json` prints. */
export const RuleListSchema = v.pipe(
  v.array(
    v.object({
      rule: v.string(),
      severity: v.pipe(Severity, v.description("The gravest that the rule reports")),
      milder: v.optional(
        v.pipe(Severity, v.description("What it reports lesser cases as, where it has any")),
      ),
      format: v.picklist(["both", "md", "html"]),
      check: Check,
      summary: v.string(),
      webfont_hosts: v.optional(v.array(v.string())),
    }),
  ),
  v.description("The rules of plan check"),
);
export type RuleList = v.InferOutput<typeof RuleListSchema>;

/** What `jig plan find --json` prints. */
export const PlanListSchema = v.pipe(
  v.object({
    root: v.nullable(v.pipe(v.string(), v.description("Artifact root; null when nothing was scanned"))),
    skipped: v.nullable(v.pipe(v.string(), v.description("Why nothing was scanned"))),
    ignored: v.pipe(
      Count,
      v.description("Files left out: empty, unreadable, not UTF-8, or a link out of the repository"),
    ),
    plans: v.array(
      v.object({
        path: v.string(),
        relative: v.string(),
        format: Format,
        status: v.picklist(["unified", "legacy"]),
        stage: v.nullable(Stage),
        generation: v.nullable(Generation),
        title: v.nullable(v.string()),
        topic: v.nullable(v.string()),
        type: v.nullable(v.string()),
        date: v.nullable(v.string()),
        time: v.nullable(v.string()),
        source: v.nullable(v.string()),
        mtime: v.pipe(v.string(), v.description("Time of the last change, UTC")),
        open_questions: v.object({ resolve_before_planning: Count, deferred_to_planning: Count }),
        superseded_by: v.nullable(
          v.pipe(v.string(), v.description("The canonical sibling, from the repository's root")),
        ),
      }),
    ),
  }),
  v.description("Plans found by plan find"),
);
export type PlanList = v.InferOutput<typeof PlanListSchema>;
export type FoundPlan = PlanList["plans"][number];

/** What `jig plan sections --json` prints. */
export const PlanMapSchema = v.pipe(
  v.object({
    file: v.string(),
    format: Format,
    contract: v.nullable(v.string()),
    generation: v.nullable(Generation),
    stage: v.nullable(Stage),
    title: v.nullable(v.string()),
    metadata: v.record(v.string(), v.nullable(v.string())),
    sections: v.array(
      v.object({
        name: v.string(),
        level: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(6)),
        line: Line,
        end_line: Line,
        anchor: v.nullable(v.string()),
        parent: v.nullable(v.pipe(v.string(), v.description("Name of the enclosing level-2 section"))),
        registry: v.boolean(),
      }),
    ),
    ids: v.array(
      v.object({
        id: v.string(),
        kind: v.picklist(["R", "A", "F", "AE", "KTD", "U", "pr-group", "other"]),
        line: Line,
        end_line: Line,
        section: v.nullable(v.string()),
        text: v.string(),
        refs: v.array(v.string()),
        form: v.picklist(["bullet", "heading", "paragraph", "table", "element"]),
      }),
    ),
    markers: v.array(v.object({ role: v.string(), line: Line })),
    open_questions: OpenQuestions,
  }),
  v.description("Sections and IDs of a document"),
);
export type PlanMap = v.InferOutput<typeof PlanMapSchema>;

/** What `jig plan sections --get NAME --json` prints. */
export const PlanPartSchema = v.pipe(
  v.object({ name: v.string(), line: Line, end_line: Line, text: v.string() }),
  v.description("One section or item of a document"),
);
export type PlanPart = v.InferOutput<typeof PlanPartSchema>;

export const schemas: Record<string, v.GenericSchema> = {
  "plan-reserve": ReservationSchema,
  "plan-release": ReleaseSchema,
  "plan-check": PlanCheckSchema,
  "plan-rules": RuleListSchema,
  "plan-find": PlanListSchema,
  "plan-sections": PlanMapSchema,
  "plan-part": PlanPartSchema,
};
