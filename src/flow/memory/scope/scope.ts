/** `jig flow scope` (docs/spec/flow.md 8.2): which issues a review's findings are mended for is a person's decision. */
import { EXIT, JigError, UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { readEvents } from "../../artifact/events.ts";
import { pendingGate } from "../../artifact/read.ts";
import { updateArtifact } from "../../artifact/store.ts";
import { requiredText } from "../../common/arguments.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { withMemoryLock } from "../../common/lock.ts";
import { noted } from "../../common/notes.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { clearGate, setGate } from "../../gates/pending.ts";
import type { ScopeAnswer, ScopeList } from "../schema.ts";
import { healFile } from "../store/healed-file.ts";
import { changeMemory, readMemory } from "../store/memory-file.ts";
import { flatPath, projectTier } from "../store/tier.ts";
import { appendBullet, oneLine } from "../text/add.ts";
import { SCOPE_OPTIONS, type Scope, scopeOf } from "./answers.ts";
import { markerReason, withMarker, withoutMarker } from "./markers.ts";
import { readScopeMarkers, scopeFile } from "./read.ts";

const GATE = "scope_decision";

interface ProjectOption {
  project?: string | undefined;
}

/** Live markers: while there is one, the user's next reply answers it. */
export async function scopeList(host: Host, { project }: ProjectOption): Promise<Outcome<ScopeList>> {
  const markers = readScopeMarkers(layoutOf(projectRoot(host, project))).map(({ reason, wf }) => ({
    workflow_uuid: wf,
    reason,
  }));
  const lines = markers.map(({ reason, workflow_uuid }) => `${workflow_uuid}\t${printable(reason)}\n`);
  return { data: { markers }, text: lines.join("") };
}

/** The gate first, which may refuse; a rerun writes the marker that is still missing. */
export async function scopeRequest(
  host: Host,
  options: ProjectOption & { wf: string; reason?: string | undefined; "reason-file"?: string | undefined },
): Promise<Outcome> {
  const names = ["--reason", "--reason-file"] as const;
  const given = await requiredText(host, { text: options.reason, file: options["reason-file"], names });
  const reason = markerReason(given);
  if (reason === "") throw new UsageError("the reason is empty");
  const layout = layoutOf(projectRoot(host, options.project));
  const wf = findWorkflow(layout, options.wf, "write");
  const notes = await withMemoryLock(host, layout.state, async () => {
    const updated = await updateArtifact(host, layout, wf, (artifact, at) => {
      const gate = pendingGate(artifact);
      if (gate !== null && gate !== GATE) throw otherGate(wf, gate);
      const set = setGate(artifact, at, { name: GATE, reason });
      return {
        result: undefined,
        events: [set, { event: "scope_decision_requested", agent: "router", reason }],
      };
    });
    writeDecisions(layout, (text) => withMarker(text, { wf, reason }));
    return updated.notes;
  });
  return { data: { workflow_uuid: wf, reason }, text: "", notes: noted(host, notes) };
}

function otherGate(wf: string, gate: string): JigError {
  return new JigError(`${wf} waits at the gate ${printable(gate)}; nothing was written`, {
    exitCode: EXIT.notThisTime,
    hint: `jig flow gate ${wf} clear ${printable(gate)} ends it`,
  });
}

/** A reply is one of the options or none: what it means is never guessed. */
export async function scopeAnswer(
  host: Host,
  options: ProjectOption & { wf: string; text?: string | undefined; from?: string | undefined },
): Promise<Outcome<ScopeAnswer>> {
  const names = ["TEXT", "--from"] as const;
  const reply = await requiredText(host, { text: options.text, file: options.from, names });
  const layout = layoutOf(projectRoot(host, options.project));
  const wf = findWorkflow(layout, options.wf, "write");
  return withMemoryLock(host, layout.state, async () => {
    if (!readScopeMarkers(layout).some((marker) => marker.wf === wf)) {
      throw new JigError(`no scope decision of ${wf} is pending`, {
        hint: "jig flow scope list shows those that are",
      });
    }
    const scope = scopeOf(reply);
    if (scope === undefined) {
      throw new JigError(
        `the reply is none of the options, and nothing was written:\n${SCOPE_OPTIONS.join("\n")}`,
        {
          exitCode: EXIT.notThisTime,
        },
      );
    }
    const { notes } = await recordAnswer(host, layout, wf, scope);
    const decision = `Scope decision [${wf}]: "${oneLine(reply)}" (${scope})`;
    writeDecisions(layout, (text) => appendBullet(withoutMarker(text, wf), "Decisions", decision));
    return { data: { workflow_uuid: wf, scope }, text: scope, notes: noted(host, notes) };
  });
}

/** Before the marker goes: a run that is cut off in between is answered again, and says what happened once. */
function recordAnswer(host: Host, layout: Layout, wf: string, scope: Scope) {
  return updateArtifact(host, layout, wf, (artifact, at) => {
    const isSet = pendingGate(artifact) === GATE;
    const cleared = isSet ? clearGate(artifact, at, scope) : [];
    const resolved = { event: "scope_decision_resolved", agent: "router", decision: scope };
    const events = isSet || !isResolved(layout, wf) ? [...cleared, resolved] : [];
    return { result: undefined, events, write: events.length > 0 };
  });
}

/** Whether the log's last word is that the decision was made. */
function isResolved(layout: Layout, wf: string): boolean {
  const last = readEvents(layout, wf).events.findLast((event) =>
    /^scope_decision_(?:requested|resolved)$/.test(String(event.get("event"))),
  );
  return last?.get("event") === "scope_decision_resolved";
}

/** Change the Decisions of the project, whose file is made and healed. The caller holds the memory lock. */
function writeDecisions(layout: Layout, change: (text: string) => string | undefined): void {
  const [tier, file] = [projectTier(layout), "activeContext.md"] as const;
  healFile(tier, file, readMemory(layout.root, flatPath(layout, file)));
  changeMemory(layout.root, scopeFile(layout), (text) => {
    const changed = change(text ?? "");
    if (changed === undefined)
      throw new JigError(`${printable(scopeFile(layout))} has lost its section Decisions`);
    return changed;
  });
}
