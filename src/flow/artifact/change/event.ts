/** `jig flow event` (docs/spec/flow.md 6.3). The artifact is not touched, so the cost is the same for any state. */
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { layoutOf } from "../../common/layout.ts";
import { noted } from "../../common/notes.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { appendEvents } from "../events.ts";
import { type EventArgs, eventOf } from "./event-words.ts";

export async function event(host: Host, word: string, name: string, args: EventArgs): Promise<Outcome> {
  const fields = await eventOf(host, name, args);
  const layout = layoutOf(projectRoot(host, args.project));
  const wf = findWorkflow(layout, word, "write");
  const { lines, notes } = appendEvents(host, layout, wf, [fields]);
  const json = lines[0]!;
  return { data: undefined, json, text: "", notes: noted(host, notes) };
}
