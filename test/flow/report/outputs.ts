import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outputs, World } from "../../support/world.ts";
import { writeWorkflow } from "../written.ts";

/** A real output for each schema of `src/flow/report`. */
export function reportOutputs({ base, repo, json }: World): Outputs {
  writeWorkflow(repo, "wf-status-20260706-141203-0d0e0f00", { phase_status: { a: "completed" } });
  const specs = join(base, "flow-specs");
  mkdirSync(specs);
  writeFileSync(join(specs, "0001-login.md"), "# Login\nStatus: draft\n");
  return {
    "flow-status": () => json("flow", "status", "--wf", "0d0e0f00", "--json"),
    "flow-status-list": () => json("flow", "status", "--all", "--json"),
    "flow-specifications": () => json("flow", "status", "--specs", "--spec-dir", specs, "--json"),
  };
}
