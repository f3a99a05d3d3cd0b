import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure, failureLines } from "../common/fail.ts";
import { phaseId } from "../common/vocabulary.ts";
import { commandsOf } from "../manifest/manifest.ts";
import { child } from "../manifest/nodes.ts";
import { requireManifest } from "../manifest/require.ts";
import { readResolution } from "../pipeline/resolve/read-resolution.ts";
import type { GateCommands } from "./schema.ts";

const NAME = "gate";

/** Gates that stand for the repository's own checks. */
const PHASE_GATES = ["<gates.phase>", "<validation gate>", "<arch gate>"];

export interface GateArgs {
  phase: string;
  resolution: string;
  manifest?: string | undefined;
}

/** `gate PHASE …`: the commands that a phase's gate string means, one per line. Nothing is run (docs/spec/craft-engine.md 9.4). */
export async function gate(host: Host, args: GateArgs): Promise<Outcome<GateCommands>> {
  const { gateDecisions } = await readResolution(host, NAME, args.resolution);
  const decision =
    gateDecisions.find(({ phaseId: id }) => id === args.phase) ??
    gateDecisions.find(({ phaseId: id }) => id === phaseId(args.phase));
  if (decision === undefined) {
    const ids = gateDecisions.map(({ phaseId: id }) => id);
    const meant = args.phase.length > 60 ? undefined : nearest(args.phase, ids);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    throw failure(NAME, `${printable(args.phase)} is no phase of the Resolution${hint}`);
  }
  const { phaseId: phase, gate: string, codeProducing } = decision;
  const found = await commandsFor(host, string, args.manifest);
  if (found === undefined) {
    throw failureLines([`${NAME}: no gate command for ${printable(phase)}`, remedy(args.manifest)], 1);
  }
  const data: GateCommands = { phase, gate: string, codeProducing, ...found };
  return { data, text: found.commands.map((command) => `${command.trimEnd()}\n`).join("") };
}

/** Where a command goes: into the manifest there is, else into a first one. */
function remedy(manifest: string | undefined): string {
  const place = manifest === undefined ? ".claude/workflow.md" : printable(manifest);
  return `${NAME}: name it as gates.phase in the front matter of ${place}`;
}

type Found = Pick<GateCommands, "commands" | "source">;

/** What a gate string means here; undefined when it means a check and nothing says which. */
export async function commandsFor(
  host: Host,
  gate: string,
  manifest: string | undefined,
): Promise<Found | undefined> {
  if (gate === "") return { commands: [], source: null };
  if (PHASE_GATES.includes(gate)) {
    const root = await requireManifest(host, NAME, manifest);
    const commands = commandsOf(child(child(root, "gates"), "phase"));
    if (commands.length > 0) return { commands, source: "gates.phase" };
    const [{ testCommandOf }, { lookIn }] = await Promise.all([
      import("../detect/ecosystem.ts"),
      import("../detect/look.ts"),
    ]);
    const test = testCommandOf(lookIn(host.cwd));
    return test === undefined ? undefined : { commands: [test], source: "detect" };
  }
  if (gate === "pr.pre-pr-gate") {
    const root = await requireManifest(host, NAME, manifest);
    const commands = commandsOf(child(child(root, "pr"), "pre-pr-gate"));
    return { commands, source: commands.length > 0 ? "pr.pre-pr-gate" : null };
  }
  return { commands: [gate], source: "descriptor" };
}
