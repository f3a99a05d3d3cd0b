import { DROP_IN_NAMES } from "../../kernel/shared/drop-in-names.ts";

/** The name without the extension of a script. */
export function withoutExtension(name: string): string {
  return [".py", ".js", ".sh"].some((extension) => name.endsWith(extension)) ? name.slice(0, -3) : name;
}

/**
 * The alias an executable's name stands for: a name of the table with or without its extension; on Windows without
 * regard to case and with an optional `.exe`. Undefined for any other name, which is plain jig.
 */
export function aliasOf(invokedAs: string, platform: NodeJS.Platform): string | undefined {
  let name = invokedAs.slice(Math.max(invokedAs.lastIndexOf("/"), invokedAs.lastIndexOf("\\")) + 1);
  if (name === "jig") return undefined;
  if (platform === "win32") {
    name = name.toLowerCase();
    if (name.endsWith(".exe")) name = name.slice(0, -".exe".length);
  }
  for (const candidate of Object.keys(DROP_IN_NAMES)) {
    const known = platform === "win32" ? candidate.toLowerCase() : candidate;
    if (name === known || name === withoutExtension(known)) return candidate;
  }
  return undefined;
}
