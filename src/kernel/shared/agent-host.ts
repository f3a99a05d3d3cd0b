import { isReadable } from "../call/environment.ts";
import type { Host } from "../call/host.ts";

/** An agent that runs this call, by what it puts into the environment of its commands (docs/hosts.md). */
export interface AgentAround {
  name: string;
  /** The variable that says so. */
  mark: string;
}

const MARKS: readonly (readonly [name: string, marks: readonly string[]])[] = [
  ["Claude Code", ["CLAUDECODE"]],
  ["Codex", ["CODEX_CI", "CODEX_THREAD_ID", "CODEX_SANDBOX"]],
  ["opencode", ["OPENCODE"]],
  ["Gemini CLI", ["GEMINI_CLI"]],
];

/** Set by Codex where its sandbox forbids sockets. */
const CODEX_OFFLINE = "CODEX_SANDBOX_NETWORK_DISABLED";

/** The agents this call runs under; several where one was started by another, and which is the inner one shows nowhere. */
export function agentsAround(env: Host["env"]): AgentAround[] {
  return MARKS.flatMap(([name, marks]) => {
    const mark = marks.find((variable) => isSet(env, variable));
    return mark === undefined ? [] : [{ name, mark }];
  });
}

/** Whose sandbox refuses sockets, and what lets them through, for a person to read. */
export interface SocketPolicy {
  whose: string;
  remedy: string;
}

/** Who it is, most likely, that refuses a socket here. */
export function socketPolicy(env: Host["env"]): SocketPolicy {
  const outside = "start it outside";
  if (isSet(env, CODEX_OFFLINE)) {
    return {
      whose: `Codex's sandbox (${CODEX_OFFLINE})`,
      remedy: `${outside}, or run Codex with -c sandbox_workspace_write.network_access=true`,
    };
  }
  const [agent, another] = agentsAround(env);
  const known = agent !== undefined && another === undefined;
  return {
    whose: known ? `a sandbox around this call, most likely ${agent.name}'s,` : "a sandbox around this call",
    remedy: `${outside}, or let the sandbox use the network`,
  };
}

function isSet(env: Host["env"], variable: string): boolean {
  return isReadable(env, variable) && (env[variable] ?? "") !== "";
}
