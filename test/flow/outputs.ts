import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Outputs, World } from "../support/world.ts";
import { artifactOutputs } from "./artifact/outputs.ts";
import { memoryOutputs } from "./memory/outputs.ts";
import { reportOutputs } from "./report/outputs.ts";
import { routingOutputs } from "./routing/outputs.ts";

/** A real output for each schema of the room. */
export function outputs(world: World): Outputs {
  const { base, repo, json } = world;
  const lock = join(repo, ".claude/worktrees/.merge.lock");
  return {
    "flow-worktree-staleness": () => {
      mkdirSync(lock, { recursive: true });
      return json("flow", "worktree", "staleness", join(lock, "metadata.json"), repo, "--json");
    },
    "flow-worktree-unlock": () => json("flow", "worktree", "unlock", "--yes", "--json"),
    "flow-worktree-create": async () => {
      const made = await json("flow", "new", "--type", "BUILD", "--request", "login", "--json");
      return json("flow", "worktree", "create", made.workflow_uuid, "--json");
    },
    "flow-worktree-status": () => json("flow", "worktree", "status", "--json"),
    ...memoryOutputs(world),
    ...reportOutputs(world),
    ...routingOutputs(world),
    ...artifactOutputs(world),
    "flow-hook-settings": () => json("flow", "hook", "print", "--json"),
    "flow-worktree-finalize": async () => {
      const { workflow_uuid: wf } = await json(
        "flow",
        "new",
        "--type",
        "BUILD",
        "--request",
        "mend it",
        "--json",
      );
      return json("flow", "worktree", "finalize", wf, "--json");
    },
    "flow-worktree-copy-fallback": () => {
      const copy = join(base, "copied");
      spawnSync("git", ["init", "-q", copy]);
      return json("flow", "worktree", "copy-fallback", repo, copy, "--json");
    },
  };
}
