import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isInside, realOrPlain } from "../../kernel/files/contain.ts";

/** How a named config may be called: it becomes part of a file name, so traversal is impossible by construction. */
export const CONFIG_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** What is wrong with a config's name, undefined when it is right (docs/spec/craft-engine.md 2). */
export function configNameProblem(name: string | undefined): string | undefined {
  if (name === undefined || name === "") return "name argument required";
  if (CONFIG_NAME.test(name)) return undefined;
  return `invalid config name ${JSON.stringify(name)}: must match ${CONFIG_NAME.source}`;
}

export type ConfigScope = "local" | "user";

/** Where a named config lives in a scope; undefined for the user's when there is no home. */
export function configPath(host: Host, name: string, scope: ConfigScope): string | undefined {
  const root = scope === "local" ? host.cwd : host.home;
  return root === undefined ? undefined : join(root, ".claude", `craft-${name}.md`);
}

/**
 * A file of user scope: `present`, `absent`, or `escaping` when something stands there that must not be read: a
 * symlink, or a file whose real path leaves the real `~/.claude` (docs/spec/craft-engine.md 2).
 */
export function userFileState(home: string, path: string): "present" | "absent" | "escaping" {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "absent";
  if (found.isSymbolicLink()) return "escaping";
  if (!found.isFile()) return "absent";
  return isInside(realOrPlain(join(home, ".claude")), realOrPlain(path)) ? "present" : "escaping";
}
