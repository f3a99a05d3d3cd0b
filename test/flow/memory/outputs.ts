import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outputs, World } from "../../support/world.ts";

/** A real output for each schema of memory, its markers and resume. */
export function memoryOutputs({ base, json }: World): Outputs {
  const payload = join(base, "flow-merge.json");
  writeFileSync(payload, JSON.stringify({ section_text: "- a", notes: ["b"] }));
  return {
    "flow-memory": () => json("flow", "memory", "load", "--json"),
    "flow-memory-heal": () => json("flow", "memory", "heal", "--json"),
    "flow-memory-add": () => json("flow", "memory", "add", "decisions", "so it is", "--json"),
    "flow-memory-permit": () => json("flow", "memory", "permit", "clear", "--json"),
    "flow-memory-merge": () => json("flow", "memory", "merge", "--from", payload, "--json"),
  };
}
