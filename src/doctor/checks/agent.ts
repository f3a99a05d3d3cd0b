import { accessSync, constants, readFileSync } from "node:fs";
import { errorCode, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { fleetingNamespace } from "../../kernel/process/namespace/fleeting.ts";
import { agentsAround, socketPolicy } from "../../kernel/shared/agent-host.ts";
import { fixedTempDirectory } from "../../kernel/shared/temp-root.ts";
import { printable } from "../../kernel/text/printable.ts";
import { listen } from "../../runtime/serve.ts";
import { note, ok } from "../check.ts";
import type { Check } from "../schema.ts";

/** The agent this call runs under, and what a sandbox around it forbids of what jig does (docs/hosts.md). */
export async function examineAgent(host: Host): Promise<Check[]> {
  const agents = agentsAround(host.env).map(({ name, mark }) => `${name} (${mark})`);
  const around = agents.length === 0 ? "none that says so" : agents.join(" and ");
  const forbidden = [
    ...namespaceLimit(),
    ...networkLimit(host),
    ...(await socketLimit(host)),
    ...tempLimit(host),
  ];
  return [
    ok("agent", `around this call: ${around}`),
    ...(forbidden.length === 0 ? [ok("sandbox", "nothing that jig needs is forbidden")] : []),
    ...forbidden.map((message) => note("sandbox", message)),
  ];
}

function namespaceLimit(): string[] {
  const first = fleetingNamespace();
  if (first === undefined) return [];
  return [
    `this call has a process namespace of its own (first process: ${printable(first)}): no job or server outlives it; ` +
      "start them outside the sandbox, or keep the call open (job start --anyway, web start --foreground)",
  ];
}

/** A network namespace in which there is nothing but loopback (Linux). */
function networkLimit(host: Pick<Host, "platform">): string[] {
  if (host.platform !== "linux") return [];
  let interfaces: string[];
  try {
    const lines = readFileSync("/proc/self/net/dev", "utf8").split("\n").slice(2);
    interfaces = lines.map((line) => line.split(":", 1)[0]!.trim()).filter((name) => name !== "");
  } catch {
    return [];
  }
  if (interfaces.some((name) => name !== "lo")) return [];
  return [
    "no network here but its own loopback: nobody outside reaches a server, and pack sources and other machines are out of reach",
  ];
}

async function socketLimit(host: Pick<Host, "env">): Promise<string[]> {
  try {
    const listener = await listen({
      host: "127.0.0.1",
      port: 0,
      handler: () => new Response(null, { status: 404 }),
      onError: () => {},
    });
    await listener.stop();
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const { whose, remedy } = socketPolicy(host.env);
    return [`no server here: cannot bind 127.0.0.1: ${osReason(error)}; ${whose} forbids it: ${remedy}`];
  }
}

function tempLimit(host: Pick<Host, "env" | "platform">): string[] {
  if (host.platform === "win32") return [];
  const directory = fixedTempDirectory(host);
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    return [
      `${directory} takes no writes here (${osReason(error)}): jobs and scratch directories go below TMPDIR, ` +
        "where a caller outside finds them by their directory alone",
    ];
  }
}
