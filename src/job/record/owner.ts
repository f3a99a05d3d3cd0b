import type { Host } from "../../kernel/call/host.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { isOurs, type OpenOptions } from "../../kernel/files/owned-file.ts";

type Owner = Pick<Host, "uid">;

/** How a file of a job is opened: the caller's alone, on every system. */
export function ours({ uid }: Owner): OpenOptions {
  return { uid, oursOnWindows: true };
}

/** Whether a path is a real directory of the caller's, not a link to one. */
export function isOurDirectory({ uid }: Owner, path: string, stat = lookAt(path)): boolean {
  return stat?.isDirectory() === true && isOurs(path, stat, uid);
}
