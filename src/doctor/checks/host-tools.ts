import type { Host } from "../../kernel/call/host.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { note, ok } from "../check.ts";
import type { Check } from "../schema.ts";

/** Command-line agents that can use the skills; found on PATH, never run. */
const HOST_TOOLS = ["claude", "codex", "cursor-agent", "gemini", "grok", "opencode", "copilot", "amp", "pi"];

export function examineHostTools(host: Host): Check[] {
  const found = HOST_TOOLS.filter((name) => findExecutable(name, host.env) !== undefined);
  if (found.length === 0) return [note("hosts", "no agent CLI found on PATH")];
  return [ok("hosts", `found on PATH: ${found.join(", ")}`)];
}
