import { isAbsolute } from "node:path";
import type { Host } from "../kernel/call/host.ts";
import { absoluteFrom, isStrictlyInside, resolveReal, samePath } from "../kernel/files/contain.ts";
import { findGitAncestor, isInGitDirectory } from "../kernel/repository/repository.ts";
import { anchorIn, readAnchorInPlace } from "./anchor.ts";
import { checkArgument, plainFatal } from "./fatal.ts";
import { createFolder, establishAnchor } from "./folder.ts";
import type { Resolution } from "./schema.ts";

/** The task form: a folder below the repository root, wherever in it the call is made (docs/spec/base-dir.md 4.2). */
export function resolveTask(
  host: Host,
  cwd: string,
  name: string,
  dryRun: boolean,
  notes: string[],
): Resolution {
  const root = findGitAncestor(cwd, { dangling: false, uid: host.uid });
  if (root === undefined) {
    throw plainFatal(
      `cannot resolve task-scope base-dir: no .git ancestor found from CWD ${cwd}. cd to the repo root and retry.`,
    );
  }
  checkArgument(host, "task_name", name);
  const folder = taskFolder(root, name);
  if (folder === undefined) {
    return { status: "unset", base: null, source: "absolute-path-arg", anchor: null, task_name: name };
  }
  const answer = (source: "anchor" | "task-scope", anchor: string | null): Resolution => ({
    status: "resolved",
    base: folder,
    source,
    anchor,
    task_name: name,
  });
  const existing = readAnchorInPlace(anchorIn(folder));
  if (existing !== undefined) return answer("anchor", existing.path);
  if (!dryRun) createFolder(folder);
  const result = establishAnchor(folder, "task-scope", dryRun, host.now());
  if (!result.written) return answer("anchor", result.anchor.path);
  if (/\.(md|html)$/i.test(name)) {
    const made = dryRun ? "would be made" : "was made";
    notes.push(
      `note: task_name '${name}' ends like a file name; a directory of that name ${made}. Strip the file name first.`,
    );
  }
  return answer("task-scope", dryRun ? null : anchorIn(folder));
}

/** Where a task's folder lies; undefined for an absolute name that is not below the root. Nothing is created. */
function taskFolder(root: string, name: string): string | undefined {
  const realRoot = resolveReal(root);
  const folder = resolveReal(absoluteFrom(realRoot, name));
  if (isInGitDirectory(realRoot, folder)) {
    throw plainFatal(
      `task_name '${name}' resolves inside .git (${folder}); choose a folder of the work tree`,
    );
  }
  if (isStrictlyInside(realRoot, folder)) return folder;
  if (isAbsolute(name)) return undefined;
  if (samePath(realRoot, folder)) {
    throw plainFatal(`task_name '${name}' resolves to the repo root (${folder}), which is not a task folder`);
  }
  throw plainFatal(
    `task_name '${name}' resolves outside the repo root (${folder}); refusing to create a task folder outside the repo`,
  );
}
