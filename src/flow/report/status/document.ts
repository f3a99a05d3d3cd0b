import { type Artifact, fieldAt } from "../../artifact/read.ts";
import type { ContextUsage } from "../../common/context-usage.ts";
import { fromPlain, type JsonMap, type JsonValue } from "../../common/lossless-json.ts";
import { goalOf, type Looked } from "./look.ts";

/** What `status --json` prints of a workflow (docs/spec/flow.md 14); keys of the artifact keep their order. */
export function statusDocument(
  { artifact, id, state }: Looked,
  lastEvent: JsonMap | undefined,
  contextUsage: ContextUsage | null,
): JsonMap {
  const own = (key: string): [string, JsonValue] => [key, field(artifact, key)];
  return new Map<string, JsonValue>([
    ["workflow_id", id],
    own("workflow_type"),
    ["state", state],
    own("phase_cursor"),
    own("phase_status"),
    own("proof_status"),
    own("quality"),
    own("pending_gate"),
    own("updated_at"),
    own("worktree_branch"),
    own("worktree_path"),
    ["goal", goalOf(artifact)],
    ["last_event", lastEvent ?? null],
    own("results"),
    own("telemetry"),
    ["context_usage", fromPlain(contextUsage)],
  ]);
}

function field(artifact: Artifact, key: string): JsonValue {
  return artifact.get(key) ?? fieldAt(artifact, key);
}
