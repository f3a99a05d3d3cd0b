import { spawn } from "../../runtime/spawn.ts";

/** A program of Windows itself, by absolute path: a bare name could be found in a checkout (spec/jobs.md section 12). */
export function system32(program: string, env: Readonly<Record<string, string | undefined>>): string {
  return `${env["SystemRoot"] || "C:\\Windows"}\\System32\\${program}`;
}

/** End a process and all its descendants on Windows; quiet when it is already gone. */
export async function taskkillTree(
  pid: number,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  try {
    const child = await spawn([system32("taskkill.exe", env), "/T", "/F", "/PID", String(pid)], {
      env,
      stdout: "ignore",
      stderr: "ignore",
    });
    await child.exited;
  } catch {
    // Without the tool nothing more can be done here; the caller sees the process live on.
  }
}
