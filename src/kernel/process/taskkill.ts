import { spawn } from "../../runtime/spawn.ts";
import { system32 } from "./system32.ts";

/** End a process and all its descendants on Windows; quiet when it is already gone. */
export async function taskkillTree(
  pid: number,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  try {
    const child = await spawn(
      [system32("taskkill.exe", env["SystemRoot"]), "/T", "/F", "/PID", String(pid)],
      {
        env,
        stdout: "ignore",
        stderr: "ignore",
      },
    );
    await child.exited;
  } catch {
    // Without the tool nothing more can be done here; the caller sees the process live on.
  }
}
