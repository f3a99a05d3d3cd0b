import { existsSync } from "node:fs";
import { BUILD } from "./self.ts";

/** Types a call may take and give; a `buffer` is the address of a `Uint8Array`, or null. */
export type ForeignType = "i32" | "u32" | "i64" | "buffer";

export interface ForeignFunction {
  args: readonly ForeignType[];
  returns: "i32" | "u32" | "i64";
}

/** Numbers only: descriptors, handles and status words all fit. */
export type ForeignCall = (...args: (number | Uint8Array | null)[]) => number;

/**
 * A runtime that has foreign calls made none: it refuses them (without its compiler, `BUN_JSC_useJIT=0`), or the library
 * cannot be opened. Never taken for a system that has no such call, since what relies on it would silently be weaker.
 */
export class ForeignCallsRefused extends Error {
  override readonly name = "ForeignCallsRefused";
  readonly code = "ERR_FOREIGN_CALLS";
  /** As errors of the system have it: whoever prints those prints this. */
  readonly syscall = "dlopen";
}

/**
 * The functions of the first of these system libraries that can be opened. Undefined where the runtime has no foreign
 * calls at all (plain Node, which runs unit tests only). Throws `ForeignCallsRefused` anywhere else.
 */
export async function openLibrary<Name extends string>(
  libraries: readonly string[],
  functions: Readonly<Record<Name, ForeignFunction>>,
): Promise<Record<Name, ForeignCall> | undefined> {
  const open = await opener();
  return open === undefined ? undefined : openFirst(open, libraries, functions);
}

/** As `openLibrary`, for a call that cannot wait. */
export function openLibraryNow<Name extends string>(
  libraries: readonly string[],
  functions: Readonly<Record<Name, ForeignFunction>>,
): Record<Name, ForeignCall> | undefined {
  const open =
    "Bun" in globalThis
      ? openWith(process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi"))
      : denoOpener();
  return open === undefined ? undefined : openFirst(open, libraries, functions);
}

function openFirst<Name extends string>(
  open: Opener,
  libraries: readonly string[],
  functions: Readonly<Record<Name, ForeignFunction>>,
): Record<Name, ForeignCall> {
  const problems: string[] = [];
  for (const library of libraries) {
    try {
      const symbols = open(library, functions);
      const calls = {} as Record<Name, ForeignCall>;
      for (const name of Object.keys(functions) as Name[]) {
        const call = symbols[name]!;
        calls[name] = (...args) => Number(call(...args));
      }
      return calls;
    } catch (error) {
      // Another C library: try its name.
      problems.push(`${library}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new ForeignCallsRefused(`cannot call the system's libraries (${problems.join("; ")})`);
}

/**
 * What opens the C library here: one path, or a name that the system's own search is sure to find. The runtime looks for
 * a name that search does not find in the working directory, where a checkout could plant a library of its own.
 */
export function cLibrary(): string[] {
  return [cLibraryOf(process.platform, process.arch, BUILD?.target, existsSync)];
}

/** The same for any machine: `target` is the release asset, if the program is one. */
export function cLibraryOf(
  platform: NodeJS.Platform,
  arch: string,
  target: string | undefined,
  exists: (path: string) => boolean,
): string {
  if (platform === "darwin") return "/usr/lib/libSystem.B.dylib";
  const musl = `/lib/ld-musl-${arch === "arm64" ? "aarch64" : "x86_64"}.so.1`;
  const glibc = arch === "arm64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
  // Both may be installed; a program built or run on the spot then uses the system's own.
  const isMusl = target?.startsWith("jig-") ? target.endsWith("-musl") : exists(musl) && !exists(glibc);
  // With musl the loader is the C library.
  return isMusl ? musl : "libc.so.6";
}

type Symbols = Record<string, (...args: (number | Uint8Array | null)[]) => number | bigint>;
type Opener = (library: string, functions: Readonly<Record<string, ForeignFunction>>) => Symbols;

interface DenoForeign {
  dlopen(
    library: string,
    functions: Record<string, { parameters: string[]; result: string }>,
  ): { symbols: Symbols };
}

async function opener(): Promise<Opener | undefined> {
  return "Bun" in globalThis ? openWith(await import("bun:ffi")) : denoOpener();
}

function openWith({ dlopen }: typeof import("bun:ffi")): Opener {
  return (library, functions) => {
    const declared: Record<string, { args: string[]; returns: string }> = {};
    for (const [name, { args, returns }] of Object.entries(functions)) {
      declared[name] = { args: args.map((type) => (type === "buffer" ? "ptr" : type)), returns };
    }
    return dlopen(library, declared as Parameters<typeof dlopen>[1]).symbols as unknown as Symbols;
  };
}

function denoOpener(): Opener | undefined {
  const deno = (globalThis as { Deno?: DenoForeign }).Deno;
  if (deno?.dlopen === undefined) return undefined;
  return (library, functions) => {
    const declared: Record<string, { parameters: string[]; result: string }> = {};
    for (const [name, { args, returns }] of Object.entries(functions)) {
      declared[name] = { parameters: [...args], result: returns };
    }
    return deno.dlopen(library, declared).symbols;
  };
}
