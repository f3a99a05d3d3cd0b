import { JigError } from "../../kernel/call/errors.ts";
import { quoteArgument } from "../../kernel/process/windows-command-line.ts";
import { openLibrary } from "../../runtime/ffi.ts";
import { environmentBlock, wide } from "./wide.ts";

// Written from the documentation of the system calls; not run on Windows yet.

const DETACHED_PROCESS = 0x0008;
const CREATE_NEW_PROCESS_GROUP = 0x0200;
const CREATE_UNICODE_ENVIRONMENT = 0x0400;
const CREATE_BREAKAWAY_FROM_JOB = 0x0100_0000;
const STARTUP_INFO_BYTES = 104; // sizeof(STARTUPINFOW), 64-bit
const PROCESS_INFORMATION_BYTES = 24;

/**
 * Start a process that outlives this one (docs/spec/jobs.md 12.2). The runtime's own children sit in a job object that is
 * killed with it (oven-sh/bun#31603), so the process is made by the system call, away from the caller's job where that
 * allows it. Throws when it cannot be made.
 */
export async function spawnDetached(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const kernel = await openLibrary(["kernel32.dll"], {
    CreateProcessW: {
      args: ["buffer", "buffer", "buffer", "buffer", "i32", "u32", "buffer", "buffer", "buffer", "buffer"],
      returns: "i32",
    },
    CloseHandle: { args: ["i64"], returns: "i32" },
  });
  if (kernel === undefined) throw new JigError("cannot detach a process: kernel32.dll is not available");
  const startup = new Uint8Array(STARTUP_INFO_BYTES);
  new DataView(startup.buffer).setUint32(0, STARTUP_INFO_BYTES, true);
  const information = new Uint8Array(PROCESS_INFORMATION_BYTES);
  const block = environmentBlock(env);
  const flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP | CREATE_UNICODE_ENVIRONMENT;
  const create = (extra: number) => {
    // The call may write into the command line, so each try gets its own.
    const line = wide(words.map(quoteArgument).join(" "));
    return (
      kernel.CreateProcessW(null, line, null, null, 0, flags | extra, block, null, startup, information) !== 0
    );
  };
  if (!create(CREATE_BREAKAWAY_FROM_JOB) && !create(0)) {
    throw new JigError(`cannot detach ${words[0]}: the system refused to create the process`);
  }
  const view = new DataView(information.buffer);
  kernel.CloseHandle(Number(view.getBigInt64(0, true)));
  kernel.CloseHandle(Number(view.getBigInt64(8, true)));
  return view.getUint32(16, true);
}
