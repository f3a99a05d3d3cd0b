import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { jsonText } from "../kernel/text/printable.ts";
import { rootOf, type WebFlags } from "./options.ts";
import type { DisplayInfo, Stopped } from "./schema.ts";
import { findServer } from "./state/ownership.ts";
import { pathsOf, readEnd } from "./state/state-files.ts";

/** Whether a root's server runs, and how its last session ended (docs/spec/web.md 4.6). */
export async function status(host: Host, flags: WebFlags): Promise<Outcome<DisplayInfo | Stopped>> {
  const root = rootOf(host, flags);
  const paths = pathsOf(root);
  const info = (await findServer(paths, host))?.info;
  const data =
    info === undefined ? stopped(root, readEnd(paths, host.uid)?.reason) : { ...info, status: "running" };
  return { data, text: jsonText(data) };
}

function stopped(root: string, reason: string | undefined): Stopped {
  return reason === undefined
    ? { status: "stopped", root }
    : { status: "stopped", root, session_end_reason: reason };
}
