import { type ForeignCall, openLibrary } from "./ffi.ts";

let library: Promise<{ uv_get_osfhandle: ForeignCall } | undefined> | undefined;

/**
 * The system's handle behind a descriptor of the runtime (Windows), which keeps its own table of them: the C library's
 * `_get_osfhandle` knows none. Throws `ForeignCallsRefused`.
 */
export async function osHandle(descriptor: number): Promise<number> {
  // The executable itself is the runtime, compiled or not.
  library ??= openLibrary([process.execPath], { uv_get_osfhandle: { args: ["i32"], returns: "i64" } });
  const handle = (await library)?.uv_get_osfhandle(descriptor) ?? -1;
  if (handle === -1) throw new Error(`descriptor ${descriptor} has no handle`);
  return handle;
}
