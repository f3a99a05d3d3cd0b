/** `jig flow just-go` (docs/spec/flow.md 7.3): what may be answered without asking. */
import { EXIT, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { noted } from "../common/notes.ts";
import { projectRoot } from "../common/project.ts";
import { readSessionSettings } from "../memory/settings.ts";
import { answerableBy, isGateName, isKnownQuestion } from "./gate-table.ts";
import type { JustGo } from "./schema.ts";

export interface JustGoArgs {
  project?: string | undefined;
  gate?: string | undefined;
  /** Of a checkpoint: its type, and whether an option is recommended. */
  "checkpoint-type"?: string | undefined;
  recommended: boolean;
}

export function justGo(host: Host, args: JustGoArgs): Outcome<JustGo> {
  if (args.gate !== undefined && !isGateName(args.gate)) {
    throw new UsageError(`--gate ${printable(args.gate)}: expected a gate's name`);
  }
  const { justGo: just_go, settings, warnings } = readSessionSettings(projectRoot(host, args.project));
  const notes = noted(host, warnings);
  if (args.gate === undefined) {
    return { data: { just_go, settings, warnings }, text: String(just_go), notes };
  }
  const answer = just_go && isAnswerable(args.gate, args) ? "auto" : "ask";
  if (!isKnownQuestion(args.gate))
    notes.push(`${host.prefix}${args.gate} is no gate that jig knows: a person answers`);
  return {
    data: { just_go, settings, warnings, gate: args.gate, answer },
    text: answer,
    notes,
    exitCode: answer === "auto" ? EXIT.done : EXIT.notThisTime,
  };
}

function isAnswerable(gate: string, args: JustGoArgs): boolean {
  const by = answerableBy(gate);
  if (by !== "recommended-decision") return by === "auto";
  return args["checkpoint-type"] === "decision" && args.recommended;
}
