import { cLibrary, type ForeignCall, openLibrary } from "./ffi.ts";

// The same on Linux and macOS.
const MODES = { shared: 1, exclusive: 2 } as const;
const NOW = 4;

let library: Promise<{ flock: ForeignCall } | undefined> | undefined;

/**
 * Try once to lock an opening of a file (POSIX). The lock is the opening's: it lasts until the last process that
 * inherited the descriptor has closed it or ended, however it ends. False when another opening is locked against this;
 * undefined where descriptors are not the system's (any runtime but Bun). Throws `ForeignCallsRefused`.
 */
export async function flock(descriptor: number, mode: keyof typeof MODES): Promise<boolean | undefined> {
  if (!("Bun" in globalThis)) return undefined;
  library ??= openLibrary(cLibrary(), { flock: { args: ["i32", "i32"], returns: "i32" } });
  return (await library)?.flock(descriptor, MODES[mode] | NOW) === 0;
}
