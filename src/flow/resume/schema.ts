import type { GenericSchema } from "valibot";
import * as v from "valibot";

const text = v.nullable(v.string());

export const ResumeSchema = v.object({
  answer: v.picklist(["RESUME", "AMBIGUOUS", "NONE"]),
  scoped_by: v.nullable(v.picklist(["workflow", "session", "only_open"])),
  workflow_uuid: text,
  workflow_type: text,
  user_request: text,
  plan_file: text,
  design_file: text,
  phase_cursor: text,
  phases: v.array(
    v.object({
      key: v.string(),
      kind: v.picklist(["plan", "step"]),
      status: v.string(),
      runnable: v.boolean(),
      waits_for: v.array(v.string()),
    }),
  ),
  runnable: v.pipe(v.array(v.string()), v.description("Steps that may run now")),
  pending_gate: text,
  pending_gate_detail: v.nullable(v.record(v.string(), v.unknown())),
  build_mode: text,
  worktree: v.nullable(v.object({ mode: text, path: text, branch: text, exists: v.boolean() })),
  memory_pending: v.pipe(v.boolean(), v.description("No memory_finalized event in the log")),
  events_tail: v.pipe(v.array(v.record(v.string(), v.unknown())), v.description("The last 20 events")),
  malformed_event_lines: v.pipe(v.number(), v.integer(), v.minValue(0)),
  scope_decision: v.nullable(v.object({ reason: v.string() })),
  just_go: v.boolean(),
  task_tools: v.pipe(v.literal("reprobe"), v.description("What an earlier session found counts for nothing")),
  next: v.nullable(
    v.picklist([
      "answer_gate",
      "finalize_worktree",
      "restore_worktree",
      "ask_in_progress",
      "run_phase",
      "memory_finalize",
      "inspect",
    ]),
  ),
  warnings: v.array(v.string()),
  candidates: v.pipe(
    v.array(
      v.object({
        workflow_uuid: v.string(),
        workflow_type: text,
        updated_at: text,
        goal: text,
        session_id: text,
      }),
    ),
    v.description("Open workflows, the last changed first"),
  ),
});
export type Resume = v.InferOutput<typeof ResumeSchema>;

export const resumeSchemas: Record<string, GenericSchema> = {
  "flow-resume": v.pipe(ResumeSchema, v.description("jig flow resume --json")),
};
