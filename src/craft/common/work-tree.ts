import { realpathSync } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import { findRepository } from "../../kernel/repository/repository.ts";

/** Real path of the top of the caller's work tree; outside git the working directory. */
export async function workTree(host: Host): Promise<string> {
  return (await findRepository(host)).root ?? realpathSync.native(host.cwd);
}
