import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outputs, World } from "../../support/world.ts";
import { writeWorkflow } from "../written.ts";

/** A real output for each schema of `src/flow/routing`. */
export function routingOutputs({ base, repo, json }: World): Outputs {
  const build = "wf-button-20260706-141203-0a0b0c0d";
  writeWorkflow(repo, build, { build_mode: "fast_path" });
  const task = join(base, "flow-task");
  writeFileSync(task, "wf:wf-x\nkind:agent\nphase:build\nplan:N/A\n");
  return {
    "flow-route": () => json("flow", "route", "add a login and review it", "--json"),
    "flow-fast-path": () => json("flow", "fast-path", "add a login", "--json"),
    "flow-escalation": () => json("flow", "fast-path", "escalate", build, "--json"),
    "flow-fix-verify": () => json("flow", "fix-verify", "fix it", "--json"),
    "flow-intent": () => json("flow", "intent", build, "--check", "--contradiction", "x", "--json"),
    "flow-task-check": () => json("flow", "task-check", "--from", task, "--json"),
    "flow-contract-check": () => json("flow", "contract-check", "--kind", "planner", "--from", task),
  };
}
