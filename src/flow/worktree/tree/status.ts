import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { asBytePath, type BytePath, byteRecords, shownPath } from "./byte-path.ts";
import { type StatusRecord, statusRecords } from "./porcelain.ts";
import { ask, type WorkTree } from "./work-tree.ts";

/** What `git status` says of a working tree, submodules seen from outside: whether they are at another commit. */
export async function statusOf(host: Host, tree: WorkTree): Promise<StatusRecord[]> {
  const words = ["--porcelain=1", "-z", "--untracked-files=all", "--ignore-submodules=dirty"];
  const { stdout, stderr } = await ask(host, tree, ["status", ...words]);
  refuseUnlisted(stderr, tree);
  return statusRecords(byteRecords(stdout));
}

/** Entries that are ignored; a directory that is so as a whole is one, and ends in a slash. */
export async function ignoredIn(host: Host, tree: WorkTree): Promise<BytePath[]> {
  const words = ["--porcelain=1", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames"];
  const { stdout, stderr } = await ask(host, tree, ["status", ...words, "--ignore-submodules=all"]);
  refuseUnlisted(stderr, tree);
  return byteRecords(stdout)
    .filter((record) => record.startsWith("!! "))
    .map((record) => asBytePath(record.slice(3)));
}

/** Of a directory it cannot look into git only warns, and answers as if it were empty. */
function refuseUnlisted(stderr: string, tree: WorkTree): void {
  const line = stderr.split("\n").find((one) => one.startsWith("warning: could not open directory"));
  if (line !== undefined) throw new JigError(`git cannot list all of ${tree.top}: ${shownPath(line)}`);
}
