/** `jig flow history` (docs/spec/flow.md 6.3): the two lists that are only ever appended to. */
import { UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printableJson } from "../../../kernel/text/printable.ts";
import { layoutOf } from "../../common/layout.ts";
import { toPlain, writeLossless } from "../../common/lossless-json.ts";
import { noted } from "../../common/notes.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { listAt } from "../read.ts";
import { type HistoryName, record } from "../record.ts";
import { readArtifact, updateArtifact } from "../store.ts";
import { type EventArgs, eventOf } from "./event-words.ts";

export interface HistoryArgs extends EventArgs {
  remediation: boolean;
}

export async function history(
  host: Host,
  word: string,
  name: string | undefined,
  args: HistoryArgs,
): Promise<Outcome> {
  const list = args.remediation ? "remediation_history" : "status_history";
  return name === undefined ? print(host, word, list, args) : append(host, word, name, list, args);
}

function print(host: Host, word: string, list: HistoryName, args: HistoryArgs): Outcome {
  const { project, remediation: _, field, ...said } = args;
  if (
    field.length > 0 ||
    Object.entries(said).some(([name, value]) => name !== "json" && value !== undefined)
  ) {
    throw new UsageError("history needs the NAME of what happened for the other flags");
  }
  const layout = layoutOf(projectRoot(host, project));
  const entries = listAt(readArtifact(layout, findWorkflow(layout, word, "read")), list);
  return {
    data: toPlain(entries),
    json: writeLossless(entries),
    text: printableJson(writeLossless(entries, 2)),
  };
}

async function append(
  host: Host,
  word: string,
  name: string,
  list: HistoryName,
  args: HistoryArgs,
): Promise<Outcome> {
  const fields = await eventOf(host, name, args);
  const layout = layoutOf(projectRoot(host, args.project));
  const wf = findWorkflow(layout, word, "write");
  const { lines, notes } = await updateArtifact(host, layout, wf, (artifact, at) => ({
    result: undefined,
    events: [record(artifact, at, fields, list)],
  }));
  return { data: undefined, json: lines[0]!, text: "", notes: noted(host, notes) };
}
