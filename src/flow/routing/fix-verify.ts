import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { type Artifact, listAt, textAt } from "../artifact/read.ts";
import { readArtifact } from "../artifact/store.ts";
import { textOrFile } from "../common/arguments.ts";
import { layoutOf } from "../common/layout.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import { fixKeywordsIn } from "./fix-keywords.ts";

export interface FixVerifyReport {
  fires: boolean;
  /** What was found; empty for a DEBUG, which always fires. */
  keywords: string[];
  /** What was looked through. */
  source: "text" | "workflow_type" | "objective" | "user_request";
}

export interface FixVerifyOptions {
  text: string | undefined;
  from: string | undefined;
  wf: string | undefined;
  project: string | undefined;
}

/** `jig flow fix-verify` (docs/spec/flow.md 11.3): whether the work is verified once more. Exit 1 when it is not. */
export async function fixVerify(host: Host, options: FixVerifyOptions): Promise<Outcome<FixVerifyReport>> {
  const { from, project, wf } = options;
  const text = await textOrFile(host, { text: options.text, file: from, names: ["TEXT", "--from"] });
  if ((text === undefined) === (wf === undefined)) {
    throw new UsageError("give either a text (TEXT or --from) or --wf");
  }
  const data = text === undefined ? ofWorkflow(host, wf!, project) : ofText(text, "text");
  return { data, text: data.fires ? "fires" : "does not fire", exitCode: data.fires ? 0 : 1 };
}

function ofText(text: string, source: FixVerifyReport["source"]): FixVerifyReport {
  const keywords = fixKeywordsIn(text);
  return { fires: keywords.length > 0, keywords, source };
}

function ofWorkflow(host: Host, wf: string, project: string | undefined): FixVerifyReport {
  const layout = layoutOf(projectRoot(host, project));
  const artifact = readArtifact(layout, findWorkflow(layout, wf, "read"));
  const type = textAt(artifact, "workflow_type");
  if (type !== "BUILD") return { fires: type === "DEBUG", keywords: [], source: "workflow_type" };
  const objective = cursorObjective(artifact);
  return objective === undefined
    ? ofText(textAt(artifact, "user_request") ?? "", "user_request")
    : ofText(objective, "objective");
}

/** What the current phase of the plan is for, "" when it does not say; undefined without a plan. */
function cursorObjective(artifact: Artifact): string | undefined {
  const phases = listAt(artifact, "normalized_phases");
  if (phases.length === 0) return undefined;
  const cursor = textAt(artifact, "phase_cursor");
  const phase = phases.find((one) => one instanceof Map && one.get("phase_id") === cursor);
  const objective = phase instanceof Map ? phase.get("objective") : undefined;
  return typeof objective === "string" ? objective : "";
}
