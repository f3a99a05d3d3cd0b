/** What `root` and `id` print (docs/spec/flow.md 2 and 3). */
import * as v from "valibot";

const OptionalText = v.nullable(v.string());

const DroppedEntrySchema = v.object({
  /** The entry as it stands in the file; null when the whole file is meant. */
  entry: OptionalText,
  reason: v.string(),
});
export type DroppedEntry = v.InferOutput<typeof DroppedEntrySchema>;

const ROOT_OUTCOMES = [
  "SINGLE_REPO",
  "DETERMINISTIC",
  "AMBIGUOUS",
  "NO_REPO_FOUND",
  "RESOLVE_SCRIPT_ERROR",
] as const;

export const RootDocumentSchema = v.object({
  outcome: v.picklist(ROOT_OUTCOMES),
  project_root: OptionalText,
  candidates: v.array(v.string()),
  candidate_labels: v.record(v.string(), OptionalText),
  fallback_reason: v.nullable(v.picklist(["NO_REPO_FOUND", "RESOLVE_SCRIPT_ERROR"])),
  corrected_from: OptionalText,
  workspace_writable_paths: v.array(v.string()),
  workspace_writable_paths_dropped: v.array(DroppedEntrySchema),
});
export type RootDocument = v.InferOutput<typeof RootDocumentSchema>;

const MintedIdSchema = v.object({
  workflow_uuid: v.string(),
  slug: v.string(),
  short_hex: v.string(),
  timestamp: v.string(),
  iso_timestamp: v.string(),
  worktree_dir: v.string(),
  worktree_branch: v.string(),
});
export type MintedId = v.InferOutput<typeof MintedIdSchema>;

/** What `id` prints; the session's id only together with `--init-artifact`, also as a fragment of JSON. */
const IdSchema = v.object({
  ...MintedIdSchema.entries,
  session_id: v.optional(OptionalText),
  session_id_json: v.optional(v.string()),
});

const SessionSchema = v.object({ session_id: OptionalText });

/** What `new` prints. */
const NewWorkflowSchema = v.object({
  ...MintedIdSchema.entries,
  project_root: v.string(),
  artifact: v.string(),
  events: v.string(),
  /** The workflow's own directory, its memory tier. */
  state_dir: v.string(),
  session_id: OptionalText,
});
export type NewWorkflow = v.InferOutput<typeof NewWorkflowSchema>;

const described = (schema: v.GenericSchema, text: string) => v.pipe(schema, v.description(text));

export const identitySchemas: Readonly<Record<string, v.GenericSchema>> = {
  "flow-root": described(
    RootDocumentSchema,
    "jig flow root --json: the project and the workspace's allowlist",
  ),
  "flow-id": described(IdSchema, "jig flow id --json"),
  "flow-session": described(SessionSchema, "jig flow id --session-id --json"),
  "flow-new": described(NewWorkflowSchema, "jig flow new --json"),
};
