import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { printable } from "../../kernel/text/printable.ts";
import { readInput } from "../common/arguments.ts";
import { layoutOf } from "../common/layout.ts";
import { projectRoot } from "../common/project.ts";
import { checkTask, type TaskReport } from "./task-metadata.ts";

export interface TaskCheckOptions {
  subject: string | undefined;
  from: string | undefined;
  /** `-` for stdin. */
  positional: string | undefined;
  project: string | undefined;
}

/** `jig flow task-check` (docs/spec/flow.md 12.1): whether a task's metadata is in order. Exit 1 when it is not. */
export async function taskCheck(host: Host, options: TaskCheckOptions): Promise<Outcome<TaskReport>> {
  const { from, positional, project, subject } = options;
  if ((from === undefined) === (positional === undefined)) throw new UsageError("give --from FILE or -");
  const layout = layoutOf(projectRoot(host, project));
  const description = await readInput(host, from ?? positional!);
  const data = checkTask(description, subject, (wf) => lookAt(layout.artifact(wf)) !== undefined);
  return {
    data,
    text: data.valid ? "ok" : data.errors.map(printable).join("\n"),
    notes: data.warnings.map((warning) => `warning: ${printable(warning)}`),
    exitCode: data.valid ? 0 : 1,
  };
}
