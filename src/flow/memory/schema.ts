import type { GenericSchema } from "valibot";
import * as v from "valibot";

const file = v.picklist(["activeContext.md", "patterns.md", "progress.md"]);
const tier = v.picklist(["workspace", "project", "workflow"]);

const archived = {
  archived_bullets: v.pipe(
    v.array(v.string()),
    v.description("What went over the cap, whole lines in file order"),
  ),
  archive_path: v.pipe(v.nullable(v.string()), v.description("Where it belongs, as the payload named it")),
};

const MergeSchema = v.union([
  v.object({ file_text: v.string(), ...archived }),
  v.object({ section_text: v.string() }),
  v.object({ applied: v.string(), changed: v.boolean(), ...archived }),
]);

const loadedFile = v.object({
  path: v.nullable(v.string()),
  status: v.picklist([
    "ok",
    "created",
    "healed",
    "from_flat",
    "missing",
    "unreadable",
    "not_utf8",
    "skipped",
  ]),
  bytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
  healed: v.pipe(v.array(v.string()), v.description("Sections that were added")),
});

const loadedTier = v.object({
  "activeContext.md": loadedFile,
  "patterns.md": loadedFile,
  "progress.md": loadedFile,
});

const section = { tier, file, text: v.string() };

const MemoryLoadSchema = v.object({
  project_root: v.string(),
  workspace_root: v.nullable(v.string()),
  tiers: v.object({ project: loadedTier, workspace: loadedTier, workflow: loadedTier }),
  merged: v.pipe(v.record(v.string(), v.object(section)), v.description("What counts, by section")),
  context: v.pipe(
    v.array(v.object({ ...section, section: v.string(), read_only: v.boolean() })),
    v.description("What other tiers say in sections that the project decides"),
  ),
  session_settings: v.record(v.string(), v.string()),
  just_go: v.boolean(),
  constitution: v.object({ present: v.boolean(), path: v.string(), must: v.array(v.string()) }),
  notes: v.array(v.string()),
});
export type MemoryLoad = v.InferOutput<typeof MemoryLoadSchema>;

const MemoryHealSchema = v.object({
  tier,
  directory: v.string(),
  files: v.array(v.object({ file, sections: v.array(v.string()) })),
});
export type MemoryHeal = v.InferOutput<typeof MemoryHealSchema>;

const MemoryPermitSchema = v.object({
  workflow_uuid: v.pipe(v.nullable(v.string()), v.description("Whose memory may be written; null: nobody's")),
  set_at: v.nullable(v.string()),
  stale: v.pipe(v.boolean(), v.description("Older than an hour; it still counts")),
});
export type MemoryPermit = v.InferOutput<typeof MemoryPermitSchema>;

const MemoryAddSchema = v.object({
  path: v.string(),
  section: v.string(),
  text: v.string(),
  added: v.pipe(v.boolean(), v.description("False: the very bullet was there")),
});
export type MemoryAdd = v.InferOutput<typeof MemoryAddSchema>;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const MemoryFinalizeSchema = v.object({
  workflow_uuid: v.string(),
  changed: v.pipe(v.array(v.string()), v.description("Memory files that were written")),
  archived: v.pipe(v.array(v.string()), v.description("What went over the cap of Common Gotchas")),
  archive_path: v.pipe(v.nullable(v.string()), v.description("Where it is now, below the project")),
});
export type MemoryFinalize = v.InferOutput<typeof MemoryFinalizeSchema>;

const MemoryRepairSchema = v.object({
  applied: v.boolean(),
  backup: v.nullable(v.string()),
  files: v.array(
    v.object({
      file,
      report: v.object({
        moved: count,
        relocated: count,
        evicted: count,
        removed: count,
        bullets_before: count,
        bullets_after: count,
        zero_data_loss_ok: v.boolean(),
      }),
      diff: v.string(),
    }),
  ),
});
export type MemoryRepair = v.InferOutput<typeof MemoryRepairSchema>;

const scopeMarker = v.object({ workflow_uuid: v.string(), reason: v.string() });

const ScopeListSchema = v.object({ markers: v.array(scopeMarker) });
export type ScopeList = v.InferOutput<typeof ScopeListSchema>;

const ScopeAnswerSchema = v.object({
  workflow_uuid: v.string(),
  scope: v.picklist(["CRITICAL_ONLY", "ALL_ISSUES"]),
});
export type ScopeAnswer = v.InferOutput<typeof ScopeAnswerSchema>;

const MarkerSchema = v.object({
  path: v.string(),
  marker: v.string(),
  added: v.pipe(v.boolean(), v.description("False: it was there, and is written once")),
});
export type Marker = v.InferOutput<typeof MarkerSchema>;

const WorkspaceInitSchema = v.object({
  workspace_root: v.string(),
  files: v.array(v.object({ path: v.string(), state: v.picklist(["created", "healed", "unchanged"]) })),
  north_star: v.pipe(v.picklist(["written", "kept"]), v.description("kept: another one is there")),
});
export type WorkspaceInit = v.InferOutput<typeof WorkspaceInitSchema>;

const WorkspaceShowSchema = v.object({
  project_root: v.string(),
  workspace_root: v.nullable(v.string()),
  files: v.array(v.object({ path: v.string(), exists: v.boolean() })),
  config: v.nullable(
    v.object({
      state: v.picklist(["absent", "read", "unreadable"]),
      reason: v.nullable(v.string()),
      members: v.array(v.string()),
      memory_writable: v.boolean(),
    }),
  ),
  may_write: v.pipe(v.boolean(), v.description("Whether the project may write the workspace's memory")),
});
export type WorkspaceShow = v.InferOutput<typeof WorkspaceShowSchema>;

const described = (schema: GenericSchema, text: string): GenericSchema => v.pipe(schema, v.description(text));

export const memorySchemas: Record<string, GenericSchema> = {
  "flow-memory": described(MemoryLoadSchema, "jig flow memory load --json"),
  "flow-memory-heal": described(MemoryHealSchema, "jig flow memory heal --json"),
  "flow-memory-add": described(MemoryAddSchema, "jig flow memory add --json"),
  "flow-memory-permit": described(MemoryPermitSchema, "jig flow memory permit --json"),
  "flow-memory-merge": described(MergeSchema, "jig flow memory merge --json"),
  "flow-memory-repair": described(MemoryRepairSchema, "jig flow memory repair --json"),
  "flow-memory-finalize": described(MemoryFinalizeSchema, "jig flow memory finalize --json"),
  "flow-scope-list": described(ScopeListSchema, "jig flow scope list --json"),
  "flow-scope-request": described(scopeMarker, "jig flow scope request --json"),
  "flow-scope-answer": described(ScopeAnswerSchema, "jig flow scope answer --json"),
  "flow-marker": described(MarkerSchema, "jig flow marker --json"),
  "flow-workspace-init": described(WorkspaceInitSchema, "jig flow workspace init --json"),
  "flow-workspace": described(WorkspaceShowSchema, "jig flow workspace show --json"),
};
