import { statSync } from "node:fs";
import { stableJigPath } from "../../../kernel/shared/jig-path.ts";
import { selfCommand } from "../../../runtime/self.ts";
import type { HookAnswer } from "../hook.ts";
import { logDecision } from "../log.ts";
import { hookMode } from "../mode.ts";
import { attempt, denial } from "./deny.ts";
import type { Guard } from "./guard.ts";
import { placeOf } from "./places.ts";
import { resolveTarget } from "./target.ts";
import { readText } from "./texts.ts";

/** Largest state file that is read whole. */
const LARGEST_READ = 50_000;

/** Judge a Read: a large state file is read through its summary (docs/spec/flow.md 15.3). */
export async function guardRead(guard: Guard, path: string): Promise<HookAnswer | undefined> {
  const { cwd, hook, projects } = guard;
  const found = await attempt(guard, () => {
    const target = resolveTarget(cwd ?? projects[0]?.root ?? hook.host.cwd, path);
    const place = placeOf(target, projects);
    const inState = place !== undefined && place.kind !== "skill" && place.kind !== "permit";
    return inState && sizeOf(target.real) > LARGEST_READ ? target.real : undefined;
  });
  if (found === undefined) return undefined;
  const mode = hookMode(hook.host, "stateReadCompaction", guard.roots);
  const decision = { block: "deny", audit: "audit", unrecognized: "audit-unrecognized-config-value" }[mode];
  logDecision(hook, "pretool_guard", {
    tool_name: guard.tool,
    path: found,
    decision,
    reason: `state-read:${found}`,
  });
  if (mode !== "block") return undefined;
  const [program] = selfCommand();
  return denial(readText(stableJigPath(program!, hook.host.env), found));
}

/** Bytes of a file; a size that cannot be read allows. */
function sizeOf(path: string): number {
  try {
    const stat = statSync(path);
    return stat.isFile() ? stat.size : 0;
  } catch {
    return 0;
  }
}
