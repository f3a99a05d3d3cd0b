import { openLibrary } from "./ffi.ts";

const QUERY = 0x1000; // PROCESS_QUERY_LIMITED_INFORMATION

/** The code of a child that has ended; undefined when the system does not tell. */
export type ExitCode = () => number | undefined;

/**
 * What holds a child so that all 32 bits of its exit code can be read (Windows): Bun reports the low 8, which makes 256 a
 * success. To be asked in the turn of the child's start, when its pid cannot be another's yet. Throws
 * `ForeignCallsRefused`.
 */
export async function exitCodeHolder(): Promise<(pid: number) => ExitCode> {
  const system = await openLibrary(["kernel32.dll"], {
    OpenProcess: { args: ["u32", "i32", "u32"], returns: "i64" },
    GetExitCodeProcess: { args: ["i64", "buffer"], returns: "i32" },
    CloseHandle: { args: ["i64"], returns: "i32" },
  });
  return (pid) => {
    const handle = system?.OpenProcess(QUERY, 0, pid) ?? 0;
    return () => {
      if (system === undefined || handle === 0) return undefined;
      const code = new Uint8Array(4);
      const told = system.GetExitCodeProcess(handle, code) !== 0;
      system.CloseHandle(handle);
      return told ? new DataView(code.buffer).getUint32(0, true) : undefined;
    };
  };
}
