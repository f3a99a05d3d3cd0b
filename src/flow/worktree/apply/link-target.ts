import { realpathSync } from "node:fs";
import { isBelow, latin1 } from "../tree/byte-path.ts";

/**
 * The target that a link of the worktree gets below the root: an absolute one inside the worktree leads to the same place
 * below the root, every other stays. Of worktree and target the directory part is resolved, never the last component, so
 * a chain of links stays a chain (docs/spec/flow-worktree.md 6).
 */
export function rewrittenTarget(target: Buffer, worktree: string, root: string): Buffer {
  const text = latin1(target);
  if (!text.startsWith("/")) return target;
  const top = resolved(latin1(Buffer.from(worktree))) ?? latin1(Buffer.from(worktree));
  const cut = text.lastIndexOf("/");
  const last = text.slice(cut + 1);
  // `…/.` and `…/..` name a directory, and no entry in one.
  if (last === "" || last === "." || last === "..") return target;
  const directory = resolved(text.slice(0, cut));
  if (directory === undefined) return target;
  const place = directory === "/" ? `/${last}` : `${directory}/${last}`;
  if (place !== top && !isBelow(place, top)) return target;
  return Buffer.concat([Buffer.from(root), Buffer.from(place.slice(top.length), "latin1")]);
}

/** The real path of a directory whose end may be missing; undefined when it cannot be told. */
function resolved(path: string): string | undefined {
  let [existing, missing] = [path === "" ? "/" : path, ""];
  for (;;) {
    try {
      const real = latin1(realpathSync(Buffer.from(existing, "latin1"), { encoding: "buffer" }));
      return real === "/" && missing !== "" ? missing : `${real}${missing}`;
    } catch {
      const cut = existing.lastIndexOf("/");
      const last = existing.slice(cut + 1);
      if (cut < 0 || last === "..") return undefined;
      if (last !== "" && last !== ".") missing = `/${last}${missing}`;
      existing = cut === 0 ? "/" : existing.slice(0, cut);
      if (existing === "/" && cut === 0 && last === "") return undefined;
    }
  }
}
