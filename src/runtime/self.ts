import { join } from "node:path";

// Replaced by build.ts (--define); absent when run from source.
declare const JIG_BUILD: BuildStamp | undefined;

/** What build.ts knows about the executable it makes. */
export interface BuildStamp {
  version: string;
  commit: string;
  target: string;
}

/** The stamp of the executable; undefined when run from source. */
export const BUILD: BuildStamp | undefined = typeof JIG_BUILD === "undefined" ? undefined : JIG_BUILD;

/** True in a binary made by build.ts: its modules live in a virtual file system. */
export const isCompiled: boolean = BUILD !== undefined;

/** The words that run this jig again: the binary alone, or the runtime, its flags and the entry script. */
export function selfCommand(): string[] {
  if (isCompiled) return [process.execPath];
  const entry = join(import.meta.dirname, "../main.ts");
  if ("Deno" in globalThis) return [process.execPath, "run", "-A", "--quiet", entry];
  return [process.execPath, entry];
}

/** Whether a variable changes what a compiled Bun program does before its first line (docs/spec/jobs.md section 6). */
export function isRuntimeSwitch(name: string): boolean {
  return (
    name === "BUN_OPTIONS" ||
    name === "BUN_BE_BUN" ||
    name.startsWith("BUN_INSPECT") ||
    name.startsWith("BUN_JSC_")
  );
}

/** The environment for a re-execution of jig: without the variables that change what the runtime does at its start. */
export function withoutRuntimeSwitches(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isRuntimeSwitch(name)) kept[name] = value;
  }
  return kept;
}
