import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { findRunDirectory, noWorkTree } from "./directory.ts";

/** Print where the runs of this repository are kept; nothing is made (docs/spec/craft-run.md 2.4). */
export async function dir(host: Host): Promise<Outcome<{ path: string }>> {
  const directory = await findRunDirectory(host);
  if (directory === undefined) throw await noWorkTree(host);
  return { data: { path: directory.path }, text: directory.path };
}
