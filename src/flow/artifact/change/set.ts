/** `jig flow set` (docs/spec/flow.md 6.4). */
import { UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { textOrFile } from "../../common/arguments.ts";
import { layoutOf } from "../../common/layout.ts";
import type { JsonValue } from "../../common/lossless-json.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import type { Changed } from "../schema.ts";
import { updateArtifact } from "../store.ts";
import { type Assignment, applyAssignments, parseValue, splitAssignment } from "./assignment.ts";

export interface SetArgs {
  wf: string;
  words: readonly string[];
  project?: string | undefined;
  /** Values are text, not JSON. */
  string: boolean;
  create: boolean;
  owned: boolean;
}

export async function set(host: Host, args: SetArgs): Promise<Outcome<Changed>> {
  const assignments = await readAssignments(host, args);
  const layout = layoutOf(projectRoot(host, args.project));
  const wf = findWorkflow(layout, args.wf, "write");
  const { result, notes } = await updateArtifact(host, layout, wf, (artifact, at) => {
    applyAssignments(artifact, assignments, args);
    return { result: at };
  });
  const paths = assignments.map(({ path }) => path.join("."));
  return { data: { workflow_uuid: wf, changed: paths, updated_at: result }, text: "", notes };
}

async function readAssignments(host: Host, args: SetArgs): Promise<Assignment[]> {
  const split = args.words.map(splitAssignment);
  if (split.filter(({ text }) => text === "@-").length > 1) {
    throw new UsageError("standard input can be one value only: @- stands twice");
  }
  const assignments: Assignment[] = [];
  for (const { path, how, text } of split) {
    assignments.push({ path, how, value: await readValue(host, path, text, args.string) });
  }
  return assignments;
}

async function readValue(
  host: Host,
  path: readonly string[],
  text: string,
  plain: boolean,
): Promise<JsonValue> {
  const isFile = text.startsWith("@");
  const names = ["a value", `@${text.slice(1)}`] as const;
  const content = isFile ? (await textOrFile(host, { text: undefined, file: text.slice(1), names }))! : text;
  return plain ? content : parseValue(path, content);
}
