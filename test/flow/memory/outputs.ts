import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outputs, World } from "../../support/world.ts";

/** A real output for each schema of memory, its markers and its workspace. */
export function memoryOutputs({ base, repo, json }: World): Outputs {
  const payload = join(base, "flow-merge.json");
  writeFileSync(payload, JSON.stringify({ section_text: "- a", notes: ["b"] }));
  const learned = join(base, "flow-learned.json");
  writeFileSync(learned, JSON.stringify({ patterns: ["p"] }));
  const state = join(repo, ".craftflow/state/project");
  const begin = async (): Promise<string> =>
    (await json("flow", "new", "--type", "BUILD", "--request", "remember", "--json")).workflow_uuid;
  const asked = async (): Promise<string> => {
    const wf = await begin();
    await json("flow", "scope", "request", wf, "--reason", "r", "--json");
    return wf;
  };
  return {
    "flow-memory": () => json("flow", "memory", "load", "--json"),
    "flow-memory-heal": () => json("flow", "memory", "heal", "--json"),
    "flow-memory-add": () => json("flow", "memory", "add", "decisions", "so it is", "--json"),
    "flow-memory-permit": () => json("flow", "memory", "permit", "clear", "--json"),
    "flow-memory-merge": () => json("flow", "memory", "merge", "--from", payload, "--json"),
    "flow-memory-repair": () => json("flow", "memory", "repair", "--target-dir", state, "--json"),
    "flow-memory-finalize": async () =>
      json("flow", "memory", "finalize", await begin(), "--from", learned, "--json"),
    "flow-scope-request": async () =>
      json("flow", "scope", "request", await begin(), "--reason", "r", "--json"),
    "flow-scope-list": () => json("flow", "scope", "list", "--json"),
    "flow-scope-answer": async () => json("flow", "scope", "answer", await asked(), "all issues", "--json"),
    "flow-resume": async () => json("flow", "resume", await begin(), "--json"),
    "flow-marker": async () => json("flow", "marker", await begin(), "build-start", "--json"),
    "flow-workspace-init": () =>
      json("flow", "workspace", "init", "--workspace-root", base, "--north-star", "far", "--json"),
    "flow-workspace": () => json("flow", "workspace", "show", "--json"),
  };
}
