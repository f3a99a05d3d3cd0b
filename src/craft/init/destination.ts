import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isInside, realOrPlain, resolveReal } from "../../kernel/files/contain.ts";
import { failure } from "../common/fail.ts";
import { type ConfigScope, configPath, userFileState } from "../manifest/config-name.ts";

/**
 * Whether the user's `.claude` is out of reach as a place to write: a chain of links that cannot be resolved. A
 * symlinked `~/.claude` directory is the person's own arrangement and fine (docs/spec/craft-engine.md 2).
 */
export function userDirectoryEscapes(home: string): boolean {
  try {
    resolveReal(join(home, ".claude"));
    return false;
  } catch {
    return true;
  }
}

/** Where a config is put in a scope. Throws the verb's failure (exit 1) when that place cannot be trusted. */
export function destinationOf(host: Host, verb: string, name: string, scope: ConfigScope): string {
  const path = configPath(host, name, scope);
  if (path === undefined) throw failure(verb, "HOME is not set; there is no user scope", 1);
  if (scope === "user") {
    if (userDirectoryEscapes(host.home!) || userFileState(host.home!, path) === "escaping") {
      throw failure(verb, "cannot safely resolve user scope — ~/.claude escapes containment", 1);
    }
    return path;
  }
  // A repository may have made `.claude` a link to somewhere else.
  if (!isInside(realOrPlain(host.cwd), realOrPlain(join(host.cwd, ".claude")))) {
    throw failure(verb, `${join(host.cwd, ".claude")} leads out of ${host.cwd}; nothing was written`, 1);
  }
  return path;
}
