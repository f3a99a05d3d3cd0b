import * as v from "valibot";

const anything = v.unknown();

/** `jig flow status --json`. */
export const StatusSchema = v.object({
  workflow_id: v.string(),
  workflow_type: anything,
  state: v.picklist(["BLOCKED", "DONE", "RUNNING", "IDLE"]),
  phase_cursor: anything,
  phase_status: anything,
  proof_status: anything,
  quality: anything,
  pending_gate: anything,
  updated_at: anything,
  worktree_branch: anything,
  worktree_path: anything,
  goal: v.string(),
  last_event: v.nullable(v.record(v.string(), anything)),
  results: anything,
  telemetry: anything,
  context_usage: v.nullable(
    v.object({
      percent_full: v.nullable(v.number()),
      total: v.nullable(v.number()),
      model_context: v.nullable(v.number()),
    }),
  ),
});

/** `jig flow status --all --json`. */
export const StatusListSchema = v.array(StatusSchema);

/** `jig flow status --specs --json`. */
export const SpecificationsSchema = v.array(
  v.object({
    id: v.string(),
    title: v.string(),
    status: v.nullable(v.string()),
    owner: v.nullable(v.string()),
    packages: v.array(v.string()),
    path: v.pipe(v.string(), v.description("From the project's root")),
  }),
);
