import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure } from "../common/fail.ts";
import { phaseId } from "../common/vocabulary.ts";
import { commandsFor } from "../gates/gate.ts";
import { isExecutingHarness } from "../pipeline/descriptor.ts";
import { reviewFanOut } from "../pipeline/resolve/harness.ts";
import type { Phase } from "../pipeline/resolve/phase.ts";
import type { EffectivePhase } from "../pipeline/resolve/resolution.ts";
import { type ResolvedRun, type RunSelection, resolveSelection } from "../run/resolve.ts";
import { phaseText, runText, sourceText } from "./render.ts";
import type { ExplainedPhase, Explanation, Source } from "./schema.ts";
import { fieldSource, knobValues, modeSource, stateSource, tierOf } from "./sources.ts";

const NAME = "explain";

/** `explain [PHASE] …`: the resolved run as a table, or the full story of one phase. Fails as `resolve` does. */
export async function explain(
  host: Host,
  name: string | undefined,
  selection: RunSelection,
): Promise<Outcome<Explanation>> {
  const run = await resolveSelection(host, NAME, selection);
  const file = run.manifestName ?? "the manifest";
  const { effective, gateDecisions } = run.resolution;
  // Both lists are of the effective phases, in one order.
  const gates = new Map(
    effective.map((phase, index) => [phase.id, { phase, gate: gateDecisions[index]!.gate }] as const),
  );
  const phases = run.phases.map((phase) => explainPhase(phase, run, gates.get(phase.descriptor.id), file));
  const review = effective.find(({ id }) => id === "review");
  const fanOut = review?.harness === undefined ? undefined : reviewFanOut(review.harness);
  const whole: Explanation = {
    manifestPath: run.manifestPath ?? null,
    profile: run.profile?.name ?? null,
    phases,
    agentPhases: phases.filter(({ runs, mode, role }) => runs && mode === "agent" && role !== null).length,
    reviewers: fanOut === undefined ? null : { count: fanOut.dimensions * fanOut.passes, ...fanOut },
    gateCommands: null,
    notes: run.notes,
  };
  if (name === undefined || name === "") {
    return { data: whole, text: (terminal) => runText(whole, file, terminal), notes: run.notes };
  }
  const one = findPhase(phases, name);
  const commands = await commandsFor(host, one.gate, run.manifestName);
  const data: Explanation = { ...whole, phases: [one], gateCommands: commands ?? null };
  return { data, text: phaseText(data, one, file), notes: run.notes };
}

function findPhase(phases: readonly ExplainedPhase[], name: string): ExplainedPhase {
  const found = phases.find(({ id }) => id === name) ?? phases.find(({ id }) => id === phaseId(name));
  if (found !== undefined) return found;
  const ids = phases.map(({ id }) => id);
  const meant = name.length > 60 ? undefined : nearest(name, ids);
  const hint =
    meant === undefined ? `; expected one of ${ids.map(printable).join(", ")}` : `; did you mean ${meant}?`;
  throw failure(NAME, `${printable(name)} is no phase of this run${hint}`);
}

function explainPhase(
  phase: Phase,
  run: ResolvedRun,
  effective: { phase: EffectivePhase; gate: string } | undefined,
  file: string,
): ExplainedPhase {
  const { descriptor, state, origin } = phase;
  const tier = tierOf(phase, run);
  const gate = effective?.gate ?? descriptor.gate ?? "";
  const value = (name: string, text: string, source: Source) => ({ name, value: text, source });
  const none = "none";
  return {
    id: descriptor.id,
    runs: descriptor.enabled,
    state,
    origin,
    why: whyOf(phase, stateSource(phase), file),
    archetype: descriptor.archetype,
    mode: descriptor.execution,
    role: descriptor.role ?? null,
    tier: tier.value,
    gate,
    contract: [...descriptor.contract],
    consumes: [...descriptor.consumes],
    produces: [...descriptor.produces],
    autoSkipEligible: effective?.phase.autoSkipEligible ?? false,
    awaitedByPropose: descriptor.enabled && isExecutingHarness(descriptor),
    values: [
      value("mode", descriptor.execution, modeSource(phase, run)),
      value("role", descriptor.role ?? "the session", fieldSource(phase, "role")),
      value("tier", tier.value, tier.source),
      value("procedure", descriptor.procedure ?? none, fieldSource(phase, "procedure")),
      value("gate", gate === "" ? none : gate, fieldSource(phase, "gate")),
      value("contract", ["core", ...descriptor.contract].join(", "), fieldSource(phase, "contract")),
      ...knobValues(phase),
    ],
  };
}

function whyOf(phase: Phase, source: Source, file: string): string {
  const { state, origin, replaced } = phase;
  const place = sourceText(source, file);
  if (state === "skipped") return `skipped by ${source.from === "flag" ? "--skip" : place}`;
  if (state === "disabled") return `disabled by ${place}`;
  if (state === "enabled") return `enabled by ${place}`;
  if (state === "default-off") return origin === "pipeline" ? "off by default" : `off in ${place}`;
  if (origin === "inserted") return `inserted by ${place}`;
  if (origin === "registered") return `${replaced === undefined ? "registered" : "replaced"} by ${place}`;
  return "in the pipeline";
}
