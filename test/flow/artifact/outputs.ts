import type { Outputs, World } from "../../support/world.ts";

/** A real output for each schema of roots, ids, artifacts and gates. */
export function artifactOutputs({ json }: World): Outputs {
  return {
    "flow-root": () => json("flow", "root", "--json"),
    "flow-id": () => json("flow", "id", "--request", "add a login page", "--json"),
    "flow-session": () => json("flow", "id", "--session-id", "--json"),
    "flow-new": () => json("flow", "new", "--type", "BUILD", "--request", "add a login page", "--json"),
    "flow-artifact": () => json("flow", "show", "@latest", "--json"),
  };
}
