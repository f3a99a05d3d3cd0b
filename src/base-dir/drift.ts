import { dirname } from "node:path";
import type { Host } from "../kernel/call/host.ts";
import { findGitAncestor } from "../kernel/repository/repository.ts";
import { anchorIn, readAnchorInPlace } from "./anchor.ts";

/** A fresh anchor below an anchored directory of the same repository: the usual sign of a drifted working directory. */
export function driftNote({ uid }: Pick<Host, "uid">, cwd: string): string[] {
  const root = findGitAncestor(cwd, { dangling: false, uid });
  if (root === undefined) return [];
  for (let directory = cwd; directory !== root; ) {
    directory = dirname(directory);
    try {
      const above = readAnchorInPlace(anchorIn(directory));
      if (above === undefined) continue;
      return [`note: ${above.path} anchors a directory above; did the working directory drift below it?`];
    } catch {
      // An invalid anchor further up is not this call's business.
    }
  }
  return [];
}
