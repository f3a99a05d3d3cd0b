/** Give memory that is not in use back to the system, for a process that is about to wait for a long time. */
export function releaseMemory(): void {
  const runtime = (globalThis as { Bun?: { gc(force: boolean): void } }).Bun;
  runtime?.gc(true);
}
