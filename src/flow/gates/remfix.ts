/** `jig flow remfix` (docs/spec/flow.md 6.6): the circuit breaker of remediation. */
import { EXIT, JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { fieldAt, numberAt, setAt } from "../artifact/read.ts";
import { record } from "../artifact/record.ts";
import { updateArtifact } from "../artifact/store.ts";
import { requiredText } from "../common/arguments.ts";
import { noted } from "../common/notes.ts";
import { place } from "./phase.ts";
import type { Remediation } from "./schema.ts";

/** The remediation that breaks the circuit. */
const BREAKS_AT = 3;

export interface RemfixArgs {
  project?: string | undefined;
  origin: string;
  phase: string;
  scope: string;
  reason?: string | undefined;
  "reason-file"?: string | undefined;
  override: boolean;
}

export async function remfix(host: Host, word: string, args: RemfixArgs): Promise<Outcome<Remediation>> {
  const names = ["--reason", "--reason-file"] as const;
  const reason = await requiredText(host, { text: args.reason, file: args["reason-file"], names });
  const { layout, wf } = place(host, { wf: word, project: args.project }, "write");
  const { result, notes } = await updateArtifact(host, layout, wf, (artifact, at) => {
    const count = numberAt(artifact, "circuit_breaker.remfix_count") ?? 0;
    if (fieldAt(artifact, "circuit_breaker.broken") === true && !args.override) {
      throw new JigError(`the circuit is broken after ${count} remediations; nothing was written`, {
        exitCode: EXIT.notThisTime,
        hint: "a person decides how to go on; --override records one more",
      });
    }
    const n = count + 1;
    const broken = n >= BREAKS_AT || fieldAt(artifact, "circuit_breaker.broken") === true;
    setAt(artifact, "circuit_breaker.remfix_count", n);
    setAt(artifact, "circuit_breaker.broken", broken);
    const { origin, phase, scope } = args;
    const override = args.override ? { override: true } : {};
    const fields = { event: "remediation_created", origin, phase, scope, reason, n, ...override };
    return {
      result: { workflow_uuid: wf, remfix_count: n, broken },
      events: [record(artifact, at, fields, "remediation_history")],
    };
  });
  const { remfix_count: n, broken } = result;
  return {
    data: result,
    text: broken ? `remediation ${n}, the circuit is broken` : `remediation ${n} of ${BREAKS_AT}`,
    notes: noted(host, notes),
  };
}
