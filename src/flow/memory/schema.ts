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

export const MergeSchema = v.union([
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

export const MemoryLoadSchema = v.object({
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

export const MemoryHealSchema = v.object({
  tier,
  directory: v.string(),
  files: v.array(v.object({ file, sections: v.array(v.string()) })),
});
export type MemoryHeal = v.InferOutput<typeof MemoryHealSchema>;

export const MemoryPermitSchema = v.object({
  workflow_uuid: v.pipe(v.nullable(v.string()), v.description("Whose memory may be written; null: nobody's")),
  set_at: v.nullable(v.string()),
  stale: v.pipe(v.boolean(), v.description("Older than an hour; it still counts")),
});
export type MemoryPermit = v.InferOutput<typeof MemoryPermitSchema>;

export const MemoryAddSchema = v.object({
  path: v.string(),
  section: v.string(),
  text: v.string(),
  added: v.pipe(v.boolean(), v.description("False: the very bullet was there")),
});
export type MemoryAdd = v.InferOutput<typeof MemoryAddSchema>;
