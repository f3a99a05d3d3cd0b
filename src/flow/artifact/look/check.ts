/** `jig flow check` (docs/spec/flow.md 6.2): what is wrong with the state, and nothing repaired. */

import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import { counted } from "../../../kernel/text/count.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow, workflowIds } from "../../common/workflow.ts";
import { visitEvents } from "../events.ts";
import type { CheckReport, Finding } from "../schema.ts";
import { readArtifact } from "../store.ts";
import { validateArtifact } from "./validate.ts";

export function check(
  host: Host,
  word: string | undefined,
  project: string | undefined,
): Outcome<CheckReport> {
  const layout = layoutOf(projectRoot(host, project));
  const ids = word === undefined ? workflowIds(layout) : [findWorkflow(layout, word, "read")];
  const workflows = ids.map((id) => ({ workflow_uuid: id, findings: findingsOf(layout, id) }));
  const all = workflows.flatMap(({ findings }) => findings);
  const errors = all.filter(({ level }) => level === "error").length;
  const lines = workflows.flatMap(({ workflow_uuid, findings }) =>
    findings.map(({ level, path, message }) => printable(`${workflow_uuid}: ${level}: ${path}: ${message}`)),
  );
  return {
    data: { valid: errors === 0, errors, warnings: all.length - errors, workflows },
    text: [...lines, summary(ids.length, errors, all.length - errors)].join("\n"),
    exitCode: errors === 0 ? 0 : 1,
  };
}

function summary(workflows: number, errors: number, warnings: number): string {
  return `${counted(workflows, "workflow")}: ${counted(errors, "error")}, ${counted(warnings, "warning")}`;
}

/** Everything that is wrong with one workflow's files. */
function findingsOf(layout: Layout, id: string): Finding[] {
  const findings: Finding[] = [];
  try {
    findings.push(...validateArtifact(readArtifact(layout, id), id));
  } catch (error) {
    findings.push({ level: "error", path: `${id}.json`, message: reasonOf(error) });
  }
  return [...findings, ...logFindings(layout, id)];
}

function logFindings(layout: Layout, id: string): Finding[] {
  const path = `${id}.events.jsonl`;
  if (lookAt(layout.events(id)) === undefined) {
    return [{ level: "error", path, message: "the event log is missing" }];
  }
  let malformed = 0;
  try {
    const { torn, oversize } = visitEvents(layout, id, (event) => {
      if (event === undefined) malformed++;
    });
    malformed += oversize;
    return [
      ...(malformed === 0
        ? []
        : [warn(path, `${malformed} malformed ${malformed === 1 ? "line" : "lines"}`)]),
      ...(torn ? [warn(path, "ends in a torn line")] : []),
    ];
  } catch (error) {
    return [{ level: "error", path, message: reasonOf(error) }];
  }
}

const warn = (path: string, message: string): Finding => ({ level: "warning", path, message });

function reasonOf(error: unknown): string {
  if (error instanceof JigError) return error.message;
  throw error;
}
