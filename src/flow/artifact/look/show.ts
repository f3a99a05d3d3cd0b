import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printable, printableJson, valueLines } from "../../../kernel/text/printable.ts";
import { layoutOf } from "../../common/layout.ts";
import { toPlain, writeLossless } from "../../common/lossless-json.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { shownAt } from "../read.ts";
import { readArtifact } from "../store.ts";

export interface ShowOptions {
  wf: string;
  project?: string | undefined;
  /** A dotted path: `intent.goal`, `status_history.0.event`. */
  field?: string | undefined;
}

/** `jig flow show` (docs/spec/flow.md 6.2): the artifact, or one value of it. A missing field is exit 1. */
export async function show(host: Host, { wf, project, field }: ShowOptions): Promise<Outcome> {
  const layout = layoutOf(projectRoot(host, project));
  const id = findWorkflow(layout, wf, "read");
  const artifact = readArtifact(layout, id);
  const value = field === undefined ? artifact : shownAt(artifact, field);
  if (value === undefined) throw new JigError(`${id} has no field ${printable(field ?? "")}`);
  const json = writeLossless(value, 2);
  return {
    data: toPlain(value),
    json,
    text: typeof value === "string" ? valueLines(value) : printableJson(json),
  };
}
