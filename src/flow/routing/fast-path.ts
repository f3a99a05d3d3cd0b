import { JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { setAt, textAt } from "../artifact/read.ts";
import { updateArtifact } from "../artifact/store.ts";
import { layoutOf } from "../common/layout.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import { announceBuild, ESCALATED } from "./announce.ts";
import { type FastPath, judgeRisk, type RiskOptions, wordsOf } from "./risk.ts";

export interface FastPathReport extends FastPath {
  announce: string;
}

export interface Escalation {
  workflow_uuid: string;
  build_mode: "fast_path_escalated";
  announce: string;
}

export interface FastPathOptions extends RiskOptions {
  request: string;
  wf: string | undefined;
  project: string | undefined;
  /** Also where the artifact says another mode already. */
  replace: boolean;
}

/** Judge a request, and say it; a word to look for that holds nothing is a usage error. */
export function fastPathReport(request: string, options: RiskOptions): FastPathReport {
  for (const word of options.added) {
    if (wordsOf(word).length === 0)
      throw new UsageError(`--add ${printable(JSON.stringify(word))}: nothing to look for`);
  }
  const judged = judgeRisk(request, options);
  return { ...judged, announce: announceBuild(judged) };
}

/** `jig flow fast-path` (docs/spec/flow.md 11.2): whether a BUILD may take the short chain, recorded with `wf`. */
export async function fastPath(host: Host, options: FastPathOptions): Promise<Outcome<FastPathReport>> {
  const report = fastPathReport(options.request, options);
  const notes = options.wf === undefined ? [] : await record(host, report, { ...options, wf: options.wf });
  return { data: report, text: printable(report.announce), notes };
}

async function record(
  host: Host,
  { build_mode, fast_path_risk_signals }: FastPath,
  { wf, project, replace }: { wf: string; project: string | undefined; replace: boolean },
): Promise<readonly string[]> {
  const layout = layoutOf(projectRoot(host, project));
  const id = findWorkflow(layout, wf, "write");
  const { notes } = await updateArtifact(host, layout, id, (artifact) => {
    const type = textAt(artifact, "workflow_type");
    if (type !== "BUILD")
      throw new JigError(`${id} is a ${printable(String(type))} workflow; only a BUILD has a build mode`);
    const mode = textAt(artifact, "build_mode");
    if (mode === "fast_path_escalated") {
      throw new JigError(`${id} has build mode fast_path_escalated, which stays`);
    }
    if (mode !== null && mode !== build_mode && !replace) {
      throw new JigError(`${id} has build mode ${printable(mode)}, not ${build_mode}`, {
        hint: "--replace changes it",
      });
    }
    setAt(artifact, "build_mode", build_mode);
    setAt(artifact, "fast_path_risk_signals", fast_path_risk_signals);
    setAt(artifact, "fast_path_escalated", false);
    return { result: undefined };
  });
  return notes;
}

/** `jig flow fast-path escalate`: the short chain did not do. Only ever once. */
export async function escalate(
  host: Host,
  wf: string,
  project: string | undefined,
): Promise<Outcome<Escalation>> {
  const layout = layoutOf(projectRoot(host, project));
  const id = findWorkflow(layout, wf, "write");
  const { notes } = await updateArtifact(host, layout, id, (artifact) => {
    const mode = textAt(artifact, "build_mode");
    if (mode !== "fast_path") {
      throw new JigError(
        `${id} has build mode ${printable(mode ?? "null")}; only fast_path is escalated, and once`,
      );
    }
    setAt(artifact, "build_mode", "fast_path_escalated");
    setAt(artifact, "fast_path_escalated", true);
    const events = [{ event: "fast_path_escalated", reason: "verifier FAIL on fast path" }];
    return { result: undefined, events };
  });
  const data = { workflow_uuid: id, build_mode: "fast_path_escalated", announce: ESCALATED } as const;
  return { data, text: ESCALATED, notes };
}
