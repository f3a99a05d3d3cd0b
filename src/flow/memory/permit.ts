import { EXIT, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import { type Layout, layoutOf } from "../common/layout.ts";
import { withMemoryLock } from "../common/lock.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import type { MemoryPermit } from "./schema.ts";
import { clearPermit, isStale, readPermit, setPermit } from "./store/permit.ts";

/** `jig flow memory permit set|clear|show` (docs/spec/flow.md 9.8). */
export async function permit(
  host: Host,
  action: string,
  wf: string | undefined,
  project: string | undefined,
): Promise<Outcome<MemoryPermit>> {
  const layout = layoutOf(projectRoot(host, project));
  if (action === "set") {
    if (wf === undefined) throw new UsageError("permit set needs a WF: whose memory may be written");
    const id = findWorkflow(layout, wf, "write");
    await withMemoryLock(host, layout.state, () => setPermit(layout, id));
    return { ...reportOf(host, layout), text: "" };
  }
  if (wf !== undefined) throw new UsageError(`permit ${action} takes no WF`);
  if (action === "clear") {
    // Without state there is no permit, and nothing to lock.
    if (isDirectory(layout.state)) await withMemoryLock(host, layout.state, () => clearPermit(layout));
    return { ...reportOf(host, layout), text: "" };
  }
  const report = reportOf(host, layout);
  if (report.data.workflow_uuid !== null) return report;
  return { ...report, exitCode: EXIT.failed, notes: ["jig flow: no memory finalization has a permit"] };
}

function reportOf(host: Host, layout: Layout): Outcome<MemoryPermit> {
  const found = readPermit(layout);
  if (found === undefined) return { data: { workflow_uuid: null, set_at: null, stale: false }, text: "" };
  const stale = isStale(found, host.now());
  return {
    data: { workflow_uuid: found.workflow, set_at: isoSeconds(found.setMs), stale },
    text: printable(found.workflow) + (stale ? "\tstale: older than 1 hour" : ""),
  };
}
