import { openSync } from "node:fs";
import { cLibrary, openLibrary } from "../../runtime/ffi.ts";
import { closeQuietly } from "./file-io.ts";

// <fcntl.h>, Linux: the same numbers on every architecture.
const F_NOTIFY = 1_026;
const DN_MODIFY = 2;

/** Tells once that a file in a directory was written to, without looking: for a process that rests until then. */
export interface ChangeAlarm {
  /**
   * Have the next write call `onChange`, once. False where the system or the file system has no such thing; look by the
   * clock then.
   */
  arm(): boolean;
  close(): void;
}

/**
 * An alarm on the files of a directory. By dnotify and not inotify: it takes no thread and no memory, and none of the
 * 128 inotify instances a user has, which two hundred jobs would use up. Undefined anywhere but on Linux.
 */
export async function changeAlarm(directory: string, onChange: () => void): Promise<ChangeAlarm | undefined> {
  if (process.platform !== "linux") return undefined;
  const system = await openLibrary(cLibrary(), {
    fcntl: { args: ["i32", "i32", "i64"], returns: "i32" },
  });
  if (system === undefined) return undefined;
  // Before the first arming: the signal ends a process that does not handle it.
  process.on("SIGIO", onChange);
  const descriptor = openSync(directory, "r");
  return {
    arm: () => system.fcntl(descriptor, F_NOTIFY, DN_MODIFY) === 0,
    close: () => closeQuietly(descriptor),
  };
}
