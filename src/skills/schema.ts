import * as v from "valibot";

const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** `<skill>/.jig-skill.json` (docs/spec/skills.md 6.1). Keys this program does not know are ignored. */
export const ManifestSchema = v.object({
  schema: v.literal(1),
  skill: v.string(),
  jig_version: v.string(),
  api: v.pipe(v.number(), v.integer()),
  source_digest: v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/)),
  render: v.object({
    command: v.pipe(v.array(v.string()), v.minLength(1)),
    mode: v.picklist(["absolute", "portable"]),
    bin_given: v.boolean(),
    host: v.nullable(v.string()),
    strict: v.boolean(),
    allow_readonly: v.boolean(),
  }),
  installed_at: v.string(),
  files: v.record(
    v.string(),
    v.object({ sha256: Sha256, bytes: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  ),
});

export type Manifest = v.InferOutput<typeof ManifestSchema>;

export const STATES = [
  "absent",
  "foreign",
  "unreadable",
  "orphaned",
  "newer",
  "modified",
  "stale",
  "current",
] as const;

export const ListedSchema = v.object({
  name: v.string(),
  id: v.string(),
  description: v.string(),
  files: v.array(v.string()),
  api: v.number(),
  version: v.string(),
  resident_tokens: v.optional(v.number()),
  activation_tokens: v.optional(v.number()),
  total_tokens: v.optional(v.number()),
  description_chars: v.optional(v.number()),
});

export type Listed = v.InferOutput<typeof ListedSchema>;

export const InstalledSchema = v.object({
  name: v.string(),
  state: v.picklist(STATES),
  version: v.nullable(v.string()),
  dir: v.string(),
  hosts: v.array(v.string()),
  scope: v.nullable(v.picklist(["user", "project"])),
  command: v.array(v.string()),
  command_found: v.boolean(),
  files_modified: v.array(v.string()),
  files_missing: v.array(v.string()),
  files_extra: v.array(v.string()),
});

export type Installed = v.InferOutput<typeof InstalledSchema>;

export const ACTIONS = [
  "installed",
  "updated",
  "unchanged",
  "removed",
  "exported",
  "kept-edited",
  "refused-foreign",
  "refused-newer",
  "orphaned",
  "failed",
] as const;

export const ResultSchema = v.object({
  action: v.picklist(ACTIONS),
  name: v.string(),
  dir: v.string(),
  hosts: v.array(v.string()),
  /** The state found before anything was done. */
  state: v.picklist(STATES),
  backup: v.nullable(v.string()),
  /** The edited or failing files. */
  files: v.array(v.string()),
});

export type Result = v.InferOutput<typeof ResultSchema>;

export const ReportSchema = v.object({ results: v.array(ResultSchema), notes: v.array(v.string()) });

export type Report = v.InferOutput<typeof ReportSchema>;

export const PreflightSchema = v.object({
  status: v.picklist(["ok", "text-older", "text-newer", "incompatible", "unknown-skill"]),
  skill: v.string(),
  jig: v.string(),
  text: v.string(),
  api: v.number(),
  note: v.string(),
});

export type Preflight = v.InferOutput<typeof PreflightSchema>;

export const FindingSchema = v.object({
  path: v.string(),
  line: v.number(),
  severity: v.picklist(["error", "warning"]),
  rule: v.string(),
  message: v.string(),
});

export type Finding = v.InferOutput<typeof FindingSchema>;

export const schemas: Record<string, v.GenericSchema> = {
  "skills-manifest": v.pipe(ManifestSchema, v.description("The manifest of an installed skill")),
  "skills-list": v.pipe(v.array(ListedSchema), v.description("jig skills list --json")),
  "skills-installed": v.pipe(v.array(InstalledSchema), v.description("jig skills list --installed --json")),
  "skills-report": v.pipe(
    ReportSchema,
    v.description("jig skills install, uninstall, update and export --json"),
  ),
  "skills-preflight": v.pipe(PreflightSchema, v.description("jig skills preflight --json")),
  "skills-check": v.pipe(v.array(FindingSchema), v.description("jig skills check --json")),
};
