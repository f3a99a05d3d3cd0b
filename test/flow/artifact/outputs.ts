import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outputs, World } from "../../support/world.ts";

/** A real output for each schema of roots, ids, artifacts, gates and phases; each stands on the ones before. */
export function artifactOutputs({ base, json }: World): Outputs {
  const flow = (...words: string[]) => json("flow", ...words, "--json");
  let wf = "";
  return {
    "flow-root": () => flow("root"),
    "flow-id": () => flow("id", "--request", "add a login page"),
    "flow-session": () => flow("id", "--session-id"),
    "flow-new": async () => {
      const made = await flow("new", "--type", "BUILD", "--request", "add a login page");
      wf = made.workflow_uuid;
      return made;
    },
    "flow-artifact": () => flow("show", "@latest"),
    "flow-event": () => flow("event", wf, "agent_started", "--agent", "builder"),
    "flow-history": () => flow("history", wf),
    "flow-set": () => flow("set", wf, 'plan_mode="direct"'),
    "flow-capability": () => flow("capability", wf, "task_tools_available", "true"),
    "flow-phases-loaded": () => {
      const plan = join(base, "phases.json");
      writeFileSync(plan, '[{"phase_id":"p1","title":"One"}]');
      return flow("phase", wf, "load", "--from", plan);
    },
    "flow-phase-added": () => flow("phase", wf, "add", "build-implement"),
    "flow-phase-changed": () => flow("phase", wf, "set", "build-implement", "in_progress"),
    "flow-phase-next": () => flow("phase", wf, "next"),
    "flow-phase-advanced": () => flow("phase", wf, "advance"),
    "flow-phases": () => flow("phase", wf, "list"),
    "flow-gate": () => flow("gate", wf, "set", "clarification"),
    "flow-gate-check": () => flow("gate", wf, "check", "phase_exit"),
    "flow-remediation": () =>
      flow(
        ...["remfix", wf, "--origin", "router", "--phase", "re-review", "--scope", "N/A", "--reason", "r"],
      ),
    "flow-just-go": () => flow("just-go", "--gate", "scope_decision"),
    "flow-list": () => flow("list"),
    "flow-check": () => flow("check"),
    "flow-closed": () => flow("close", wf, "--outcome", "abandoned", "--force"),
  };
}
