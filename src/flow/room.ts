import type { DropInName, Room } from "../kernel/call/room.ts";

/** A Python program of upstream's: its JSON has Python's spaces, and flags that jig adds are unknown. */
function upstream(words: string, more: Partial<DropInName> = {}): DropInName {
  return { words: ["flow", ...words.split(" ")], json: "python", ...more };
}

/** A host's hook: it takes no arguments and fails nobody. */
function hook(event: string): DropInName {
  return { words: ["flow", "hook", event], help: "unknown-flag" };
}

const room = (): Room => ({
  name: "flow",
  summary: "Keep a workflow's state, stop it at its gates, and bring its work back from a worktree",
  theme: "Decide where files go and what applies",
  load: () => import("./command.ts"),
  // What every hook runs: a host pays for it at each tool call.
  core: [
    "artifact/read.ts",
    "common/layout.ts",
    "common/project.ts",
    "common/state-file.ts",
    "common/workflow.ts",
    "hooks/hook.ts",
    "hooks/log.ts",
    "hooks/newest.ts",
    "hooks/payload.ts",
    "hooks/run-hook.ts",
  ],
  schemas: () => import("./schema.ts"),
  dropInNames: {
    "craftflow_resolve_workspace_root.py": upstream("root", {
      only: ["cwd", "request"],
      requires: ["cwd", "request"],
      fixed: { json: true },
    }),
    "craftflow_workflow_id.py": upstream("id", { without: ["request-file"] }),
    "craftflow_state_query.py": upstream("query", { without: ["json"] }),
    "craftflow_memory_merge.py": upstream("memory merge", { without: ["json"] }),
    "craftflow_contract_validate.py": upstream("contract-check", {
      without: ["from", "strict"],
      fixed: { json: true },
    }),
    "craftflow_memory_repair.py": upstream("memory repair", { without: ["json"] }),
    "craftflow_workspace_init.py": upstream("workspace init", { without: ["json"] }),
    // Its JSON is indented, in either program.
    "craftflow_status_report.py": { words: ["flow", "status"] },
    "craftflow_statusline.sh": { words: ["flow", "statusline"] },
    "craftflow_worktree_lock_staleness.py": upstream("worktree staleness", { without: ["json"] }),
    "craftflow_worktree_copy_fallback.py": upstream("worktree copy-fallback", { without: ["json"] }),
    "craftflow_sessionstart_context.py": hook("sessionstart"),
    "craftflow_precompact_state.py": hook("precompact"),
    "craftflow_postcompact_context.py": hook("postcompact"),
    "craftflow_stop_persist.py": hook("stop"),
    "craftflow_pretooluse_guard.py": hook("pretooluse"),
    "craftflow_posttooluse_artifact_guard.py": hook("posttooluse"),
    "craftflow_subagent_stop_audit.py": hook("subagentstop"),
    "craftflow_task_completed_guard.py": hook("taskcompleted"),
  },
});

export default room;
