import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { layoutOf } from "../common/layout.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import { query } from "./query/query.ts";

/** `jig flow summary` (docs/spec/flow.md 6.2): what `query` shows of a workflow's artifact. */
export function summary(host: Host, word: string, project: string | undefined): Outcome<null> {
  const layout = layoutOf(projectRoot(host, project));
  const file = layout.artifact(findWorkflow(layout, word, "read"));
  return query(host, { file, mode: "summary", tail: 0, eventType: undefined });
}
