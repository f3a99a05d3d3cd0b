import { fileURLToPath } from "node:url";

/** True in a binary made by `bun build --compile`: its modules live in a virtual file system. */
export const isCompiled: boolean = /^\/\$bunfs\/|^[A-Z]:[\\/]~BUN[\\/]/.test(virtualDirectory());

function virtualDirectory(): string {
  return decodeURIComponent(new URL(".", import.meta.url).pathname).replace(/^\/([A-Z]:)/, "$1");
}

/** The words that run this jig again: the binary alone, or the runtime, its flags and the entry script. */
export function selfCommand(): string[] {
  if (isCompiled) return [process.execPath];
  const entry = fileURLToPath(new URL("../main.ts", import.meta.url));
  if ("Deno" in globalThis) return [process.execPath, "run", "-A", "--quiet", entry];
  return [process.execPath, entry];
}

const RUNTIME_SWITCHES = /^(BUN_OPTIONS|BUN_BE_BUN|BUN_INSPECT.*)$/;

/** Whether a variable changes what a compiled Bun program does before its first line (spec/jobs.md section 6). */
export function isRuntimeSwitch(name: string): boolean {
  return RUNTIME_SWITCHES.test(name);
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
