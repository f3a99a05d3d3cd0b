import type { Host } from "../../kernel/call/host.ts";

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{7,127}$/;

/** The session of the agent that calls, from its environment; undefined when it says none (docs/spec/flow.md 1.8). */
export function sessionOf({ env }: Pick<Host, "env">): string | undefined {
  const id = env["CLAUDE_CODE_SESSION_ID"];
  return id !== undefined && SESSION_ID.test(id) ? id : undefined;
}
