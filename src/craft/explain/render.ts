import type { Terminal } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { table } from "../../kernel/text/table.ts";
import type { ExplainedPhase, Explanation, Source, Value } from "./schema.ts";

/** A source as a person reads it: `.claude/workflow.md:12`, `profile lean`. */
export function sourceText({ from, line, name }: Source, file: string): string {
  switch (from) {
    case "manifest":
      return `${file}:${line}`;
    case "profile":
      return `profile ${name}`;
    case "flag":
      return "a flag";
    case "engine":
      return "the engine";
    case "pipeline":
      return "the pipeline";
  }
}

/** The whole run: a table of its phases, and what they come to. */
export function runText(run: Explanation, file: string, terminal: Terminal): string {
  const rows = run.phases.map((phase) => [
    phase.id,
    phase.runs ? phase.mode : "-",
    phase.runs ? (phase.role ?? "the session") : "-",
    phase.runs ? phase.tier : "-",
    phase.gate === "" || !phase.runs ? "-" : phase.gate,
    phase.runs ? ["core", ...phase.contract].join(", ") : "-",
    [phase.why, ...(phase.runs ? changes(phase.values, file) : [])].join("; "),
  ]);
  const header = ["PHASE", "MODE", "ROLE", "TIER", "GATE", "CONTRACT", "WHY"];
  return [table(header, rows, terminal), ...summary(run, file)].join("\n");
}

/** What somebody changed, with where: the rest is the pipeline's own. */
function changes(values: readonly Value[], file: string): string[] {
  const changed = values.filter(({ source }) => source.from !== "pipeline" && source.from !== "engine");
  return changed.map(({ name, source }) => `${name}: ${sourceText(source, file)}`);
}

function summary({ manifestPath, profile, agentPhases, reviewers }: Explanation, file: string): string[] {
  const counts = [`${agentPhases} ${agentPhases === 1 ? "phase spawns" : "phases spawn"} agents`];
  if (reviewers !== null) {
    const { count, dimensions, passes } = reviewers;
    counts.push(`a review round has ${count} reviewers (${dimensions} × ${passes}: dimensions, passes)`);
  }
  const manifest = manifestPath === null ? "no manifest: pure defaults" : `manifest ${printable(file)}`;
  return [[manifest, ...(profile === null ? [] : [`profile ${printable(profile)}`]), ...counts].join("; ")];
}

/** All there is to know of one phase. */
export function phaseText(run: Explanation, phase: ExplainedPhase, file: string): string {
  const { gateCommands: gate } = run;
  const rows: [string, string][] = [
    ["runs", phase.runs ? `yes, ${phase.why}` : `no, ${phase.why}`],
    ["archetype", phase.archetype],
    ...phase.values.map(({ name, value, source }): [string, string] => [
      name,
      `${value}  (${sourceText(source, file)})`,
    ]),
    ["gate means", gateText(phase, gate)],
    ["consumes", phase.consumes.join(", ") || "nothing"],
    ["produces", phase.produces.join(", ") || "nothing"],
    ["auto-skip", autoSkipText(phase)],
    ...(phase.awaitedByPropose ? [["propose", "waits for it"] as [string, string]] : []),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [phase.id, ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)]
    .map(printable)
    .join("\n");
}

function gateText(phase: ExplainedPhase, gate: Explanation["gateCommands"]): string {
  if (phase.gate === "") return "nothing is run at its end";
  if (gate === null)
    return "a command, and neither the manifest nor the repository has one: the phase would refuse to run";
  if (gate.commands.length === 0) return "no extra check";
  return `${gate.commands.join(" && ")}${gate.source === "detect" ? " (found in the repository)" : ""}`;
}

function autoSkipText({ runs, autoSkipEligible }: ExplainedPhase): string {
  if (!runs) return "does not apply";
  return autoSkipEligible ? "allowed, when the walk proves it has nothing to do" : "never";
}
