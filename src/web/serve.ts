import { JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Writer } from "../kernel/call/outcome.ts";
import { serveOptions, type WebFlags } from "./options.ts";
import { runServer } from "./run-server.ts";
import { findServer } from "./state/ownership.ts";
import { pathsOf } from "./state/state-files.ts";

/** Serve a root in this process (docs/spec/web.md 4.4). Exit 1 when its server already runs, or it cannot listen. */
export async function serve(host: Host, flags: WebFlags, out: Writer): Promise<number> {
  const options = serveOptions(host, flags);
  const running = await findServer(pathsOf(options.root), host);
  if (running !== undefined) throw new JigError(`already running (pid ${running.pid})`);
  return runServer(host, options, out, () => {});
}
