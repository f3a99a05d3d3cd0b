import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A workflow put on disk as another tool may have left it, with the keys that are read of it. */
export function writeWorkflow(
  root: string,
  id: string,
  fields: Record<string, unknown> = {},
  events: readonly Record<string, unknown>[] = [],
): string {
  const folder = join(root, ".craftflow/state/workflows");
  mkdirSync(folder, { recursive: true });
  const artifact = {
    workflow_uuid: id,
    workflow_id: id,
    workflow_type: "BUILD",
    user_request: 'Add "login" page',
    status_history: [{ event: "workflow_started", ts: "2026-07-06T14:12:03Z", phase: "build" }],
    created_at: "2026-07-06T14:12:03Z",
    updated_at: "2026-07-06T14:12:03Z",
    ...fields,
  };
  const path = join(folder, `${id}.json`);
  writeFileSync(path, `${JSON.stringify(artifact)}\n`);
  writeFileSync(
    join(folder, `${id}.events.jsonl`),
    [{ event: "workflow_started" }, ...events].map((event) => `${JSON.stringify(event)}\n`).join(""),
  );
  return path;
}

/** A workflow as it stands on disk. */
// biome-ignore lint/suspicious/noExplicitAny: an artifact of any age.
export function readWorkflow(root: string, id: string): Record<string, any> {
  return JSON.parse(readFileSync(join(root, ".craftflow/state/workflows", `${id}.json`), "utf8"));
}

/** The events of a workflow. */
export function readLog(root: string, id: string): Record<string, unknown>[] {
  const text = readFileSync(join(root, ".craftflow/state/workflows", `${id}.events.jsonl`), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
