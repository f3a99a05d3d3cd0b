import { JigError } from "../call/errors.ts";
import { printable } from "../text/printable.ts";

/**
 * Refuse to start what is meant to outlive this call (`job`, `server`) where nothing can: in a process namespace that
 * ends with it. Throws `JigError`, exit 1; `--anyway` is the way round.
 */
export async function refuseFleeting(what: "job" | "server"): Promise<void> {
  if (process.platform !== "linux") return;
  const { fleetingNamespace } = await import("../process/namespace/fleeting.ts");
  const first = fleetingNamespace();
  if (first === undefined) return;
  throw new JigError(
    `this call runs in a process namespace of its own (its first process is ${printable(first)}): ` +
      `when the call ends, the system kills the ${what} with it; nothing was started`,
    { hint: HINTS[what] },
  );
}

const HINTS = {
  job:
    "start it outside the sandbox, or keep one call open in the host's background shell: " +
    "jig job start --anyway … and then jig job wait in the same call",
  server:
    "start it outside the sandbox, or keep one call open in the host's background shell: jig web start --foreground …",
} as const;
