/** `jig flow gate WF check NAME` (docs/spec/flow.md 7.2). Nothing is written. */
import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { visitEvents } from "../artifact/events.ts";
import { type Artifact, textAt } from "../artifact/read.ts";
import { readArtifact } from "../artifact/store.ts";
import { type Layout, layoutOf } from "../common/layout.ts";
import { projectRoot } from "../common/project.ts";
import { MAX_INPUT_BYTES } from "../common/state-file.ts";
import { findWorkflow } from "../common/workflow.ts";
import { failureStop, type PlanText, phaseExit, planTrust } from "./checks.ts";
import type { CheckResult } from "./schema.ts";

type Judge = (layout: Layout, wf: string, artifact: Artifact) => string[];

const CHECKS: Readonly<Record<string, Judge>> = {
  plan_trust: (layout, _, artifact) => planTrust(artifact, planText(layout, artifact)),
  phase_exit: (_, __, artifact) => phaseExit(artifact),
  failure_stop: (_, __, artifact) => failureStop(artifact),
  memory_sync: (layout, wf) => (isFinalized(layout, wf) ? [] : ["the log has no memory_finalized event"]),
  skill_precedence: () => [],
};

/** What no program can judge: it passes with a note. */
const NOT_MECHANICAL = "skill_precedence";

export interface CheckArgs {
  wf: string;
  project?: string | undefined;
}

export function gateCheck(host: Host, name: string | undefined, args: CheckArgs): Outcome<CheckResult> {
  if (name === undefined || !Object.hasOwn(CHECKS, name)) {
    const given = name === undefined ? "gate check needs a name" : `no check ${printable(name)}`;
    throw new UsageError(`${given}: expected one of ${Object.keys(CHECKS).join(", ")}`);
  }
  const layout = layoutOf(projectRoot(host, args.project));
  const wf = findWorkflow(layout, args.wf, "read");
  const reasons = CHECKS[name]!(layout, wf, readArtifact(layout, wf));
  const passes = reasons.length === 0;
  const notes = name === NOT_MECHANICAL ? ["not mechanical"] : [];
  const lines = [passes ? "pass" : "fail", ...reasons, ...notes].map(printable);
  return {
    data: { workflow_uuid: wf, check: name, result: passes ? "pass" : "fail", reasons, notes },
    text: lines.join("\n"),
    exitCode: passes ? 0 : 1,
  };
}

function planText({ root }: Layout, artifact: Artifact): PlanText | undefined {
  const file = textAt(artifact, "plan_file");
  if (file === null || file === "") return undefined;
  try {
    const bytes = readOwnedFile(absoluteFrom(root, file), {
      uid: undefined,
      allowSymlink: true,
      maxBytes: MAX_INPUT_BYTES,
    });
    const text = decodeUtf8(bytes);
    return text === undefined ? { unreadable: `${file} is not valid UTF-8` } : { text };
  } catch (error) {
    if (error instanceof Refused) return { unreadable: `${file}: ${error.why}` };
    throw error;
  }
}

function isFinalized(layout: Layout, wf: string): boolean {
  let found = false;
  visitEvents(layout, wf, (event) => {
    found = event?.get("event") === "memory_finalized";
    return !found;
  });
  return found;
}
