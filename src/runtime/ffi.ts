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
  if (open === undefined) return undefined;
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

/** The names the C library may have here. */
export function cLibrary(): string[] {
  if (process.platform === "darwin") return ["libSystem.B.dylib"];
  const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
  return ["libc.so.6", `libc.musl-${machine}.so.1`, "libc.so"];
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
  if ("Bun" in globalThis) {
    const { dlopen } = await import("bun:ffi");
    return (library, functions) => {
      const declared: Record<string, { args: string[]; returns: string }> = {};
      for (const [name, { args, returns }] of Object.entries(functions)) {
        declared[name] = { args: args.map((type) => (type === "buffer" ? "ptr" : type)), returns };
      }
      return dlopen(library, declared as Parameters<typeof dlopen>[1]).symbols as unknown as Symbols;
    };
  }
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
