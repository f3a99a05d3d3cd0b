/** Types a call may take and give; a `buffer` is the address of a `Uint8Array`, or null. */
export type ForeignType = "i32" | "u32" | "i64" | "buffer";

export interface ForeignFunction {
  args: readonly ForeignType[];
  returns: "i32" | "u32" | "i64";
}

/** Numbers only: descriptors, handles and status words all fit. */
export type ForeignCall = (...args: (number | Uint8Array | null)[]) => number;

/**
 * The functions of the first of these system libraries that can be opened. Undefined where the runtime has no foreign
 * calls (plain Node), none of the libraries exists, or a sandbox refuses; the caller then does without.
 */
export async function openLibrary<Name extends string>(
  libraries: readonly string[],
  functions: Readonly<Record<Name, ForeignFunction>>,
): Promise<Record<Name, ForeignCall> | undefined> {
  const open = await opener();
  for (const library of open === undefined ? [] : libraries) {
    try {
      const symbols = open!(library, functions);
      const calls = {} as Record<Name, ForeignCall>;
      for (const name of Object.keys(functions) as Name[]) {
        const call = symbols[name]!;
        calls[name] = (...args) => Number(call(...args));
      }
      return calls;
    } catch {
      // Another C library: try its name.
    }
  }
  return undefined;
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
