import * as v from "valibot";

/** What `jig craft gate --json` prints. */
export const GateCommandsSchema = v.pipe(
  v.object({
    phase: v.string(),
    gate: v.pipe(v.string(), v.description("The gate string of the Resolution")),
    codeProducing: v.boolean(),
    commands: v.pipe(v.array(v.string()), v.description("To be run in this order")),
    source: v.nullable(v.picklist(["descriptor", "gates.phase", "pr.pre-pr-gate", "detect"])),
  }),
  v.description("The commands of a phase's gate: jig craft gate --json"),
);
export type GateCommands = v.InferOutput<typeof GateCommandsSchema>;
