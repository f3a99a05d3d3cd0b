/**
 * Have the engine compile hot code soon. The executable starts with a compiler that waits long, since a short command
 * ends before compiled code pays off (build.ts); what works longer asks for it.
 */
export function compileHotCode(): void {
  if ("Bun" in globalThis) Bun.unsafe.setJITPolicy(10);
}
