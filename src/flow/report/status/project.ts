import type { Host } from "../../../kernel/call/host.ts";
import { absoluteFrom } from "../../../kernel/files/contain.ts";
import { ancestorWithState } from "../../common/project.ts";

/**
 * The project a status is about: `--project`, which need not exist, else the nearest ancestor with workflows, else what
 * the host names, else the directory itself (docs/spec/flow.md 14).
 */
export function statusRoot(
  host: Pick<Host, "cwd" | "env" | "home">,
  project: string | undefined,
  directory = host.cwd,
): string {
  if (project !== undefined) return absoluteFrom(host.cwd, project);
  const found = ancestorWithState(directory, host.home);
  if (found !== undefined) return found;
  const named = host.env["CLAUDE_PROJECT_DIR"];
  return named === undefined || named === "" ? directory : absoluteFrom(host.cwd, named);
}
