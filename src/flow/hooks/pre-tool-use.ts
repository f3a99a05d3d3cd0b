import type { Hook, HookAnswer } from "./hook.ts";
import { projectsOf } from "./hook.ts";
import { textOf } from "./payload.ts";
import { isEdit, targetOf, toolInput } from "./tools.ts";

/** What stands in every command that writes by one of the means that are looked for. */
const MEANS = [">", "tee", "cp", "mv", "ln", "install", "rsync", "of=", "python"];

/** Judge a tool call before it is made (docs/spec/flow.md 15.3). Nothing is loaded for a call that cannot be denied. */
export async function preToolUse(hook: Hook): Promise<HookAnswer | undefined> {
  const { payload } = hook;
  const tool = textOf(payload, "tool_name") ?? "";
  if (tool === "Bash") {
    const command = textOf(toolInput(payload), "command");
    if (command === undefined || !MEANS.some((mean) => command.includes(mean))) return undefined;
    return (await import("./guard/bash.ts")).guardBash(await guardOf(hook, tool), command);
  }
  const path = targetOf(payload);
  if (path === undefined) return undefined;
  if (isEdit(tool)) return (await import("./guard/edit.ts")).guardEdit(await guardOf(hook, tool), path);
  if (tool === "Read") return (await import("./guard/read.ts")).guardRead(await guardOf(hook, tool), path);
  return undefined;
}

async function guardOf(hook: Hook, tool: string) {
  const { guarded } = await import("./guard/places.ts");
  const roots = projectsOf(hook);
  return {
    hook,
    tool,
    cwd: textOf(hook.payload, "cwd"),
    session: textOf(hook.payload, "session_id"),
    projects: roots.map(guarded),
    roots,
  };
}
